"""Programs of the corpus: both sides of each, in turns."""
import json
import os
import statistics
import subprocess
import tempfile

import numpy as np

import table
import values
import worker
import xla

GiB = 1 << 30


class Failure(Exception):
    """A side could not run the program; the text says why."""


def call_partita(arguments, path, *options):
    """partita-run's report."""
    command = [arguments.partita_run, path, "--engine=jit", "--json", f"--memory-limit={int(arguments.memory * GiB)}",
               "--no-cache", *options]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=arguments.seconds)
    except subprocess.TimeoutExpired:
        raise Failure(f"more than {arguments.seconds:.0f} s")
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if "error:" in line] or [f"status {result.returncode}"]
        text = lines[0].split("error:")[-1].strip()
        raise Failure("does not fit" if "memory does not suffice" in text else text[:100])
    return json.loads(result.stdout)


def run_partita(arguments, path, folder, repeat):
    """The report of a run; results are left in `folder`."""
    return call_partita(arguments, path, f"--repeat={repeat}", f"--inputs={folder}/in.npz", f"--outputs={folder}/out.npz")


def choose_repeat(arguments, first_ms):
    """Timed runs: about two seconds of them."""
    if arguments.repeat:
        return arguments.repeat
    most = 50 if arguments.small else 10
    return max(2, min(most, int(2000 / max(first_ms, 1e-3))))


def make_inputs(path, folder):
    generator = np.random.default_rng(0)
    inputs = [values.make_input(text, generator) for text in xla.read_input_types(path)]
    values.save(os.path.join(folder, "in.npz"), inputs)
    return inputs


def measure(path, arguments, report_side):
    """The row of one program. `report_side(side, row)` is called before each part of the work, with what is known."""
    row = {"name": os.path.basename(path)[:-5]}
    try:
        report_side("partita", row)
        # Before any input is made: does it compile and fit?
        report = call_partita(arguments, path, "--compile-only")
        row["partita_compile_ms"], row["devices"] = report["compile_ms"], report["devices"]
        row["peak_bytes"] = report["peak_bytes"]
        with tempfile.TemporaryDirectory(prefix="partita-bench-") as folder:
            inputs = make_inputs(path, folder)
            if arguments.partita_only:
                report = run_partita(arguments, path, folder, arguments.repeat or 2)
                row["partita_ms"], row["state"] = report["run_ms"], "runs"
            else:
                compare(arguments, path, folder, inputs, row, report_side)
    except Failure as failure:
        row["state"] = f"partita: {failure}"
    except Exception as error:   # XLA's errors have no common class
        row["state"] = f"XLA: {str(error).splitlines()[0][:80]}"
    return row


def compare(arguments, path, folder, inputs, row, report_side):
    report_side("XLA", row)
    with open(path) as file:
        program = xla.Program(file.read(), inputs)
    row["xla_compile_ms"] = program.compile_ms
    take_turns(arguments, path, folder, program, row, report_side)
    wants = program.get_results()
    row["state"] = describe(wants, values.load(os.path.join(folder, "out.npz"), wants))


def take_turns(arguments, path, folder, program, row, report_side):
    """XLA, partita, XLA: what disturbs the machine for a while disturbs both."""
    repeat = row["repeat"] = choose_repeat(arguments, program.run())
    report_side("XLA", row)
    times = [program.run() for _ in range(repeat)]
    report_side("partita", row)
    report = run_partita(arguments, path, folder, repeat)
    row["partita_ms"] = report["run_ms"]
    report_side("XLA", row)
    times += [program.run() for _ in range(repeat)]
    row["partita_ms_all"], row["xla_ms_all"] = report.get("run_ms_all", [report["run_ms"]]), times
    row["xla_ms"] = statistics.median(times)
    row["ratio"] = row["partita_ms"] / row["xla_ms"]


def describe(wants, gots):
    for i, (want, got) in enumerate(zip(wants, gots)):
        difference = values.find_difference(want, got)
        if difference:
            return f"DIFFERENT: result {i}: {difference}"
    nan = max((float(np.isnan(np.asarray(want, np.float64 if want.dtype.kind != "c" else want.dtype)).mean())
               for want in wants if want.size and want.dtype.kind not in "iub"), default=0)
    return f"equal (NaN share {nan:.2f})" if nan else "equal"


def measure_all(paths, arguments):
    table.print_header()
    rows = []
    measurer = worker.Measurer(arguments)
    for path in paths:
        rows.append(measurer.measure(path))
        table.print_row(rows[-1])
    return rows
