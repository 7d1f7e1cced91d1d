"""Milliseconds by pass: of partita-opt from import to optimized, and of XLA's propagation and partitioning."""
import os
import re
import subprocess
import time

import plans

# Timers of partita-opt that are not passes.
OTHER = {"Parser", "Output", "Rest", "Total"}
XLA_PASSES = ("shardy-xla", "spmd-partitioning")
LINE = re.compile(r"^\s+(\d+\.\d+) \(\s*[\d.]+%\)  (\S.*)$")
XLA_LINE = re.compile(r"HLO pass: ([\w-]+) time: .*?\((\d+) us\)")


def time_partita(tool, path, options, seconds):
    """By pass, in the order in which they run. Neither parsing nor printing, and no verifier between passes."""
    command = [tool, f"--partita={options}" if options else "--partita", "--verify-each=false", "--mlir-timing",
               "--mlir-timing-display=tree", "-o", os.devnull, path]
    _, text = plans.run_tool(command, seconds)
    times = {}
    for line in text.splitlines():
        # What is indented more belongs to the pass above it.
        if (found := LINE.match(line)) and found.group(2) not in OTHER and "%)  " in line and "%)    " not in line:
            times[found.group(2)] = times.get(found.group(2), 0) + 1e3 * float(found.group(1))
    if not times:
        raise plans.Failure("no times in the output of " + os.path.basename(tool))
    return times


def time_xla(python, path, seconds):
    """By pass of XLA_PASSES. XLA is ended as soon as it has said them."""
    if not python:
        raise plans.Failure("PARTITA_JAX_PYTHON is not set")
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "0", "TF_CPP_VMODULE": "hlo_pass_pipeline=1"}
    process = subprocess.Popen([python, plans.WORKER, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env=environment)
    times, last, end = {}, "", time.monotonic() + seconds
    try:
        for line in process.stderr:
            if (found := XLA_LINE.search(line)) and found.group(1) in XLA_PASSES:
                times.setdefault(found.group(1), int(found.group(2)) / 1e3)
                if len(times) == len(XLA_PASSES):
                    return times
            elif line.strip():
                last = line.strip()
            if time.monotonic() > end:
                raise plans.Failure(f"more than {seconds:.0f} s")
    finally:
        process.kill()
        process.wait()
    raise plans.Failure("no time of " + ", ".join(set(XLA_PASSES) - set(times)) + f": {last[:60]}")


def keep_best(times, best):
    """The run whose sum is least."""
    return times if best is None or sum(times.values()) < sum(best.values()) else best
