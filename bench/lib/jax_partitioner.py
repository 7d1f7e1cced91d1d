"""Runs a Python file with Partita as JAX's partitioner: jax_partitioner.py FILE [ARGUMENT...]

With PARTITA_TRANSLATE set, that tool makes the manual form of each module of several partitions that JAX compiles, with the
options PARTITA_OPTIONS; XLA compiles that. What Partita or XLA refuses is compiled as it was. At exit PARTITA_MODULES, a JSON
file, says how many modules were compiled, and of each that was refused the reason. Without it the file is just run.
"""
import atexit
import json
import os
import re
import runpy
import subprocess
import sys

modules = {"compiled": 0, "refused": []}


def make_manual_form(text):
    """The manual form, or the reason why there is none."""
    command = [os.environ["PARTITA_TRANSLATE"], "--spmd-to-manual", "--partita=" + os.environ["PARTITA_OPTIONS"], "-"]
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode == 0 and result.stdout:
        return result.stdout, None
    error = re.search(r"error: (.*)", result.stderr)
    return None, error[1] if error else f"status {result.returncode}"


def install():
    from jax._src import compiler
    from jaxlib.mlir import ir

    compile_with_xla = compiler.backend_compile_and_load

    def compile_with_partita(backend, module, *rest, **named):
        text = str(module)
        partitions = re.search(r"mhlo.num_partitions = (\d+)", text)
        if not partitions or int(partitions[1]) < 2:
            return compile_with_xla(backend, module, *rest, **named)
        manual, reason = make_manual_form(text)
        if manual:
            try:
                with module.context:
                    executable = compile_with_xla(backend, ir.Module.parse(manual), *rest, **named)
                modules["compiled"] += 1
                return executable
            except Exception as error:
                reason = "XLA: " + str(error).splitlines()[0]
        modules["refused"].append(reason[:200])
        return compile_with_xla(backend, module, *rest, **named)

    compiler.backend_compile_and_load = compile_with_partita


def write_modules():
    with open(os.environ["PARTITA_MODULES"], "w") as file:
        json.dump(modules, file)


if __name__ == "__main__":
    if os.environ.get("PARTITA_TRANSLATE"):
        install()
        atexit.register(write_modules)
    sys.argv = sys.argv[1:]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")
