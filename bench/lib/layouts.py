"""Functions lowered with the layouts of their arguments."""
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec


def make_mesh(**axes):
    return jax.make_mesh(tuple(axes.values()), tuple(axes), (AxisType.Auto,) * len(axes))


def argument(shape, *spec, dtype=jnp.float32):
    """An argument of `shape`; `spec` names the axes of its dimensions, those left out are whole."""
    return jax.ShapeDtypeStruct(shape, dtype), PartitionSpec(*spec)


def scaled(scale):
    """`argument` with sizes from 32 on `scale` times larger."""
    def make(shape, *spec, **more):
        return argument(tuple(size * scale if size >= 32 else size for size in shape), *spec, **more)
    return make


class Programs(list):
    """(name, what lowers it) of each program that was added."""
    def add(self, name, mesh, function, *arguments):
        self.append((name, program(mesh, function, *arguments)))


def program(mesh, function, *arguments):
    """What lowers `function` on `mesh` to StableHLO text when it is called."""
    def lower():
        shardings = tuple(NamedSharding(mesh, spec) for _, spec in arguments)
        return jax.jit(function, in_shardings=shardings).lower(*(array for array, _ in arguments)).as_text()
    return lower
