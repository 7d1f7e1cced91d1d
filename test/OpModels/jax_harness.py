"""Judges op models by JAX's own single-primitive programs.

usage: jax_harness.py --out DIR [--group NAME]... [--name PART] [--per-group 12] [--table FILE] [--again] [--engine jit] [--floats-only]

Every group of jax._src.internal_test_util.test_harnesses gives up to twelve programs. Each is lowered to StableHLO, gets one random sharding of its
arguments and results (devices 8, 2x4 or 2x3, uneven blocks included), and is run by partita-run:
  floats   partitioned, on the arguments that JAX's result was computed from: equal to JAX's result
  exact    over the prime field: the partition equals the whole program
Verdicts are equal, refused (the reason follows), DIFFERENT, CRASH. The last lines count them by primitive. Status 1: a difference or crash.
--engine says what computes the floats: eval (default) or jit; --floats-only leaves the exact comparison, the evaluator's, out.
DIR keeps what JAX made; a later call with --again judges it anew without JAX.
"""
import argparse
import collections
import hashlib
import json
import os
import random
import subprocess
import sys
import time

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import numpy as np

MESHES = [[("x", 8)], [("x", 2), ("y", 4)], [("x", 2), ("y", 3)]]
TOLERANCE = {"f8": 1e-9, "c16": 1e-9, "f4": 2e-4, "c8": 2e-4, "f2": 2e-2, "V2": 4e-2}
LIMIT = 60   # seconds a run may take
# Vectors that are unique only up to a phase are compared by absolute values; those that complete a basis not at all.
UP_TO_PHASE = ("eig", "eigh", "svd")


def random_sharding(rng, mesh, shape):
    """Axes per dimension: each axis of the mesh goes to one dimension of more than one element, or nowhere."""
    dims = [[] for _ in shape]
    candidates = [dim for dim, size in enumerate(shape) if size > 1]
    axes = [name for name, _ in mesh]
    rng.shuffle(axes)
    for axis in axes:
        if candidates and rng.random() < 0.8:
            dims[rng.choice(candidates)].append(axis)
    return "[" + ", ".join("{" + ", ".join(f'"{axis}"' for axis in dim) + "}" for dim in dims) + "]"


def add_shardings(module, seed):
    """Puts a mesh, and shardings of main's arguments and of most results, into the module."""
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import func as _, sdy as _
    rng = random.Random(seed)
    mesh = rng.choice(MESHES)
    with module.context:
        main = next(op for op in module.body.operations if op.operation.name == "func.func" and op.attributes["sym_name"].value == "main")
        def attributes(types, existing, probability):
            result = []
            for index, type in enumerate(types):
                given = {attr.name: attr.attr for attr in ir.DictAttr(existing[index])} if existing is not None else {}
                if isinstance(type, ir.RankedTensorType) and rng.random() < probability:
                    shape = type.shape
                    given["sdy.sharding"] = ir.Attribute.parse(f"#sdy.sharding<@mesh, {random_sharding(rng, mesh, shape)}>")
                result.append(ir.DictAttr.get(given))
            return ir.ArrayAttr.get(result)
        type = ir.FunctionType(main.attributes["function_type"].value)
        for name, types, probability in [("arg_attrs", type.inputs, 1.0), ("res_attrs", type.results, 0.7)]:
            main.attributes[name] = attributes(types, main.attributes[name] if name in main.attributes else None, probability)
        text = module.operation.get_asm(assume_verified=True)   # the mesh comes below
    axes = ", ".join(f'"{name}"={size}' for name, size in mesh)
    head, rest = text.split("\n", 1)
    while head.startswith("#"):
        raise RuntimeError("aliases before the module")
    devices = int(np.prod([size for _, size in mesh]))
    head = head.replace("mhlo.num_partitions = 1 :", f"mhlo.num_partitions = {devices} :")
    return f"{head}\n  sdy.mesh @mesh = <[{axes}]>\n{rest}"


def flatten(values):
    import jax
    return [np.asarray(jax.random.key_data(v) if jax.dtypes.issubdtype(getattr(v, "dtype", None), jax.dtypes.prng_key) else v)
            for v in jax.tree_util.tree_leaves(values)]


