"""Partita's programs: where they are, how they are asked, what they refuse. Knows nothing of JAX."""
import os
import re
import shutil
import subprocess


class ToolMissing(RuntimeError):
    """A program of Partita is not where it is looked for."""


class Refused(RuntimeError):
    """Partita has no plan for the program, or a question has no answer; `details` is all that the tool said."""

    def __init__(self, reason, details=""):
        super().__init__(reason)
        self.details = details


def find(name):
    """Path of the program `name`. Raises ToolMissing."""
    tree = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "bin")
    folders = [os.environ.get("PARTITA_BIN"), os.environ.get("PATH"), tree]
    path = shutil.which(name, path=os.pathsep.join(folder for folder in folders if folder))
    if not path:
        raise ToolMissing(f"{name} is not found; fix: set PARTITA_BIN to the folder that holds Partita's tools")
    return path


# JAX tells its users the shardings of results; a layout that is merely cheaper would be one that nobody expects.
DEFAULTS = {"results": "propagated"}


def write_options(options):
    """Keyword arguments as the text of `--partita`: memory_limit=1 becomes memory-limit=1."""
    def write(value):
        return str(value).lower() if isinstance(value, bool) else str(value)
    return " ".join(f"{name.replace('_', '-')}={write(value)}" for name, value in {**DEFAULTS, **options}.items())


def ask(name, arguments, text=None):
    """Standard output of a program that gets `text` as its input. Raises Refused with its first error."""
    result = subprocess.run([find(name), *arguments], input=text, capture_output=True, text=True)
    if result.returncode:
        error = re.search(r"error: (.*)", result.stderr)
        said = result.stdout.splitlines() or [f"{name} ended with status {result.returncode}"]
        raise Refused(error[1] if error else said[0], result.stdout + result.stderr)
    return result.stdout


def make_manual_form(text, options):
    """The StableHLO text of a program whose main is one sdy.manual_computation around what every device runs."""
    return ask("partita-translate", ["--spmd-to-manual", "--partita=" + write_options(options), "-"], text)
