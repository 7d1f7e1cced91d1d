"""Partita as the partitioner of JAX, and its answers about a program.

    import partita
    partita.enable()                        # from here on Partita partitions what JAX compiles
    with partita.partitioner(objective="bytes"):
        step(x)                             # or only what is compiled in here
    print(partita.plan(step.lower(x)))      # what a device sends and holds

Options are those of `partita-opt --partita=...`, with underscores: machine, objective, memory_limit, constraints, results (here
"propagated" by default). Under the hook the machine is what JAX's devices are, elsewhere Partita's default.
The tools are looked for in the folder that PARTITA_BIN names, on PATH, and in build/bin of the source tree around this file.
"""
from .partitioner import Partitioner, disable, enable, partitioner
from .questions import Plan, compare, explain, plan, report
from .tools import Refused, ToolMissing

__all__ = ["Partitioner", "Plan", "Refused", "ToolMissing", "compare", "disable", "enable", "explain", "partitioner", "plan", "report"]
