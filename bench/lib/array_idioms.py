"""One operation of jax.numpy or lax each, on a matrix in blocks of both dimensions and in rows over all devices."""
import jax
import jax.numpy as jnp
from jax import lax

from layouts import argument, make_mesh, program

SHAPE = (1024, 512)


def differences(mode):
    """Central differences along the rows of a matrix that jnp.pad continues."""
    def function(a):
        padded = jnp.pad(a, ((1, 1), (0, 0)), mode=mode)
        return padded[2:] - padded[:-2]
    return function


def recurrence(left, right):
    return left[0] * right[0], right[0] * left[1] + right[1]


def halves(axis):
    def function(a):
        first, second = jnp.split(a, 2, axis=axis)
        return first * second
    return function


UNARY = {
    "diff0": lambda a: jnp.diff(a, axis=0),
    "diff1": lambda a: jnp.diff(a, axis=1),
    "gradient": lambda a: jnp.gradient(a, axis=0),
    "cumsum0": lambda a: jnp.cumsum(a, axis=0),
    "cumsum1": lambda a: jnp.cumsum(a, axis=1),
    "cumprod": lambda a: jnp.cumprod(a, axis=0),
    "cummax": lambda a: lax.cummax(a, axis=0),
    "flip0": lambda a: jnp.flip(a, 0),
    "flip1": lambda a: jnp.flip(a, 1),
    "roll": lambda a: jnp.roll(a, (1, -1), (0, 1)),
    "sort0": lambda a: jnp.sort(a, axis=0),
    "sort1": lambda a: jnp.sort(a, axis=1),
    "argsort": lambda a: jnp.argsort(a, axis=1),
    "median": lambda a: jnp.median(a, axis=1),
    "quantile": lambda a: jnp.quantile(a, 0.5, axis=0),
    "argmax": lambda a: jnp.argmax(a, axis=0),
    "top_k": lambda a: lax.top_k(a, 8),
    "softmax": lambda a: jax.nn.softmax(a, axis=1),
    "logsumexp": lambda a: jax.nn.logsumexp(a, axis=0),
    "layer_norm": lambda a: (a - a.mean(1, keepdims=True)) / jnp.sqrt(a.var(1, keepdims=True) + 1e-5),
    "var": lambda a: jnp.var(a, axis=0),
    "min_max": lambda a: (a - a.min(0)) / (a.max(0) - a.min(0)),
    "norm": lambda a: a / jnp.linalg.norm(a),
    "above_mean": lambda a: jnp.where(a > a.mean(), a, 0),
    "triu": jnp.triu,
    "diagonal": jnp.diagonal,
    "trace": jnp.trace,
    "repeat": lambda a: jnp.repeat(a, 2, axis=0),
    "tile": lambda a: jnp.tile(a, (2, 1)),
    "stack": lambda a: jnp.stack([a, a * 2], 0),
    "concatenate0": lambda a: jnp.concatenate([a, a * 2], 0),
    "concatenate1": lambda a: jnp.concatenate([a, a * 2], 1),
    "split0": halves(0),
    "split1": halves(1),
    "glu": jax.nn.glu,
    "heads": lambda a: a.reshape(1024, 8, 64).transpose(1, 0, 2),
    "flatten": lambda a: a.reshape(-1),
    "sum_of_rows": lambda a: a.reshape(32, 32, 512).sum(0),
    "every_second_row": lambda a: a[::2],
    "every_second_column": lambda a: a[:, ::2],
    "rotary": lambda a: jnp.concatenate([-a[:, 256:], a[:, :256]], 1) * 0.5 + a,
    "rotary_pairs": lambda a: jnp.stack([-a[:, 1::2], a[:, ::2]], -1).reshape(SHAPE),
    "last_row": lambda a: a[-1],
    "first_rows": lambda a: a[:10],
    "shift_right": lambda a: jnp.pad(a, ((1, 0), (0, 0)))[:-1],
    "pad_edge": differences("edge"),
    "pad_wrap": differences("wrap"),
    "pad_reflect": differences("reflect"),
    "pad_symmetric": differences("symmetric"),
    "transpose": lambda a: a.T,
    "gram": lambda a: a.T @ a,
    "outer": lambda a: a @ a.T,
    "kron": lambda a: jnp.einsum("ab,cb->acb", a[:64], a[:32]),
    "cov": lambda a: jnp.cov(a, rowvar=False),
    "fft": lambda a: jnp.fft.fft(a, axis=1),
    "fft2": jnp.fft.fft2,
    "max_pool": lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID"),
    "moving_sum": lambda a: lax.reduce_window(a, 0.0, lax.add, (16, 1), (1, 1), "SAME"),
    "resize": lambda a: jax.image.resize(a, (2048, 1024), "bilinear"),
    "histogram": lambda a: jnp.histogram(a, bins=10)[0],
    "associative_scan": lambda a: lax.associative_scan(recurrence, (a, a), axis=0)[1],
    "scan_rows": lambda a: lax.scan(lambda c, row: (c * 0.9 + row, c), jnp.zeros(512), a)[1],
    "solve": lambda a: jnp.linalg.solve(a.reshape(128, 64, 64) + jnp.eye(64), jnp.ones((128, 64, 1))),
    "gradient_of_product": lambda a: jax.grad(lambda w: jnp.sum(jnp.tanh(w @ w.T)))(a),
}

# With further arguments, which are laid out alike in both.
ROWS = argument((256,), dtype=jnp.int32)
INDEX = argument((), dtype=jnp.int32)
LABELS = argument((1024,), "x", dtype=jnp.int32)
WITH_MORE = {
    "take_rows": (lambda a, i: a[i], ROWS),
    "take_along_axis": (lambda a, i: jnp.take_along_axis(a, i[:, None], axis=1)[:, 0], LABELS),
    "set_row": (lambda a, i, v: a.at[i].set(v), INDEX, argument((512,))),
    "add_rows": (lambda a, i, v: a.at[i].add(v), ROWS, argument((256, 512))),
    "dynamic_slice": (lambda a, i: lax.dynamic_slice(a, (i, 0), (64, 512)), INDEX),
    "roll_by": (lambda a, k: jnp.roll(a, k, 0), INDEX),
    "segment_sum": (lambda a, i: jax.ops.segment_sum(a, i, 64), LABELS),
    "one_hot": (lambda a, i: jax.nn.one_hot(i, 1024) @ a, argument((256,), "x", dtype=jnp.int32)),
    "cross_entropy": (lambda a, i: -jnp.take_along_axis(jax.nn.log_softmax(a), i[:, None], 1).mean(), LABELS),
    "convolve": (lambda a, k: jax.vmap(lambda row: jnp.convolve(row, k, mode="same"))(a), argument((7,))),
    "dropout": (lambda a, k: jnp.where(jax.random.bernoulli(k, 0.9, a.shape), a, 0), argument((2,), dtype=jnp.uint32)),
    "other_layout": (lambda a, b: 0.9 * a + 0.1 * b, argument(SHAPE, "y", "x")),
}


def programs():
    """(name, what lowers it) of every idiom on every layout."""
    mesh = make_mesh(x=2, y=4)
    layouts = {"blocks": argument(SHAPE, "x", "y"), "rows": argument(SHAPE, ("x", "y"))}
    idioms = {name: (function,) for name, function in UNARY.items()} | WITH_MORE
    return [(f"{name}_{layout}", program(mesh, function, matrix, *more))
            for name, (function, *more) in idioms.items() for layout, matrix in layouts.items()]
