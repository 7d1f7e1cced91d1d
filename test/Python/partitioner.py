# REQUIRES: jax
# RUN: rm -rf %t && mkdir %t
# RUN: env PYTHONPATH=%src/python JAX_PLATFORMS=cpu %jax-python %s %t
"""Package partita as JAX's partitioner: same results, fewer bytes, all that is refused said."""
import os
import sys
import warnings

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

import partita

mesh = jax.make_mesh((4, 2), ("data", "model"), (AxisType.Auto,) * 2)
x = jax.device_put(np.arange(8 * 16, dtype=np.float32).reshape(8, 16), NamedSharding(mesh, P("data", "model")))


def make_step():
    """A new function, which JAX has not compiled."""
    return jax.jit(lambda a: jnp.cumsum(jnp.sin(a), axis=1), out_shardings=NamedSharding(mesh, P("data", "model")))


want = make_step()(x)

# Inside, each module of several devices goes through Partita; outside none.
with partita.partitioner() as made:
    got = make_step()(x)
assert made.compiled >= 1 and not made.refused, (made.compiled, made.refused)
assert got.sharding == want.sharding
np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
before = made.compiled
make_step()(x)
assert made.compiled == before

# The one that was enabled last counts; the machine is the devices' own.
first = partita.enable()
second = partita.enable(objective="bytes")
make_step()(x)
assert (first.compiled, second.compiled) == (0, 1)
assert second.get_options(np.array(jax.devices())) == {"objective": "bytes", "machine": "cpu"}
partita.disable()
make_step()(x)
assert second.compiled == 1

# The persistent cache knows both forms apart.
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
make_step()(x)
entries = set(os.listdir(sys.argv[1]))
with partita.partitioner():
    make_step()(x)
assert set(os.listdir(sys.argv[1])) > entries, "the manual form was taken for the original"
jax.config.update("jax_compilation_cache_dir", None)

# A refusal is said and left to XLA, or raised.
for policy in ("warn", "ignore", "raise"):
    with partita.partitioner(on_refusal=policy, machine="abacus") as made, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            np.testing.assert_allclose(make_step()(x), want, rtol=1e-5, atol=1e-5)
            assert policy != "raise"
        except partita.Refused as refusal:
            assert policy == "raise" and "abacus" in str(refusal)
    assert made.compiled == 0 and "unknown machine 'abacus'" in made.refused[0], made.refused
    assert any("abacus" in str(warning.message) for warning in caught) == (policy == "warn")
try:
    partita.enable(on_refusal="shout")
    sys.exit("a wrong policy was taken")
except ValueError as error:
    assert "use one of warn, raise, ignore" in str(error)
