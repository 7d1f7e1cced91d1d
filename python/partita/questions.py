"""Questions about a program: what it sends, why, and whether its partition is right.

A program is what `jax.jit(f).lower(...)` gives, StableHLO text, or the path of a file with it. Nothing is run on JAX's devices.
"""
import contextlib
import dataclasses
import json
import os
import tempfile

from . import tools


@dataclasses.dataclass(frozen=True)
class Plan:
    """What one device does: bytes that it sends, bytes that it holds at most, and how often and with how many bytes in all
    each kind of collective runs."""
    devices: int
    sent_bytes: int
    peak_bytes: int
    collectives: dict

    @property
    def launches(self):
        return sum(count for count, _ in self.collectives.values())

    def __str__(self):
        lines = [f"{self.devices} devices, {self.sent_bytes} bytes sent per device, peak {self.peak_bytes} bytes"]
        lines += [f"  {count} x {name}: {sent} bytes" for name, (count, sent) in self.collectives.items()]
        return "\n".join(lines)


@contextlib.contextmanager
def _as_file(program):
    """Path of a file with the program's text."""
    if isinstance(program, (str, os.PathLike)) and "\n" not in str(program):
        yield os.fspath(program)
        return
    text = program if isinstance(program, str) else program.as_text()
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(text)
        file.flush()
        yield file.name


def plan(program, **options):
    """The Plan of the program. Raises Refused."""
    with _as_file(program) as path:
        answer = json.loads(tools.ask("partita-run", [path, "--plan-only", "--json", "--partita=" + tools.write_options(options)]))
    return Plan(**{field.name: answer[field.name] for field in dataclasses.fields(Plan)})


def explain(program, what, **options):
    """Why a value (`%3`, as `partita-opt --partita-to=propagated` prints it) or the ops of a name (`stablehlo.dot_general`) are
    split as they are, as text."""
    with _as_file(program) as path:
        return tools.ask("partita-opt", [path, "--explain=" + what, "--plan-options=" + tools.write_options(options)])


def report(program, path, **options):
    """Writes the plan's report: a .html or .json file."""
    with _as_file(program) as source:
        tools.ask("partita-opt", [source, f"--report={os.fspath(path)}", "--plan-options=" + tools.write_options(options)])


def compare(program, how="exact", **options):
    """Runs the partition on random inputs on Partita's own virtual devices and compares it with the unsharded program: over a
    prime field ("exact"), or on floats ("unsharded"). Raises Refused where results differ."""
    with _as_file(program) as path:
        tools.ask("partita-run", [path, f"--compare={how}", "--partita=" + tools.write_options(options)])