def lower(harness, path):
    """Writes program, arguments and JAX's result."""
    import jax
    args = harness.dyn_args_maker(np.random.RandomState(0))
    arrays = [jax.numpy.asarray(arg) if not isinstance(arg, jax.Array) else arg for arg in args]
    lowered = jax.jit(harness.dyn_fun, keep_unused=True).lower(*arrays)
    seed = int(hashlib.sha256(harness.fullname.encode()).hexdigest()[:8], 16)
    results = flatten(lowered.compile()(*arrays))
    text = add_shardings(lowered.compiler_ir("stablehlo"), seed)
    np.savez(path + ".in.npz", *flatten(arrays))
    np.savez(path + ".want.npz", *results)
    # numpy forgets what bfloat16 and the 8-bit floats are.
    with open(path + ".json", "w") as file:
        json.dump({"group": harness.group_name, "dtypes": [str(r.dtype) for r in results]}, file)
    with open(path, "w") as file:
        file.write(text)


def file_name(name):
    """The name, or its start and a hash where a file system would not take it."""
    return name if len(name) < 120 else name[:100] + "_" + hashlib.sha256(name.encode()).hexdigest()[:8]


def choose(groups, name, per_group):
    import jax
    jax.config.update("jax_enable_x64", True)
    from jax._src.internal_test_util import test_harnesses
    by_group = collections.defaultdict(list)
    for harness in test_harnesses.all_harnesses:
        if harness.filter("cpu") and (not groups or harness.group_name in groups):
            by_group[harness.group_name].append(harness)
    for group in sorted(by_group):
        members = sorted(by_group[group], key=lambda h: hashlib.sha256(h.fullname.encode()).digest())[:per_group]
        yield from (harness for harness in members if name in harness.fullname)


def as_floats(array, dtype):
    """Arrays of types that numpy does not know, as float32."""
    import ml_dtypes
    if array.dtype.kind == "V":
        array = array.view(np.dtype(getattr(ml_dtypes, dtype)))
    return array.astype(np.float32) if dtype in ("bfloat16",) or dtype.startswith("float8") else array


def differ(got, want, dtype):
    """What differs, or an empty string."""
    key = "V2" if dtype == "bfloat16" else np.dtype(want.dtype).str[1:] if want.dtype.kind != "V" else "V2"
    got, want = as_floats(got, dtype), as_floats(want, dtype)
    if got.shape != want.shape:
        return f"shape {got.shape}, JAX has {want.shape}"
    if want.size == 0:
        return ""
    if want.dtype.kind not in "fc":
        bad = np.argwhere(got != want)
        return f"{len(bad)} of {want.size} differ, first at {bad[0].tolist()}: {got[tuple(bad[0])]}, JAX {want[tuple(bad[0])]}" if len(bad) else ""
    nan = np.isnan(got) != np.isnan(want)
    inf = (np.isinf(got) | np.isinf(want)) & (got != want) & ~np.isnan(want)
    finite = np.isfinite(got) & np.isfinite(want)
    scale = max(np.max(np.abs(want[finite]), initial=0), 1e-30)
    with np.errstate(all="ignore"):
        far = finite & (np.abs(got - want) > TOLERANCE.get(key, 2e-2) * scale)
    bad = np.argwhere(nan | inf | far)
    return f"{len(bad)} of {want.size} differ, first at {bad[0].tolist()}: {got[tuple(bad[0])]}, JAX {want[tuple(bad[0])]}" if len(bad) else ""


def canonical(group, arrays):
    """The results with what may differ between right answers taken away."""
    if group not in UP_TO_PHASE:
        return arrays
    if group == "eig":
        # Eigenvalues in one order, and the vectors with them.
        order = np.argsort(np.round(arrays[0].real, 4) + 1e-3 * np.abs(np.round(arrays[0].imag, 4)), axis=-1, kind="stable")
        arrays = [np.take_along_axis(arrays[0], order, -1)] + [np.take_along_axis(v, order[..., None, :], -1) for v in arrays[1:]]
        return [np.sort_complex(np.round(arrays[0], 3))] + [np.sort(np.abs(v), axis=-1) for v in arrays[1:]]
    arrays = [np.abs(a) if a.dtype.kind == "c" or a.ndim > 1 else a for a in arrays]
    if group == "svd" and len(arrays) == 3:
        values = next(a for a in arrays if a.ndim == min(x.ndim for x in arrays))
        count = values.shape[-1]
        return [a if a is values else a[..., :count, :] if i == 2 else a[..., :, :count] for i, a in enumerate(arrays)]
    return arrays


def is_compared(name, index):
    """False for results that a right answer may give in another order: what an unstable sort does with equal keys, indices of equal elements."""
    if name.startswith("approx_top_k"):
        return index == 0
    if not name.startswith("sort_") or "isstable_False" not in name:
        return True
    return index < int(name.split("num_keys_")[1].split("_")[0].split(".")[0])


