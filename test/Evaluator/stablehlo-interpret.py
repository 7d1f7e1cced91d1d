"""Runs StableHLO's own interpreter tests, of a checkout of openxla/stablehlo.

    stablehlo-interpret.py CHECKOUT [--tools=BIN] [--how=HOW,...] [--only=TEXT] [--keep=FOLDER]

HOW is one of
  evaluate  every file as it is, through `partita-translate --interpret`
  sharded   every function that takes nothing, each tensor constant of it laid out over
            eight devices, as many dimensions sharded as can be; `partita-run
            --compare=unsharded` with the evaluator
  jit       the same functions on one device, as machine code
  sharded-jit  sharded, as machine code

Prints what does not pass and why, then a line per HOW. Files with quantized types are
left out. Fails if something differs or does not run; NO_ARRAY_PROGRAM names the files
that only `evaluate` takes.

REQUIRES: stablehlo
RUN: %python %s %stablehlo --tools=%build/bin --how=evaluate,sharded
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# What only HOW=evaluate runs, by file (without .mlir), and why.
NO_ARRAY_PROGRAM = {
    "api_input_arguments": "its values are given on the command line",
    "infeed": "reads from the host, as each device would",
    "outfeed": "writes to the host, as each device would",
    "send_recv": "talks to the host, as each device would",
    "after_all": "makes tokens alone",
    "printing": "prints to the host what each device has",
}
AXES = ["x", "y", "z"]  # of two devices each
TENSOR = re.compile(r"tensor<((?:\d+x)*)([^x<>\s](?:[^<>]|<[^<>]*>)*)>$")
CONSTANT = re.compile(r"^    (%\w+) = stablehlo\.constant (?:\{.*\} )?dense.* : (tensor<.*>)$")
CHECK = re.compile(r"^    check\.\w+ (%[\w#]+),.*?(?: :|:) (tensor<[^,:]*>)(?:, tensor<.*>)?$")


def run(command, text=None, timeout=120):
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True,
                              timeout=timeout)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return 124, "", f"error: no answer in {timeout} seconds"


def first_error(text):
    for line in text.splitlines():
        if "error:" in line or "LLVM ERROR" in line:
            return line.split("error:", 1)[-1].split("ERROR:", 1)[-1].strip()
    return text.strip().splitlines()[-1] if text.strip() else "died without a word"


def find_files(checkout, only):
    folder = os.path.join(checkout, "stablehlo", "tests", "interpret")
    if not os.path.isdir(folder):
        sys.exit(f"error: no folder {folder}\nfix: name a checkout of openxla/stablehlo")
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            if name.endswith(".mlir") and only in path and name != "quantized_ops.mlir":
                yield os.path.relpath(path, folder)[:-5], path


def evaluate(tools, name, path, tally):
    """The file as it is. FileCheck of the file's own lines judges what it prints."""
    text = open(path).read()
    command = [tools + "/partita-translate", "--interpret", "--split-input-file", path]
    args = re.search(r'--args="(\[dense.*?\])"', text)
    if args:
        command.append("--args=" + args.group(1))
    status, out, errors = run(command)
    if status == 0 and re.search(r"// CHECK(-NEXT)?:", text):
        checker = shutil.which("FileCheck") or shutil.which("FileCheck-22")
        if not checker:
            sys.exit("error: no FileCheck on PATH\nfix: add LLVM's tools to PATH")
        status, _, errors = run([checker, path], out)
    tally.add(name, "passed" if status == 0 else "failed", errors and first_error(errors))


