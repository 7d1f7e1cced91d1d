# REQUIRES: jax, shardy
# RUN: %jax-python %s --partita-opt partita-opt --expect %S/Inputs/parity-expected.txt %shardy
"""Compares propagation with Shardy's, program by program.

    parity.py [--partita-opt PATH] [--filter TEXT] [--random N] [-v] PATH...

A PATH is a checkout of openxla/shardy (its propagation tests are taken, one
program per entry function) or a file of MLIR. Each program runs through the passes
of `sdy-propagation-pipeline` in jaxlib and through import and propagation here; shardings of
arguments, function results and op results are compared. With --random, N copies of each
program get random shardings on arguments and results and take its place. Prints one line per
program that differs and the counts; exits with 1 if a program differs that the
file of --expect doesn't list, or one listed there is equal.
"""
import argparse
import collections
import glob
import os
import pickle
import random
import re
import subprocess
import sys

from jaxlib.mlir import ir
from jaxlib.mlir.passmanager import PassManager
from jax._src.interpreters import mlir as jax_mlir

TAG = "parity_tag"
TESTS = "shardy/dialect/sdy/transforms/propagation/test/*.mlir"
# Files whose tests print rules, or need an option that the pipeline lacks.
SKIPPED = ("op_sharding_rule", "conservative", "dedup_functions_fully")


def walk(op):
    """All ops in and under `op`, in order."""
    yield op
    for region in op.regions:
        for block in region.blocks:
            for inner in block.operations:
                yield from walk(inner.operation)


def symbol(op):
    return ir.StringAttr(op.attributes["sym_name"]).value


def callees(op):
    return [ir.FlatSymbolRefAttr(o.attributes["callee"]).value
            for o in walk(op) if o.name == "func.call"]


def split_programs(path):
    """(name, text) of each entry function with what it needs, ops tagged."""
    for number, chunk in enumerate(open(path).read().split("// -----")):
        if "func.func" not in chunk:
            continue
        try:
            module = ir.Module.parse(chunk)
        except ir.MLIRError:
            yield f"chunk {number}", None
            continue
        ops = [op.operation for op in module.body.operations]
        functions = {symbol(op): op for op in ops if op.name == "func.func"}
        called = {c for f in functions.values() for c in callees(f)}
        for name, function in functions.items():
            if name in called:
                continue
            needed, queue = [], [name]
            while queue:
                current = queue.pop()
                if current not in needed and current in functions:
                    needed.append(current)
                    queue += callees(functions[current])
            yield name, make_program(ops, name, needed)


def remove_edges(program):
    """Takes out data flow edges that a test wrote itself: the pipeline adds them.

    Their shardings go to the op whose results they are."""
    for op in list(walk(program.operation)):
        if op.name not in ("sdy.data_flow_edge", "sdy.func_data_flow_edge"):
            continue
        value = op.operands[0]
        sharding = op.attributes["sharding"] if "sharding" in op.attributes else None
        owner = value.owner
        if sharding is not None and isinstance(owner, (ir.OpView, ir.Operation)):
            owner = owner.operation if isinstance(owner, ir.OpView) else owner
            index = ir.OpResult(value).result_number
            if owner.name != "sdy.manual_computation":
                set_result_sharding(owner, index, str(sharding))
        op.results[0].replace_all_uses_with(value)
        op.erase()


def set_result_sharding(op, index, sharding):
    mesh = SHARDING.search(sharding).group(1)
    entries = []
    if "sdy.sharding" in op.attributes:
        entries = [str(a) for a in
                   re.findall(r"<@.*?\](?:, \w+=.*?)?>", str(op.attributes["sdy.sharding"]))]
    if len(entries) != len(op.results):
        entries = []
        for result in op.results:
            rank = ir.RankedTensorType(result.type).rank if whole(result.type) else 0
            entries.append(f"<@{mesh}, [{', '.join(['{?}'] * rank)}]>")
    entries[index] = sharding[sharding.index("<"):]
    op.attributes["sdy.sharding"] = ir.Attribute.parse(
        f"#sdy.sharding_per_value<[{', '.join(entries)}]>")


