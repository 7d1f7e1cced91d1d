"""What the table of engines says of machine code is true: each op that it names is in a test that compares machine code with the evaluator, and
each op in such a test is named.

RUN: partita-opt --list-op-models > %t.list
RUN: %python %s %src/test %t.list
"""
import os
import re
import subprocess
import sys

root, listed = sys.argv[1:]
table = dict(line.strip().split(": ", 1) for line in open(listed))
lowered = {name for name, entry in table.items() if "cpu" in entry.split("; ")[1]}
# The first is in bodies alone; the others are what the planner chooses for some sizes, or what a schedule makes: test/Integration runs them.
ELSEWHERE = {"stablehlo.return", "spmd.exchange", "spmd.to_unreduced", "spmd.start", "spmd.done"}


def compares(text):
    runs = [line for line in text.splitlines() if line.startswith("// RUN")]
    return any("partita-run %s" in run and "--engine=jit" in run and "--compare=unsharded" in run for run in runs)


def find_ops(text):
    return set(re.findall(r"(?<![\w.@#!])(?:stablehlo|chlo|spmd)\.\w+(?:-\w+)*", text)) & set(table)


seen, ran = set(), {}
for folder, _, names in sorted(os.walk(root)):
    for name in sorted(names):
        path = os.path.join(folder, name)
        text = open(path).read() if name.endswith(".mlir") else ""
        if not compares(text):
            continue
        # Imported ops are gone in the optimized program, and those that the partition needs are not in the text.
        optimized = subprocess.run(["partita-opt", "--partita-to=optimized", path], capture_output=True, text=True).stdout
        seen |= find_ops(text) | find_ops(optimized)
        for op in find_ops(optimized):
            ran.setdefault(op, os.path.relpath(path, root))
untested = sorted(lowered - seen - ELSEWHERE)
unlisted = sorted(f"{op} ({path})" for op, path in ran.items() if op not in lowered and op not in ("spmd.mesh", "spmd.return"))
if untested or unlisted:
    sys.exit(f"no test runs as machine code: {' '.join(untested)}\nrun, but not listed: {' '.join(unlisted)}")
