"""Two forms of one program under XLA's CPU backend, timed in turns on the same inputs; JSON on standard output.

usage: xla_pair.py ORIGINAL MANUAL REPEAT normal|positive

Run by a Python that has jax. All are compiled before any runs, the original once more after the manual form: what its two
times differ by is noise. REPEAT 0: as often as fits into SECONDS.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import numpy as np

import hlo_digest
import xla_plan

SECONDS, FEWEST, MOST = 3, 10, 100


def choose_repeat(programs):
    seconds = sum(program.run() for program in programs) / 1e3
    return min(max(int(SECONDS / seconds), FEWEST), MOST)


def digest(program):
    return hlo_digest.digest(program.executable.hlo_modules()[0].to_string())


def describe_memory(program):
    memory = program.executable.get_compiled_memory_stats()
    return memory.temp_size_in_bytes


def compare(programs, values):
    """"" if all results are equal; the largest NaN share."""
    wants, gots = programs[0].get_results(), programs[1].get_results()
    nan = 0.0
    for i, (want, got) in enumerate(zip(wants, gots)):
        if difference := values.find_difference(want, got):
            return f"result {i}: {difference}", nan
        if want.size and want.dtype.kind not in "iub":
            nan = max(nan, float(np.isnan(want if want.dtype.kind == "c" else want.astype(np.float64)).mean()))
    return "" if len(wants) == len(gots) else "another number of results", nan


def main():
    paths, repeat = sys.argv[1:3], int(sys.argv[3])
    texts = []
    for path in paths:
        with open(path) as file:
            texts.append(file.read())
    devices = xla_plan.count_module_devices(texts[0])
    os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") +
                               f" --xla_force_host_platform_device_count={devices}").strip()
    os.environ["JAX_PLATFORMS"] = "cpu"
    import values
    import xla
    generator = np.random.default_rng(0)
    inputs = [values.make_input(text, generator, sys.argv[4] == "positive") for text in xla.read_input_types(paths[0])]
    programs = [xla.Program(text, inputs) for text in (*texts, texts[0])]
    for program in programs:
        program.run()   # the first run is slower
    difference, nan = compare(programs, values)
    repeat = repeat or choose_repeat(programs)
    times = [[], [], []]
    for turn in range(repeat):
        # Who begins changes, so that what the first leaves in the caches helps all.
        for side in range(turn, turn + 3):
            times[side % 3].append(programs[side % 3].run())
    print(json.dumps({"devices": devices, "xla_ms_all": times[0], "manual_ms_all": times[1], "xla_again_ms_all": times[2],
                      "is_same": digest(programs[0]) == digest(programs[1]), "difference": difference,
                      "nan_share": nan, "xla_compile_ms": programs[0].compile_ms, "manual_compile_ms": programs[1].compile_ms,
                      "xla_temp_bytes": describe_memory(programs[0]), "manual_temp_bytes": describe_memory(programs[1])}))
    sys.stdout.flush()
    os._exit(0)   # XLA's threads may still run


if __name__ == "__main__":
    main()