def run(path, *arguments):
    try:
        result = subprocess.run(["partita-run", path, "--json", "--partita=uneven-io=pad", *arguments], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "SLOW", f"ran over {LIMIT} s"
    if result.returncode < 0 or "PLEASE submit a bug" in result.stderr:
        return "CRASH", f"status {result.returncode}: {result.stderr.strip()[:200]}"
    if result.stdout.startswith("{"):
        report = json.loads(result.stdout)
        return ("equal", "") if report.get("equal", True) else ("DIFFERENT", f"max |difference| {report['max_abs_diff']:g}")
    errors = [line for line in result.stderr.splitlines() if "error:" in line]
    return "refused", errors[0].split("error:", 1)[1].strip() if errors else result.stderr.strip()[:200]


def judge(path, engine, floats_only):
    """(verdict, reason) of one program."""
    with open(path + ".json") as file:
        facts = json.load(file)
    out = path + ".out.npz"
    verdict, reason = run(path, f"--inputs={path}.in.npz", f"--outputs={out}", f"--engine={engine}")
    if verdict not in ("equal", "DIFFERENT"):
        return verdict, reason
    found = [f"floats: {reason}"] if verdict == "DIFFERENT" else []
    with np.load(path + ".want.npz") as want, np.load(out) as got:
        count = range(len(facts["dtypes"]))
        wants, gots = (canonical(facts["group"], [file[f"arr_{index}"] for index in count]) for file in (want, got))
        for index, dtype in enumerate(facts["dtypes"]):
            difference = is_compared(os.path.basename(path), index) and differ(gots[index], wants[index], dtype)
            if difference:
                found.append(f"result {index}: {difference}")
    verdict, reason = ("equal", "") if floats_only else run(path, "--compare=exact")
    # The field lacks roots of unity of some orders: such transforms have floats alone.
    if verdict != "equal" and "no root of unity" not in reason:
        found.append(f"exact: {verdict} {reason}")
    return ("DIFFERENT", "; ".join(found)) if found else ("equal", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--group", action="append", default=[])
    parser.add_argument("--name", default="", help="only programs whose name has this part")
    parser.add_argument("--per-group", type=int, default=12)
    parser.add_argument("--again", action="store_true", help="judge the programs that DIR has; JAX is not started")
    parser.add_argument("--lower-only", action="store_true")
    parser.add_argument("--engine", default="eval", help="what computes the floats; exact is the evaluator's")
    parser.add_argument("--floats-only", action="store_true", help="leave the exact comparison out")
    parser.add_argument("--table", help="write one line per program here")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    paths = []
    if options.again:
        paths = sorted(os.path.join(options.out, name) for name in os.listdir(options.out) if name.endswith(".mlir") and options.name in name)
    else:
        for harness in choose(options.group, options.name, options.per_group):
            path = os.path.join(options.out, file_name(harness.fullname) + ".mlir")
            try:
                if not os.path.exists(path):
                    lower(harness, path)
                paths.append(path)
            except Exception as error:
                print(f"{harness.fullname}: JAX can't lower it: {type(error).__name__}: {str(error).splitlines()[0][:120] if str(error) else ''}", flush=True)
    if options.lower_only:
        print(f"{len(paths)} programs lowered")
        return
    counts, lines, start = collections.defaultdict(collections.Counter), [], time.time()
    for path in paths:
        with open(path + ".json") as file:
            group = json.load(file)["group"]
        if options.group and group not in options.group:
            continue
        verdict, reason = judge(path, options.engine, options.floats_only)
        counts[group][verdict] += 1
        lines.append(f"{verdict:9s} {os.path.basename(path)[:-5]}  {reason}")
        if verdict != "equal":
            print(lines[-1], flush=True)
    if options.table:
        with open(options.table, "w") as file:
            file.write("\n".join(lines) + "\n")
    verdicts = ["equal", "refused", "DIFFERENT", "CRASH", "SLOW"]
    print(f"{'primitive':36s} " + " ".join(f"{v:>9s}" for v in verdicts))
    for group in sorted(counts):
        print(f"{group:36s} " + " ".join(f"{counts[group][v]:9d}" for v in verdicts))
    total = sum(counts.values(), collections.Counter())
    print(f"{'all':36s} " + " ".join(f"{total[v]:9d}" for v in verdicts) + f"   {time.time() - start:.0f} s")
    sys.exit(any(total[v] for v in verdicts[2:]) or not lines)


if __name__ == "__main__":
    main()
