# REQUIRES: jax
# RUN: env PYTHONPATH=%src/python JAX_PLATFORMS=cpu %jax-python %s %t.html
"""What package partita says of a program that JAX has lowered."""
import os
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

import partita
from partita import machines

mesh = jax.make_mesh((4, 2), ("data", "model"), (AxisType.Auto,) * 2)
on = lambda *spec: NamedSharding(mesh, P(*spec))
f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
step = jax.jit(lambda x, w, v: jax.nn.relu(x @ w) @ v, in_shardings=(on("data"), on(None, "model"), on("model")), out_shardings=on("data"))
lowered = step.lower(f32(64, 32), f32(32, 128), f32(128, 16))

plan = partita.plan(lowered)
assert (plan.devices, plan.sent_bytes, plan.launches, plan.collectives) == (8, 1024, 1, {"all_reduce": [1, 1024]}), plan
assert str(plan).splitlines()[1] == "  1 x all_reduce: 1024 bytes"
assert partita.plan(lowered.as_text(), objective="bytes") == plan
assert "chosen by cost" in partita.explain(lowered, "stablehlo.dot_general", machine="h100-nvlink")
partita.report(lowered, sys.argv[1])
with open(sys.argv[1]) as file:
    assert "<html" in file.read()
# Results that nobody sharded are laid out as JAX says, unless asked otherwise.
free = jax.jit(lambda x, w: x @ w, in_shardings=(on(None, "model"), on("model"))).lower(f32(64, 32), f32(32, 128))
assert partita.plan(free, results="free").sent_bytes < partita.plan(free).sent_bytes
partita.compare(lowered)
partita.compare(lowered, "unsharded")


def refuses(question, words):
    try:
        question()
    except partita.Refused as refusal:
        assert words in str(refusal) and words in refusal.details, refusal
        return
    sys.exit(f"not refused: {words}")


refuses(lambda: partita.plan("no such file.mlir"), "no such file.mlir")
refuses(lambda: partita.explain(lowered, "%99"), "no value or op '%99'")
refuses(lambda: partita.plan(lowered, memory_limit=10), "10 bytes")

os.environ["PARTITA_BIN"], os.environ["PATH"] = "", ""
tool = partita.tools.find
partita.tools.__file__ = "/nowhere/python/partita/tools.py"
try:
    tool("partita-run")
    sys.exit("a tool was found nowhere")
except partita.ToolMissing as error:
    assert "set PARTITA_BIN" in str(error)

for kind, machine in (("TPU v4", "tpu-v4"), ("TPU v5 lite", "tpu-v5e"), ("TPU v5", "tpu-v5p"), ("TPU v6 lite", "tpu-v6e"),
                      ("NVIDIA H100 80GB HBM3", "h100-nvlink")):
    assert machines.choose("gpu" if "NVIDIA" in kind else "tpu", kind) == machine, kind
