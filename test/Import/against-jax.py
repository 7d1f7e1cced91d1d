# Every collective of shard_map, lowered with sdy and as mhlo.sharding strings,
# gives what JAX itself computes on eight CPU devices.
# REQUIRES: jax
# RUN: mkdir -p %t && %jax-python %s %t | FileCheck %s
# CHECK-NOT: differs
# CHECK: 11 programs in 2 forms agree
import os
import subprocess
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec as P

folder = sys.argv[1]
mesh = Mesh(np.array(jax.devices()).reshape(4, 2), ("x", "y"))
value = np.random.default_rng(0).normal(size=(32, 16)).astype(np.float32)
ring = [(i, (i + 1) % 4) for i in range(4)]

all_axes = dict(in_specs=P("x", "y"), out_specs=P(("x", "y")))
programs = {
    "all_to_all": (lambda a: (
        lax.all_to_all(a, "x", 0, 1, tiled=True),
        lax.all_to_all(a, "x", 1, 1, tiled=True),
        lax.all_to_all(a, ("y", "x"), 0, 1, tiled=True)), all_axes),
    "untiled_all_to_all": (lambda a: (
        lax.all_to_all(a.reshape(4, 2, 8), "x", 0, 2),
        lax.all_to_all(a.reshape(2, 4, 8), "x", 1, 1)), all_axes),
    "all_gather": (lambda a: (
        lax.all_gather(a, ("y", "x"), tiled=True),
        lax.all_gather(a, ("x", "y"), axis=2)), all_axes),
    "psum_scatter": (lambda a: (
        lax.psum_scatter(a, ("y", "x"), scatter_dimension=0, tiled=True),
        lax.psum_scatter(a[:4], "x", scatter_dimension=0)), all_axes),
    "ppermute": (lambda a: (
        lax.ppermute(a, ("x", "y"), [(k, (k + 3) % 8) for k in range(8)]),
        lax.ppermute(a, "x", ring),
        lax.ppermute(a, "x", [(0, 3), (2, 1)]),
        lax.pswapaxes(a.reshape(4, 2, 8), "x", 0)), all_axes),
    "axis_index_groups": (lambda a: (
        lax.psum(a, "x", axis_index_groups=[[0, 2], [1, 3]]),
        lax.all_gather(a, "x", axis_index_groups=[[0, 1], [2, 3]])), all_axes),
    "axis_index": (lambda a: (
        a * lax.axis_index("x"), a + lax.axis_index("y"), lax.pmax(a, "x"),
        lax.pmean(a, ("x", "y")), lax.pmin(a, "y")), all_axes),
    "cond": (lambda a: lax.cond(
        lax.axis_index("x") % 2 == 0, lambda b: b * 2, lambda b: -b, a), all_axes),
    "loop": (lambda a: lax.fori_loop(
        0, 3, lambda i, c: lax.ppermute(c, "x", ring) + lax.psum(c, "y"), a),
        all_axes),
    "scan": (lambda a: lax.scan(
        lambda c, i: (c * 2 + lax.axis_index("y"), lax.psum(c.sum() * i, "x")),
        a, jnp.arange(4.0))[0], all_axes),
    "partly_manual": (lambda a: lax.psum(a, "y") * lax.axis_index("y"), dict(
        in_specs=P(None, "y"), out_specs=P(None, "y"), axis_names={"y"})),
}

forms = (True, False)
for name, (body, options) in programs.items():
    program = jax.jit(lambda x: jax.shard_map(
        body, mesh=mesh, check_vma=False, **options)(x))
    for uses_sdy in forms:
        jax.config.update("jax_use_shardy_partitioner", uses_sdy)
        jax.clear_caches()
        source, inputs, outputs = (f"{folder}/{name}.{end}" for end in
                                   ("mlir", "in.npz", "out.npz"))
        with open(source, "w") as file:
            file.write(program.lower(value).as_text())
        np.savez(inputs, arg0=value)
        subprocess.run(["partita-run", source, "--engine=eval", "--inputs", inputs,
                        "--outputs", outputs], check=True, stdout=subprocess.DEVNULL)
        expected = jax.tree.leaves(program(value))
        results = np.load(outputs)
        for want, got in zip(expected, (results[key] for key in results.files),
                             strict=True):
            if not np.allclose(np.asarray(want), got, rtol=1e-4, atol=1e-4):
                print(f"{name} (sdy: {uses_sdy}) differs")
print(f"{len(programs)} programs in {len(forms)} forms agree")
