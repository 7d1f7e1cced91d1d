"""Judges partitions of real JAX programs, by the exact evaluator and by XLA.

usage: judge.py --shared DIR --out DIR [--not PATTERN]... PATTERN...     names of the corpus
       judge.py --shared DIR --out DIR --files FILE.mlir...              programs given as text

Each program is lowered at its small size, or with --full at its real one, and then
  text     read and printed to a fixed point: pretty, generic, with locations
  plan     compiled to the phase optimized within two seconds
  exact    run on simulated devices over a prime field: equal, and reacting to its inputs
  floats   the same on floats in (0, 1], or normals where --normal says so: equal, without NaN
  manual   its manual form, compiled by XLA for all devices, against the program on one device
  hlo      its HLO text, parsed and compiled by XLA, likewise
One process does it all: a JAX start costs more than most of the programs.
"""
import argparse
import contextlib
import fnmatch
import functools
import glob
import io
import json
import os
import subprocess
import sys
import time
import warnings

os.environ["CORPUS_SMALL"] = "0" if "--full" in sys.argv else "1"
# XLA compiles six times faster so; what it computes is the same.
os.environ["XLA_FLAGS"] = " ".join([
    "--xla_force_host_platform_device_count=8", "--xla_backend_optimization_level=0",
    "--xla_llvm_disable_expensive_passes=true", "--xla_cpu_use_fusion_emitters=false"])

COLUMNS = ["text", "plan", "exact", "floats", "manual", "hlo"]
RTOL = 1e-4


def tool(name, *arguments):
    """Standard output of one of Partita's tools; an error is raised with its message."""
    result = subprocess.run([name, *arguments], capture_output=True, text=True)
    if result.returncode and not result.stdout.startswith("{"):   # a verdict comes with status 1
        raise RuntimeError(result.stderr.strip().splitlines()[0] if result.stderr.strip() else f"{name}: status {result.returncode}")
    return result.stdout


class Judge:
    def __init__(self, shared, out, constant, normal):
        self.constant = constant   # programs with a result that depends on no input
        self.normal = normal       # programs in which sums of positive f32 numbers lose too many digits
        sys.path[:0] = [os.path.join(shared, "oracle"), os.path.join(shared, "corpus")]
        import oracle
        import jaxlib.lapack
        from jaxlib import _hlo, _jax
        from jax._src.lib import xla_client
        jaxlib.lapack._lapack.initialize()   # XLA calls it for factorisations
        self.oracle, self.out, self.hlo, self.jax, self.client = oracle, out, _hlo, _jax, xla_client
        os.makedirs(out, exist_ok=True)

    def lower(self, name):
        import corpus
        path, lowered = os.path.join(self.out, name + ".mlir"), corpus.lower(name)
        for file_name, text in [(path, lowered.as_text()), (path + ".loc", lowered.as_text(debug_info=True))]:
            with open(file_name, "w") as file:
                file.write(text)
        return path

    def text(self, path):
        """Verdict on reading and printing the program."""
        pretty = tool("partita-opt", path)
        generic = os.path.join(self.out, "generic.mlir")
        tool("partita-opt", "-mlir-print-op-generic", path, "-o", generic)
        if tool("partita-opt", generic) != pretty:
            return "the generic form reads as another program"
        tool("partita-opt", "--verify-roundtrip", path, "-o", os.devnull)
        if os.path.exists(path + ".loc"):
            located = tool("partita-opt", "-mlir-print-debuginfo", path + ".loc")
            if tool("partita-opt", path + ".loc") != pretty:
                return "with locations it reads as another program"
            with open(generic, "w") as file:
                file.write(located)
            if tool("partita-opt", "-mlir-print-debuginfo", generic) != located:
                return "with locations it is no fixed point"
        return "ok"

    def plan(self, path):
        json.loads(tool("partita-run", "--plan-only", "--json", path))
        return "ok"

    def run(self, path, *arguments):
        """Verdict of partita-run."""
        report = json.loads(tool("partita-run", path, "--json", *arguments))
        if not report["equal"]:
            return f"DIFFERS by {report['max_abs_diff']:g}"
        if report.get("vacuous") and not select([os.path.basename(path)], self.constant, []):
            return f"VACUOUS: no input changes {report['vacuous']}"
        return "ok" if report["nan_share"] == 0 else f"NaN share {report['nan_share']:.3f}"

    def compare(self, path, candidate, kind):
        """Verdict of XLA on a module with the program's signature, on inputs of that kind."""
        with open(path) as file:
            program = file.read()
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            differs = self.oracle.compare(program, candidate, argparse.Namespace(seed=0, inputs=kind, rtol=RTOL))
        bad = [line for line in text.getvalue().splitlines() if "equal" not in line or "NaN" in line]
        return "DIFFERS: " + "; ".join(bad)[:200] if differs else "ok"

    def read_hlo(self, text, like):
        """The HLO text as a module with the signature of `like`."""
        if "sdy.mesh" in like:
            return self.oracle.wrap_hlo(text, like)
        computation = self.client.XlaComputation(self.hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto())
        module = self.jax.mlir.xla_computation_to_mlir_module(computation)
        return module.decode() if isinstance(module, bytes) else module

    def verdicts(self, path, columns):
        manual = functools.cache(lambda: tool("partita-translate", "--spmd-to-manual", path))
        kind = "normal" if select([os.path.basename(path)], self.normal, []) else "positive"
        make = {
            "text": lambda: self.text(path),
            "plan": lambda: self.plan(path),
            "exact": lambda: self.run(path, "--compare=exact", "--compare-each"),
            "floats": lambda: self.run(path, "--compare=unsharded", f"--inputs={kind}"),
            "manual": lambda: self.compare(path, manual(), kind),
            # Free results have no sharding in the program; the manual form names all.
            "hlo": lambda: self.compare(path, self.read_hlo(tool("partita-translate", "--spmd-to-hlo", path), manual()), kind),
        }
        for column in columns:
            try:
                yield column, make[column]()
            except (Exception, SystemExit) as error:   # XLA's refusals have types of many modules
                yield column, f"{type(error).__name__}: {error}".replace("\n", " ")[:300]


