"""Runs a Python file with Partita as JAX's partitioner: jax_partitioner.py FILE [ARGUMENT...]

With PARTITA_MODULES set, package partita partitions what JAX compiles, with the options PARTITA_OPTIONS, and what Partita or XLA
refuses is left to XLA. At exit that file, JSON, says how many modules were compiled, and of each that was refused the reason.
Without it the file is just run.
"""
import atexit
import json
import os
import runpy
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "python"))


def enable():
    import partita
    options = dict(word.split("=", 1) for word in os.environ["PARTITA_OPTIONS"].split())
    partitioner = partita.enable(on_refusal="ignore", **options)

    def write_modules():
        with open(os.environ["PARTITA_MODULES"], "w") as file:
            json.dump({"compiled": partitioner.compiled, "refused": [reason[:200] for reason in partitioner.refused]}, file)

    atexit.register(write_modules)


if __name__ == "__main__":
    if os.environ.get("PARTITA_MODULES"):
        enable()
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")