def give_empty_rule(op):
    """A rule along which nothing passes, for calls that have none."""
    sizes = []

    def mapping(values):
        tensors = []
        for value in values:
            shape = ir.RankedTensorType(value.type).shape if whole(value.type) else []
            tensors.append("[%s]" % ", ".join(factor(size) for size in shape))
        return ", ".join(tensors)

    def factor(size):
        number = len(sizes)
        name = chr(ord("i") + number) if number <= 17 else f"z_{number - 17}"
        sizes.append(f"{name}={size}")
        return name

    operands, results = mapping(op.operands), mapping(op.results)
    values = list(op.operands) + list(op.results)
    if not operands or not results or not all(whole(v.type) for v in values):
        return
    op.attributes["sdy.sharding_rule"] = ir.Attribute.parse(
        f"#sdy.op_sharding_rule<({operands})->({results}) "
        f"{{{', '.join(sizes)}}}, custom>")


def make_program(ops, entry, needed):
    program = ir.Module.create(ir.Location.unknown())
    with ir.InsertionPoint(program.body):
        for op in ops:
            if op.name != "func.func" or symbol(op) in needed:
                op.clone()
    for op in program.body.operations:
        if op.operation.name == "func.func" and symbol(op.operation) == entry:
            op.operation.attributes["sym_name"] = ir.StringAttr.get("main")
            op.operation.attributes["sym_visibility"] = ir.StringAttr.get("public")
    remove_edges(program)
    for op in walk(program.operation):
        if op.name == "stablehlo.custom_call" and "sdy_testonly" in str(
                op.attributes["call_target_name"]):
            give_empty_rule(op)
    i64 = ir.IntegerType.get_signless(64)
    for i, op in enumerate(walk(program.operation)):
        if op.name not in ("builtin.module", "func.func", "sdy.mesh"):
            op.attributes[TAG] = ir.IntegerAttr.get(i64, i)
    return str(program)


FLOW = ("builtin.module", "func.func", "stablehlo.while", "stablehlo.case")


def add_constraints(op, sharding, generator):
    """Constrains some results of ops under `op`, manual regions left out."""
    if op.name not in FLOW:
        return
    for region in op.regions:
        for block in region.blocks:
            for inner in list(block.operations):
                inner = inner.operation
                add_constraints(inner, sharding, generator)
                if inner.name.startswith("sdy.") or op.name == "builtin.module":
                    continue
                for value in inner.results:
                    attribute = sharding(value.type, 0.1)
                    if attribute is None:
                        continue
                    constraint = ir.Operation.create(
                        "sdy.sharding_constraint", [value.type], [value],
                        {"sharding": ir.Attribute.parse(re.sub(r"p\d", "", str(attribute)))},
                        ip=ir.InsertionPoint(next_op(block, inner)))
                    if generator.random() < 0.7:
                        value.replace_all_uses_except(constraint.results[0], constraint)


def next_op(block, op):
    ops = [o.operation for o in block.operations]
    return ops[ops.index(op) + 1]


def randomize(text, generator):
    """The program with random shardings on arguments and results."""
    module = ir.Module.parse(text)
    meshes = {symbol(op.operation): re.findall(r'"(\w+)"=(\d+)',
                                               str(op.operation.attributes["mesh"]))
              for op in module.body.operations if op.operation.name == "sdy.mesh"}
    meshes = {name: axes for name, axes in meshes.items() if axes}
    if not meshes:
        mesh_text = 'sdy.mesh @random_mesh = <["a"=2, "b"=3, "c"=4]>'
        module = ir.Module.parse(text.replace("{", "{\n" + mesh_text, 1))
        meshes = {"random_mesh": [("a", "2"), ("b", "3"), ("c", "4")]}
    mesh, axes = next(iter(meshes.items()))

    def sharding(value_type, chance):
        if whole(value_type) is None or generator.random() > chance:
            return None
        free = generator.sample(axes, len(axes))
        dims = []
        for size in ir.RankedTensorType(value_type).shape:
            dim = []
            while free and generator.random() < 0.5 and size % int(free[-1][1]) == 0:
                name, axis_size = free.pop()
                size //= int(axis_size)
                dim.append(f'"{name}"')
            is_open = generator.random() < 0.7
            text = "{" + ", ".join(dim + ["?"] * is_open) + "}"
            if (dim or is_open) and generator.random() < 0.15:
                text += generator.choice(["p0", "p1", "p2"])
            dims.append(text)
        return ir.Attribute.parse(f"#sdy.sharding<@{mesh}, [{', '.join(dims)}]>")

    add_constraints(module.operation, sharding, generator)
    for top in module.body.operations:
        function = top.operation
        if function.name != "func.func" or symbol(function) != "main":
            continue
        kind = ir.FunctionType(ir.TypeAttr(function.attributes["function_type"]).value)
        for attribute, types, chance in (("arg_attrs", kind.inputs, 0.7),
                                         ("res_attrs", kind.results, 0.2)):
            chosen = [sharding(t, chance) for t in types]
            function.attributes[attribute] = ir.ArrayAttr.get(
                [ir.DictAttr.get({"sdy.sharding": c} if c else {}) for c in chosen])
    return str(module)


