"""Plans of both sides: what partita-run and XLA say of a program, without running it."""
import hashlib
import json
import os
import subprocess
import tempfile

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "xla_plan.py")


class Failure(Exception):
    """A side has no plan; the text says why."""


def run_tool(command, seconds, environment=None):
    """Standard output and standard error of a command that has to succeed within `seconds`."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=seconds, env=environment)
    except subprocess.TimeoutExpired:
        raise Failure(f"more than {seconds:.0f} s")
    except OSError as error:
        raise Failure(str(error))
    if result.returncode:
        raise Failure(find_reason(result))
    return result.stdout, result.stderr


def find_reason(result):
    """The line of an error that tells most."""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    for mark in ("error: ", "Error: ", "Error("):
        for line in reversed(lines) if mark != "error: " else lines:
            if mark in line:
                return line.split(mark, 1)[1].strip()[:100]
    return f"status {result.returncode}" + (f": {lines[-1].strip()[:80]}" if lines else "")


def add_launches(plan):
    plan["launches"] = sum(count for count, _ in plan["collectives"].values())
    return plan


def plan_with_partita(tool, path, options, seconds):
    """partita-run's plan; `options` as in --partita=..."""
    command = [tool, path, "--plan-only", "--json"] + ([f"--partita={options}"] if options else [])
    return add_launches(json.loads(run_tool(command, seconds)[0]))


def ask_sides(row, sides):
    """Puts the plan of each side into `row`, where it has one; why the others have none, by side."""
    failures = {}
    for side, make in sides.items():
        try:
            row[side] = make()
        except Failure as failure:
            failures[side] = str(failure)
    return failures


class XLA:
    """XLA's plans for `platform` (cpu or tpu), each made by a process of its own, or read from the file of an earlier run."""

    def __init__(self, python, seconds, cache_path=None, platform="cpu"):
        self.python, self.seconds, self.cache_path, self.platform = python, seconds, cache_path, platform
        self.known = {}
        if cache_path and os.path.exists(cache_path):
            with open(cache_path) as file:
                self.known = json.load(file)

    def plan(self, path):
        with open(path, "rb") as file:
            key = ("" if self.platform == "cpu" else self.platform + " ") + hashlib.sha256(file.read()).hexdigest()
        if key not in self.known:
            self.known[key] = self.measure(path)
            self.keep()
        if "failure" in self.known[key]:
            raise Failure(self.known[key]["failure"])
        return self.known[key]

    def plan_manual_form(self, tool, path, options=""):
        """What XLA makes of the plan that partita-translate, `tool`, makes with `options`."""
        with tempfile.NamedTemporaryFile("w", suffix=".mlir") as manual:
            command = [tool, "--spmd-to-manual", path, "-o", manual.name]
            run_tool(command + ([f"--partita={options}"] if options else []), self.seconds)
            return self.plan(manual.name)

    def measure(self, path):
        if not self.python:
            return {"failure": "PARTITA_JAX_PYTHON is not set"}
        try:
            # What is read is the HLO, which does not depend on how well LLVM optimises the machine code after it.
            flags = os.environ.get("XLA_FLAGS", "") + " --xla_backend_optimization_level=0"
            return json.loads(run_tool([self.python, WORKER, path, self.platform], self.seconds,
                                       {**os.environ, "XLA_FLAGS": flags})[0])
        except Failure as failure:
            return {"failure": str(failure)}

    def keep(self):
        if not self.cache_path:
            return
        folder = os.path.dirname(os.path.abspath(self.cache_path))
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False) as file:
            json.dump(self.known, file, indent=1)
        os.replace(file.name, self.cache_path)
