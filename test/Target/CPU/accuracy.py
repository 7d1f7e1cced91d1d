"""Functions of f32 as machine code, against f64: at most 4 units in the last place over all magnitudes, exact at the edges.

REQUIRES: jax
RUN: %jax-python %s %t
"""
import os
import subprocess
import sys
import warnings

import numpy as np

warnings.filterwarnings("ignore")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
random = np.random.default_rng(0)
EDGES = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1e-40, -1e-40, 1.17549435e-38, 3e38, -3e38, 88, 88.73, 89, -87.4, -104, 1, -1,
                  1 - 6e-8, 1 + 1e-7, 2, -2, 3, -3, 0.5, -0.5, 1e-8, -0.99999, 127, 128, 149, -149, -150, 1e10, 16777216, 16777215], np.float32)
# Those nearest to multiples of pi/2 are the hard ones of a reduction.
HARD = np.array([1.5707964, 3.1415927, 4.712389, 6.2831855, 16367173.5 * 2 ** 72, 5.3714e37, 2.0 ** 30, 2.0 ** 31, 1073741760], np.float32)


def make_inputs(count):
    wide = np.exp(random.uniform(-100, 88, count // 2)).astype(np.float32) * np.sign(random.standard_normal(count // 2)).astype(np.float32)
    x = np.concatenate([EDGES, HARD, -HARD, random.standard_normal(count // 4).astype(np.float32) * 3, wide])
    return np.concatenate([x, random.uniform(-90, 90, count - len(x)).astype(np.float32)])


def run(op, *inputs):
    kind = f"tensor<{len(inputs[0])}xf32>"
    arguments = ", ".join(f"%x{i}: {kind}" for i in range(len(inputs)))
    names = ", ".join(f"%x{i}" for i in range(len(inputs)))
    path = os.path.join(folder, "f")
    with open(path + ".mlir", "w") as file:
        file.write(f"func.func @main({arguments}) -> {kind} {{\n  %0 = stablehlo.{op} {names} : {kind}\n  return %0 : {kind}\n}}\n")
    np.savez(path + ".in.npz", *inputs)
    subprocess.run(["partita-run", path + ".mlir", "--engine=jit", "--no-cache", f"--inputs={path}.in.npz", f"--outputs={path}.npz"], check=True,
                   stdout=subprocess.DEVNULL)
    with np.load(path + ".npz") as file:
        return file["arr_0"]


def check(op, function, limit, *inputs):
    got = run(op, *inputs)
    exact = function(*(x.astype(np.float64) for x in inputs))
    want = exact.astype(np.float32)
    unit = np.maximum(np.spacing(np.abs(want)).astype(np.float64), 2.0 ** -149)
    same = (got == want) & (np.signbit(got) == np.signbit(want) if op in ("sine", "power") else True) | np.isnan(got) & np.isnan(want)
    tiny = (np.abs(exact) < 2.0 ** -126) & (got == 0) if op == "exponential" else False
    off = np.where(same | tiny, 0, np.abs(got.astype(np.float64) - exact) / unit)
    off = np.where(np.isnan(off), np.inf, off)
    worst = int(np.argmax(off))
    print(f"{op}: {off[worst]:.2f} units at {[float(x[worst]) for x in inputs]}: {got[worst]}, exact {exact[worst]}")
    return off[worst] <= limit


x = make_inputs(8000)
ok = [check(op, function, limit, x) for op, function, limit in [
    ("sine", np.sin, 1), ("cosine", np.cos, 1), ("exponential", np.exp, 4), ("log", np.log, 4), ("tanh", np.tanh, 4),
    ("exponential_minus_one", np.expm1, 4), ("log_plus_one", np.log1p, 4)]]
pairs = np.array([(a, b) for a in EDGES for b in EDGES], np.float32)
near = (1 + random.uniform(-1e-3, 1e-3, 3000)).astype(np.float32)
base = np.concatenate([pairs[:, 0], np.abs(make_inputs(3000)), near])
power = np.concatenate([pairs[:, 1], random.uniform(-4, 4, 3000).astype(np.float32), random.uniform(-1e5, 1e5, 3000).astype(np.float32)])
ok.append(check("power", np.power, 1, base, power))
sys.exit(not all(ok))
