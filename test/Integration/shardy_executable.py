"""Runs Shardy's executable tests on Partita's partition of their programs.

usage: shardy_executable.py CHECKOUT [--name PART] [--keep DIR]

CHECKOUT is a copy of github.com/openxla/shardy; none of its files is ours. Its three executable_* folders hold programs in two parts: functions with
shardings, and a main that runs them device by device and checks the results. Where their script calls sdy_opt with partitioning passes, each function
of the first part is compiled to the phase optimized and printed as the StableHLO of one device, under its own name; the rest is interpreted unchanged:

  --sdy-convert-global-to-local, --sdy-insert-explicit-reshards, ...    partita-translate --spmd-to-stablehlo
  --sdy-drop-sharding-and-mesh alone                                    the function without its sdy attributes
  --sdy-explicit-gather-scatter-batching                                the function as it is: Partita has no such rewrite; its results are checked
  --replica_count=2 --partition_count=1                                 partition_id becomes replica_id, collectives lose their channels
  enable-halo-exchange, per-dim-all-gather                              no meaning here: plans are chosen by cost; each variant runs once

A function without shardings is a reference and stays as it is. Prints one line per file and why a test fails. Status 1: some failed.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

# What fails and why; a failure that is not listed is new.
EXPLAINED = {
    "single_device_add": "ops pinned to one device read its number: no function of whole arrays, refused at import",
    "single_device_switch": "ops pinned to one device read its number: no function of whole arrays, refused at import",
    "stablehlo_dot_general_indivisible": "asks for the bits of a float sum taken in another order; equal within 2 ulp",
}
FOLDERS = ["export/test/executable_convert_global_to_local", "export/test/executable_partitioner_pipeline",
           "import/test/executable_explicit_gather_scatter_batching"]
FUNCTION = re.compile(r"^func\.func (?:(public|private) )?@([\w$.]+)", re.M)


def tool(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        lines = [line for line in result.stderr.splitlines() if "error" in line] or result.stderr.splitlines() or [f"status {result.returncode}"]
        raise RuntimeError(f"{command[0]}: {lines[0].split('error:')[-1].strip()}")
    return result.stdout


def split_parts(text):
    """Parts of a file by name, as LLVM's split-file cuts it."""
    pieces = re.split(r"^//--- (\S+)\n", text, flags=re.M)
    return dict(zip(pieces[1::2], pieces[2::2]))


def split_functions(text):
    """(text before the functions, {name: text})."""
    starts = list(FUNCTION.finditer(text))
    head = text[:starts[0].start()] if starts else text
    functions = {}
    for match, end in zip(starts, [m.start() for m in starts[1:]] + [len(text)]):
        functions[match.group(2)] = text[match.start():end]
    return head, functions


def called(name, functions):
    """Functions that `name` calls, at any depth."""
    found, pending = [], [name]
    while pending:
        for callee in re.findall(r"@([\w$.]+)", functions[pending.pop()]):
            if callee in functions and callee != name and callee not in found:
                found.append(callee)
                pending.append(callee)
    return found


def annotate_results(text):
    """Results without a sharding are whole, as Shardy has it; to Partita they would be free."""
    mesh = re.search(r"sdy\.sharding<@(\w+)", text)
    match = re.search(r"->\s*(tensor<[^>]*>)\s*\{\n", text)
    if not mesh or not match:
        return text
    rank = match.group(1).count("x") if "x" in match.group(1) else 0
    dims = ", ".join("{}" for _ in range(rank))
    return text[:match.start()] + f"-> ({match.group(1)} {{sdy.sharding = #sdy.sharding<@{mesh.group(1)}, [{dims}]>}}) {{\n" + text[match.end():]