SHARDING = re.compile(r"(?:#sdy\.sharding|#spmd\.sharding)?<@([\w.\"-]+), \[(.*?)\]"
                      r"((?:, (?:replicated|unreduced)=(?:\[\w+\])?\{[^}]*\})*)>")


def normalize(text):
    """The shardings in the text of an attribute, in one form for both sides."""
    result = []
    for _, dims, rest in SHARDING.findall(text):
        dims = [d.replace(" ", "") for d in re.findall(r"\{(.*?)\}p?\d*", dims)]
        # Rank and mesh say nothing about a value that is whole.
        dims = tuple(",".join(a for a in d.split(",") if a != "?") for d in dims)
        unreduced = re.search(r"unreduced=(?:\[\w+\])?\{([^}]*)\}", rest)
        dims = dims if any(dims) else ()
        result.append((dims, unreduced.group(1) if unreduced else ""))
    return result


def whole(value_type):
    try:
        ir.RankedTensorType(value_type)
        return ((), "")
    except ValueError:
        return None


def result_shardings(op):
    attributes = op.attributes
    for name in ("spmd.shardings", "sdy.sharding", "sharding", "out_shardings"):
        if name in attributes:
            found = normalize(str(attributes[name]))
            break
    else:
        found = []
    wholes = [whole(r.type) for r in op.results]
    if len(found) != len(wholes):
        found = wholes
    return tuple(None if w is None else f for f, w in zip(found, wholes))


def collect(module):
    """Shardings of `module` by place."""
    found = collections.defaultdict(set)
    for top in module.body.operations:
        function = top.operation
        if function.name != "func.func":
            continue
        if symbol(function) == "main":
            kind = ir.FunctionType(
                ir.TypeAttr(function.attributes["function_type"]).value)
            for what, types, attribute in (("argument", kind.inputs, "arg_attrs"),
                                           ("result", kind.results, "res_attrs")):
                dicts = (list(ir.ArrayAttr(function.attributes[attribute]))
                         if attribute in function.attributes else [])
                for i, value_type in enumerate(types):
                    if whole(value_type) is None:
                        continue
                    text = ""
                    if i < len(dicts):
                        entry = ir.DictAttr(dicts[i])
                        for name in ("sdy.sharding", "spmd.sharding"):
                            if name in entry:
                                text = str(entry[name])
                    found[f"{what} {i}"].add(
                        (normalize(text) or [whole(value_type)])[0])
        for op in walk(function):
            if TAG in op.attributes and len(op.results):
                tag = ir.IntegerAttr(op.attributes[TAG]).value
                found[f"op {tag}"].add(result_shardings(op))
                if op.name in ("sdy.manual_computation", "spmd.manual"):
                    found[f"op {tag} inputs"].add(
                        tuple(normalize(str(op.attributes["in_shardings"]))))
    return found


# `sdy-propagation-pipeline` without its last part, which inserts reshards and
# changes the shardings of ops for that.
SHARDY_PASSES = ",".join("""
    sdy-import-pipeline sdy-flatten-call-graph symbol-dce sdy-import-func-calls
    symbol-dce sdy-apply-sharding-constraints sdy-sharding-group-import
    sdy-pre-order-funcs sdy-user-priority-propagate sdy-export-named-computations
    sdy-propagate-to-func-results func.func(sdy-sink-data-flow-edges)
    sdy-remove-sharding-groups func.func(sdy-sharding-constraint-to-reshard)
    sdy-update-non-divisible-input-output-shardings
    sdy-remove-sub-axes-in-input-output-shardings sdy-close-shardings
    """.split())