def select(names, patterns, excluded):
    matches = lambda name, list: any(fnmatch.fnmatchcase(name, pattern) for pattern in list)
    return [name for name in names if matches(name, patterns) and not matches(name, excluded)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--files", action="store_true", help="the programs are paths of StableHLO text")
    parser.add_argument("--full", action="store_true", help="programs at their real sizes")
    parser.add_argument("--only", default=",".join(COLUMNS), help="columns to judge")
    parser.add_argument("--constant", action="append", default=[], help="names whose results may react to no input")
    parser.add_argument("--normal", action="append", default=[], help="names that get normals as float inputs")
    parser.add_argument("--not", dest="excluded", action="append", default=[], help="names to leave out")
    parser.add_argument("patterns", nargs="+")
    options = parser.parse_args()
    warnings.simplefilter("ignore")   # infinities are compared by subtraction
    judge = Judge(options.shared, options.out, options.constant, options.normal)
    if options.files:
        paths = sorted(path for pattern in options.patterns for path in glob.glob(pattern))
        programs = [(os.path.basename(path), lambda path=path: path) for path in paths
                    if not select([os.path.basename(path)], options.excluded, [])]
    else:
        import corpus
        names = select(corpus.PROGRAMS, options.patterns, options.excluded)
        programs = [(name, lambda name=name: judge.lower(name)) for name in names]
    columns, failures = options.only.split(","), 0
    print(f"{'program':32s} {' '.join(f'{column:7s}' for column in columns)} seconds")
    for name, get in programs:
        start = time.time()
        print(f"{name:32s}", end=" ", flush=True)   # a crash of XLA shows whose it was
        verdicts = dict(judge.verdicts(get(), columns))
        print(" ".join(f"{'ok' if v == 'ok' else 'FAIL':7s}" for v in verdicts.values()), f"{time.time() - start:.1f}", flush=True)
        for column, verdict in verdicts.items():
            if verdict != "ok":
                failures += 1
                print(f"    {column}: {verdict}", flush=True)
    if not programs:
        print("no program has such a name")
    sys.stdout.flush()
    os._exit(failures > 0 or not programs)   # XLA's threads need no farewell


if __name__ == "__main__":
    main()
