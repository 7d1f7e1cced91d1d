"""A training step, data and tensor parallel on 4x2 devices. Prints its StableHLO.

usage: python train_step.py > train_step.mlir     (needs: pip install jax)
"""
import os
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

mesh = jax.make_mesh((4, 2), ("data", "model"), (AxisType.Auto,) * 2)
on = lambda *spec: NamedSharding(mesh, P(*spec))

def loss(params, x, y):
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    return jnp.mean((hidden @ params["w2"] - y) ** 2)

def step(params, x, y):
    value, grads = jax.value_and_grad(loss)(params, x, y)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
params = {"w1": f32(48, 96), "b1": f32(96), "w2": f32(96, 24)}
layout = {"w1": on(None, "model"), "b1": on("model"), "w2": on("model", None)}
print(jax.jit(step, in_shardings=(layout, on("data"), on("data")), out_shardings=(layout, on()))
      .lower(params, f32(64, 48), f32(64, 24)).as_text())