UNARY_CHLO = re.compile(r"chlo\.(?:square|erfc|erf_inv|erf) (.*?) : (\S+) -> (\S+)")


def run_shardy(text):
    """What Shardy finds, None if it refuses; its aborts end a child only."""
    receiver, sender = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(receiver)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        found = None
        try:
            # XLA legalises CHLO before it propagates; any unary op does here.
            module = ir.Module.parse(UNARY_CHLO.sub(
                r"stablehlo.tanh \1 : (\2) -> \3", text))
            PassManager.parse(f"builtin.module({SHARDY_PASSES})").run(
                module.operation)
            found = dict(collect(module))
        except ir.MLIRError:
            pass
        with os.fdopen(sender, "wb") as stream:
            pickle.dump(found, stream)
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as stream:
        data = stream.read()
    os.waitpid(child, 0)
    return pickle.loads(data) if data else None


def run_partita(text, options):
    run = subprocess.run(
        [options.partita_opt, "--mlir-print-op-generic", "--partita=to=propagated uneven-io=pad check-rep=warn",
         "-"], input=text, capture_output=True, text=True)
    if run.returncode:
        raise RuntimeError(run.stderr.strip().split("\n")[0])
    if options.verbose > 1:
        print(run.stdout)
    # A call inside an op that jaxlib doesn't know finds no symbol table there.
    return collect(ir.Module.parse(run.stdout.replace('"func.call"', '"any.call"')))


def compare(text, options):
    """Places at which the two differ; None if Shardy refuses the program."""
    theirs = run_shardy(text)
    if theirs is None:
        return None
    try:
        ours = run_partita(text, options)
    except (RuntimeError, ir.MLIRError) as error:
        return [f"refused: {error}"]
    given = collect(ir.Module.parse(text))

    def is_kept(place):
        # What the user wrote on the signature stays; Shardy cuts uneven axes.
        if place.split()[0] not in ("argument", "result"):
            return False
        sides = [next(iter(side[place]))[0] for side in (ours, given, theirs)]
        rank = max(map(len, sides))
        sides = [side or ("",) * rank for side in sides]
        return all(o == t or o == g for o, g, t in zip(*sides))

    # Dead ops are gone from Shardy's output.
    return [f"{place}: shardy {sorted(map(str, theirs[place]))}, "
            f"here {sorted(map(str, ours[place]))}"
            for place in theirs
            if place in ours and theirs[place] != ours[place] and not is_kept(place)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--partita-opt", default="partita-opt")
    parser.add_argument("--filter", default="")
    parser.add_argument("--expect", help="names of programs that may differ")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("-v", dest="verbose", action="count", default=0)
    parser.add_argument("paths", nargs="+")
    options = parser.parse_args()
    files = []
    for path in options.paths:
        files += (sorted(glob.glob(os.path.join(path, TESTS)))
                  if os.path.isdir(path) else [path])
    expected = set()
    if options.expect:
        expected = {line.split("#")[0].strip() for line in open(options.expect)}
    equal, different, refused, unexpected = 0, 0, 0, []
    for file in files:
        # Rules alone propagate nothing, but random shardings test them.
        skipped = SKIPPED[options.random > 0:]
        if any(word in os.path.basename(file) for word in skipped):
            continue
        programs = [(name, text) for name, text in split_programs(file) if text]
        if options.random:
            programs = [(f"{name}#{i}",
                         randomize(text, random.Random(f"{name}#{i}")))
                        for name, text in programs for i in range(options.random)]
        for name, text in programs:
            full = f"{os.path.basename(file)}:{name}"
            if options.filter not in full:
                continue
            if options.verbose > 1:
                print(text)
            places = compare(text, options)
            if places is None:
                refused += 1
                continue
            equal += not places
            different += bool(places)
            if bool(places) != (full in expected):
                unexpected.append(full)
            if places:
                print(f"{full}: {len(places)} differ")
                for place in places[:100 if options.verbose else 1]:
                    print(f"    {place}")
    print(f"{equal} equal, {different} different, {refused} refused by Shardy")
    sys.exit(1 if unexpected else 0)


if __name__ == "__main__":
    context = jax_mlir.make_ir_context()
    context.allow_unregistered_dialects = True
    context.enable_multithreading(False)  # children are forked
    with context, ir.Location.unknown():
        main()
