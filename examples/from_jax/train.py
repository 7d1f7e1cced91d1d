"""Trains a small network on eight devices with Partita as JAX's partitioner, and says what each of its devices sends.

    PYTHONPATH=python python examples/from_jax/train.py
"""
import os

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

import partita

mesh = jax.make_mesh((4, 2), ("data", "model"), (AxisType.Auto,) * 2)
on = lambda *spec: NamedSharding(mesh, P(*spec))


def loss(weights, x, y):
    hidden = jnp.tanh(x @ weights["in"])
    return jnp.mean((hidden @ weights["out"] - y) ** 2)


@jax.jit
def step(weights, x, y):
    value, gradients = jax.value_and_grad(loss)(weights, x, y)
    return jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradients), value


keys = jax.random.split(jax.random.key(0), 3)
weights = {"in": jax.device_put(jax.random.normal(keys[0], (16, 64)) / 4, on(None, "model")),
           "out": jax.device_put(jax.random.normal(keys[1], (64, 16)) / 8, on("model", None))}
x = jax.device_put(jax.random.normal(keys[2], (128, 16)), on("data", None))
y = jnp.sin(x)

print(partita.plan(step.lower(weights, x, y)))
made = partita.enable(on_refusal="raise")
for number in range(20):
    weights, value = step(weights, x, y)
    if number % 5 == 4:
        print(f"step {number + 1}: loss {value:.4f}")
print(f"{made.compiled} modules partitioned by Partita")
