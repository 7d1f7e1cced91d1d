"""Compares the table of op support in README.md with what the tools say.

    partita-opt --list-op-models > LIST; support-table.py LIST README.md [--write]

The table is the list, ops with equal entries in one row. With --write, README.md gets it anew.

RUN: partita-opt --list-op-models > %t.list
RUN: %python %s %t.list %src/README.md
"""
import collections
import difflib
import sys

BEGIN, END = "<!-- op support: test/Docs/support-table.py --write -->\n", "<!-- end -->\n"


def make_table(lines):
    rows = collections.defaultdict(list)
    for line in lines:
        name, rest = line.strip().split(": ", 1)
        model, engines = rest.split("; ")
        rows[name.split(".")[0], model, engines].append(name.split(".", 1)[1])
    table = ["| dialect | model | runs on | ops |\n", "|---|---|---|---|\n"]
    order = {"stablehlo": 0, "chlo": 1, "spmd": 2}
    for (dialect, model, engines), ops in sorted(
            rows.items(), key=lambda row: (order[row[0][0]], row[0][1:])):
        table.append(f"| {dialect} | {model} | {engines} | {' '.join(ops)} |\n")
    return table


def main():
    table = make_table(open(sys.argv[1]))
    readme = open(sys.argv[2]).readlines()
    begin, end = readme.index(BEGIN) + 1, readme.index(END)
    if "--write" in sys.argv:
        with open(sys.argv[2], "w") as file:
            file.writelines(readme[:begin] + table + readme[end:])
        return
    difference = list(difflib.unified_diff(readme[begin:end], table, "README.md", "tools"))
    if difference:
        sys.exit("".join(difference) + "fix: run test/Docs/support-table.py with --write")


if __name__ == "__main__":
    main()