def layout(type_text):
    """A sharding with all eight devices on the dimensions that have two rows or more;
    None for a scalar."""
    sizes = [int(n) for n in TENSOR.match(type_text).group(1).split("x") if n]
    able = [dim for dim, size in enumerate(sizes) if size > 1][:len(AXES)]
    if not able:
        return None
    dims = [[] for _ in sizes]
    for index, axis in enumerate(AXES):
        dims[able[index * len(able) // len(AXES)]].append(axis)
    return ", ".join("{" + ", ".join(f'"{a}"' for a in d) + "}" for d in dims)


def is_shape_operand(name, lines):
    """Whether the value says how something is to be shaped, so must stay a constant."""
    for line in lines:
        ops = re.search(r'(?:dynamic_(?!slice|update)\w+|real_dynamic_slice)"?\(?([^:]*?)[:)]', line)
        if ops and name in re.findall(r"%\w+", ops.group(1))[1:]:
            return True
    return False


def make_program(module, function, sharded):
    """`module`'s text with `function` as main, which returns what it checks."""
    lines = module.splitlines()
    start = next(i for i, line in enumerate(lines)
                 if re.match(rf"  func\.func (public )?@{re.escape(function)}\(\)", line))
    end = next(i for i in range(start, len(lines)) if lines[i] == "  }")
    body, results, renamed = [], [], {}
    for line in lines[start + 1:end]:
        check = CHECK.match(line)
        if check or line.startswith("    check."):
            if check and check.groups() not in results:
                results.append(check.groups())
            continue
        if line.startswith("    return"):
            continue
        body.append(re.sub(r"%\w+", lambda m: renamed.get(m.group(), m.group()), line))
        constant = CONSTANT.match(line)
        dims = sharded and constant and layout(constant.group(2))
        if dims and not is_shape_operand(constant.group(1), lines[start:end]):
            name, kind = constant.groups()
            renamed[name] = name + "_sharded"
            body.append(f"    {name}_sharded = sdy.sharding_constraint {name} "
                        f"<@mesh, [{dims}]> : {kind}")
    if not results:
        return None
    names = ", ".join(renamed.get(n, n) for n, _ in results)
    types = ", ".join(t for _, t in results)
    header = [f"  func.func @main() -> ({types}) {{"]
    footer = [f"    return {names} : {types}", "  }"]
    mesh = ["  sdy.mesh @mesh = <[" + ", ".join(f'"{a}"=2' for a in AXES) + "]>"]
    rest = [line.replace("func.func @main(", "func.func private @other_main(")
            for line in lines[1:start] + lines[end + 1:-1]]
    return "\n".join(["module {"] + (mesh if sharded else []) + rest + header + body +
                     footer + ["}"])


def run_functions(tools, name, path, how, tally, keep):
    status, out, errors = run([tools + "/partita-opt", "--split-input-file", path])
    if status != 0:
        return tally.add(name, "failed", first_error(errors))
    for module in out.split("// -----"):
        if "interpreter." in module:  # already on several devices
            continue
        module = re.sub(r"^module @\w+", "module", module.strip(), flags=re.M)
        for function in re.findall(r"^  func\.func (?:public )?@(\w+)\(\)", module, re.M):
            program = make_program(module, function, how.startswith("sharded"))
            if program is None:
                continue
            file = os.path.join(keep, f"{name.replace('/', '_')}.{function}.{how}.mlir")
            with open(file, "w") as f:
                f.write(program + "\n")
            status, out, errors = run([
                tools + "/partita-run", file, "--json", "--compare=unsharded",
                "--engine=" + ("jit" if how.endswith("jit") else "eval")])
            label = f"{name} @{function}"
            if out.startswith("{"):
                equal = json.loads(out).get("equal")
                tally.add(label, "passed" if equal else "DIFFERENT", out.strip())
            else:
                tally.add(label, "died" if status < 0 or status > 2 else "refused",
                          first_error(errors))


class Tally:
    def __init__(self, how):
        self.how, self.counts = how, collections.Counter()

    def add(self, label, outcome, why=""):
        self.counts[outcome] += 1
        if outcome != "passed":
            print(f"{self.how}: {outcome}: {label}: {why}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkout")
    parser.add_argument("--tools", default="build/bin")
    parser.add_argument("--how", default="evaluate,sharded,jit,sharded-jit")
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", default="")
    args = parser.parse_args()
    keep = args.keep or tempfile.mkdtemp()
    os.makedirs(keep, exist_ok=True)
    failed = False
    summary = []
    for how in args.how.split(","):
        tally = Tally(how)
        for name, path in find_files(args.checkout, args.only):
            if how == "evaluate":
                evaluate(args.tools, name, path, tally)
            elif name not in NO_ARRAY_PROGRAM:
                run_functions(args.tools, name, path, how, tally, keep)
        failed |= set(tally.counts) != {"passed"}
        summary.append(f"{how}: " + ", ".join(f"{n} {k}" for k, n in tally.counts.items()))
    print("\n".join(summary))
    sys.exit(failed)


if __name__ == "__main__":
    main()
