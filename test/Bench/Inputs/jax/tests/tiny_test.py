"""As JAX's tests look: one that any partitioner passes, one module that is refused, one test that fails anyway."""
import unittest

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

MESH = jax.make_mesh((4, 2), ("x", "y"), (AxisType.Auto,) * 2)


class TinyTest(unittest.TestCase):
    def test_sum(self):
        rows = jax.device_put(jnp.arange(64.0).reshape(8, 8), NamedSharding(MESH, P("x", "y")))
        self.assertEqual(jax.jit(jnp.sum)(rows), 2016)

    def test_declared_equal(self):
        first = jax.shard_map(lambda a: a, mesh=MESH, in_specs=P("x"), out_specs=P(), check_vma=False)
        self.assertEqual(jax.jit(first)(jnp.arange(4.0)).shape, (1,))

    def test_fails(self):
        self.assertEqual(1, 2)


if __name__ == "__main__":
    unittest.main()