def localize(head, functions, name, folder, devices_are_replicas):
    """The functions of one device's program, main under the name `name`."""
    program = head
    for other in called(name, functions):
        program += re.sub(r"^func\.func (public )?@", "func.func private @", functions[other], count=1)
    program += annotate_results(functions[name]).replace(f"@{name}(", "@main(", 1)
    path = os.path.join(folder, name + ".mlir")
    with open(path, "w") as file:
        file.write(program)
    local = tool("partita-translate", "--spmd-to-stablehlo", "--partita=uneven-io=pad", path)
    body = local[local.index("{\n") + 2:local.rindex("}")]
    names = set(re.findall(r"func\.func (?:public |private )?@([\w$.]+)", body))
    for inner in names:
        body = re.sub(rf"@{re.escape(inner)}\b", f"@{name}" if inner == "main" else f"@{name}__{inner}", body)
    if devices_are_replicas:
        body = body.replace("stablehlo.partition_id", "stablehlo.replica_id")
        body = re.sub(r"channel_handle = #stablehlo\.channel_handle<[^>]*>, |, use_global_device_ids|use_global_device_ids, ", "", body)
    return body


def drop_shardings(text):
    """The text without sdy attributes and constraints."""
    while match := re.search(r"(,\s*)?sdy\.sharding = #sdy\.sharding(_per_value)?<", text):
        end, depth = match.end(), 1
        while depth:
            depth += {"<": 1, ">": -1}.get(text[end], 0)
            end += 1
        follows = re.match(r",\s*", text[end:]) if not match.group(1) else None
        text = text[:match.start()] + text[end + (follows.end() if follows else 0):]
    text = re.sub(r"(%[\w#]+) = sdy\.(?:reshard|sharding_constraint) (%[\w#]+) <.*?> : (\S+)", r"\1 = stablehlo.optimization_barrier \2 : \3", text)
    text = re.sub(r",((?:\s|//.*\n)*\})", r"\1", text)
    return re.sub(r"\s*\{\s*\}(?=,|\)| :)", "", text)


def combine(text, folder):
    parts = split_parts(text)
    devices_are_replicas = "--partition_count=1" in text and "--replica_count=2" in text
    first, main = parts["part1.mlir"], parts["part2.mlir"]
    head, functions = split_functions(first)
    combined, is_gather = "", "explicit_gather_scatter" in folder
    for name, function in functions.items():
        if "sdy." in function and not is_gather:
            if "per_dim_gather" in main:   # one function under two names
                for alias in ("combined_gather", "per_dim_gather"):
                    renamed = {alias: function.replace(f"@{name}(", f"@{alias}(")}
                    combined += localize(head, renamed, alias, folder, devices_are_replicas)
            else:
                combined += localize(head, functions, name, folder, devices_are_replicas)
        else:
            combined += function
    if "@parallel_" in first and "@sequential_" not in first:
        combined += "".join(drop_shardings(f) for f in functions.values()).replace("parallel_", "sequential_")
    if is_gather:
        combined += first.replace("transformed_", "original_")
    # One declaration of each mesh that the functions' attributes name.
    meshes = dict.fromkeys(re.findall(r"^ *spmd\.mesh .*\n", combined, flags=re.M))
    return "".join(meshes) + re.sub(r"^ *spmd\.mesh .*\n", "", combined, flags=re.M) + main


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout")
    parser.add_argument("--name", default="", help="only files whose path has this part")
    parser.add_argument("--keep", help="leave the programs that were run in this folder")
    options = parser.parse_args()
    base = os.path.join(options.checkout, "shardy", "dialect", "sdy", "transforms")
    passed = failed = explained = 0
    with tempfile.TemporaryDirectory() as temporary:
        for path in sorted(path for folder in FOLDERS for path in glob.glob(os.path.join(base, folder, "*.mlir"))):
            if options.name not in path:
                continue
            name = os.path.relpath(path, base)
            folder = os.path.join(options.keep or temporary, name.replace("/", "_"))
            os.makedirs(folder, exist_ok=True)
            try:
                with open(path) as file:
                    combined = os.path.join(folder, "combined.mlir")
                    program = combine(file.read(), folder)
                with open(combined, "w") as file:
                    file.write(program)
                tool("partita-translate", "--interpret", combined)
                passed += 1
            except (RuntimeError, KeyError, ValueError) as error:
                why = EXPLAINED.get(os.path.basename(name)[:-5])
                explained += why is not None
                failed += why is None
                print(f"{'explained' if why else 'FAILED'} {name}: {why or error}")
    print(f"{passed} passed, {failed} failed, {explained} fail for reasons given")
    sys.exit(failed > 0 or passed == 0)


if __name__ == "__main__":
    main()
