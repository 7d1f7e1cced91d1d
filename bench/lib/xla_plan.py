"""XLA's plan of one module, as JSON on standard output. Run by a Python that has jax; nothing of it is run.

usage: xla_plan.py FILE [cpu|tpu]

The collectives of the HLO that XLA's CPU (or TPU) compiler ends with, memory of one device, and the milliseconds of its
passes (with TF_CPP_MIN_LOG_LEVEL=0 TF_CPP_VMODULE=hlo_pass_pipeline=1 XLA writes them to standard error). For a TPU also the
cycles that its compiler expects of all ops outside of loops and once of those in them, without collectives and reshapes.
"""
import json
import os
import re
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def count_module_devices(text):
    counts = [int(count) for count in re.findall(r"mhlo.num_(?:partitions|replicas) = (\d+)", text)]
    return max(counts, default=1)


def count_cycles(hlo):
    return sum(map(int, re.findall(r'"estimated_cycles":"(\d+)"', hlo)))


def main():
    with open(sys.argv[1]) as file:
        text = file.read()
    is_tpu = sys.argv[2:] == ["tpu"]
    devices = count_module_devices(text)
    os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                               f" --xla_force_host_platform_device_count={devices}").strip()
    os.environ["JAX_PLATFORMS"] = "cpu"
    import hlo_collectives
    import xla
    start = time.perf_counter()
    executable = xla.compile_for_tpu(text) if is_tpu else xla.compile_module(text)[0]
    seconds = time.perf_counter() - start
    hlo = executable.hlo_modules()[0].to_string()
    counter = hlo_collectives.Counter(hlo, devices)
    memory = executable.get_compiled_memory_stats()
    print(json.dumps({
        **({"cycles": count_cycles(hlo)} if is_tpu else {}),
        "compile_ms": 1e3 * seconds, "collectives": counter.collectives, "sent_bytes": counter.sent_bytes,
        "launches": counter.launches, "unknown_loops": counter.unknown_loops,
        "temp_bytes": memory.temp_size_in_bytes,
        "peak_bytes": memory.argument_size_in_bytes + memory.output_size_in_bytes + memory.temp_size_in_bytes -
        memory.alias_size_in_bytes}))
    sys.stdout.flush()
    os._exit(0)   # XLA's threads may still run


if __name__ == "__main__":
    main()
