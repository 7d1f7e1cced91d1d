"""Runs each program several times and compares the bytes of all results.

usage: determinism.py PROGRAM.mlir...
"""
import subprocess
import sys

RUNS = {
    "eval": ["--engine=eval"],
    "jit": ["--engine=jit", "--no-cache"],
    "jit, cached": ["--engine=jit", "--cache-dir={program}.cache"],
}


def run(program, options):
    """The bytes of the results."""
    results = program + ".npz"
    options = [option.format(program=program) for option in options]
    subprocess.run(["partita-run", program, "--inputs=positive", f"--outputs={results}", *options],
                   check=True, stdout=subprocess.DEVNULL)
    with open(results, "rb") as file:
        return file.read()


differing = 0
for program in sys.argv[1:]:
    first = {}
    for name, options in RUNS.items():
        engine = name.split(",")[0]
        for _ in range(2):
            result = run(program, options)
            if result != first.setdefault(engine, result):
                print(f"{program}: two runs by {name} differ")
                differing += 1
sys.exit(differing > 0)
