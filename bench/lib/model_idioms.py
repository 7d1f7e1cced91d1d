"""Layers, solvers and stencils on the layouts that people use, on meshes of two and three axes."""
import jax
import jax.numpy as jnp
from jax import lax

from layouts import argument, make_mesh, program


def attention(q, k, v):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / 8.0
    length = scores.shape[-1]
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)


def decode(q, keys, values, k, v, position):
    """One token against a cache of keys and values, which it joins."""
    keys = lax.dynamic_update_slice(keys, k, (0, position, 0, 0))
    values = lax.dynamic_update_slice(values, v, (0, position, 0, 0))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys)
    scores = jnp.where(jnp.arange(keys.shape[1]) <= position, scores, -1e9)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), values), keys, values


def mlp(x, w1, w2):
    return jax.nn.gelu(x @ w1) @ w2


def convolution(x, w, stride=1):
    return lax.conv_general_dilated(x, w, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def cnn(x, w1, w2):
    h = jax.nn.relu(convolution(x, w1))
    h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.relu(convolution(h, w2)).mean((1, 2))


def unet(x, down, middle, up):
    h = convolution(convolution(x, down, stride=2), middle)
    return lax.conv_transpose(jax.nn.relu(h), up, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + x


def lstm(x, wi, wh):
    def step(carry, row):
        h, c = carry
        i, f, o, u = jnp.split(row @ wi + h @ wh, 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(u)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zeros = jnp.zeros((x.shape[1], wh.shape[0]))
    return lax.scan(step, (zeros, zeros), x)[1]


def mixture(x, gates, w1, w2):
    values, experts = lax.top_k(jax.nn.softmax(x @ gates), 2)
    weights = (jax.nn.one_hot(experts, gates.shape[1]) * values[..., None]).sum(1)
    h = jax.nn.relu(jnp.einsum("td,edf->etf", x, w1))
    return jnp.einsum("te,etd->td", weights, jnp.einsum("etf,efd->etd", h, w2))


def next_tokens(tokens, embedding, head):
    return jax.nn.log_softmax(embedding[tokens] @ head)


def conjugate_gradients(a, b):
    def body(_, carry):
        x, r, p, rs = carry
        ap = a @ p
        step = rs / (p @ ap)
        r, before = r - step * ap, rs
        return x + step * p, r, r + (r @ r) / before * p, r @ r
    return lax.fori_loop(0, 10, body, (jnp.zeros_like(b), b, b, b @ b))[0]


def power_iteration(a, v):
    def body(_, v):
        v = a @ v
        return v / jnp.linalg.norm(v)
    return lax.fori_loop(0, 10, body, v)


def life(board):
    def body(_, board):
        near = [jnp.roll(board, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
        return ((sum(near) == 3) | ((sum(near) == 2) & (board == 1))).astype(jnp.int32)
    return lax.fori_loop(0, 20, body, board)


def heat_torus(u):
    def body(_, u):
        return u + 0.1 * (sum(jnp.roll(u, by, dim) for dim in range(3) for by in (-1, 1)) - 6 * u)
    return lax.fori_loop(0, 20, body, u)


def heat_box(u):
    def body(_, u):
        p = jnp.pad(u, 1)
        inner = slice(1, -1)
        near = (p[2:, inner, inner] + p[:-2, inner, inner] + p[inner, 2:, inner] + p[inner, :-2, inner] +
                p[inner, inner, 2:] + p[inner, inner, :-2])
        return u + 0.1 * (near - 6 * u)
    return lax.fori_loop(0, 10, body, u)


def shallow_water(h, u):
    def slope(f):
        return (jnp.roll(f, -1, 0) - jnp.roll(f, 1, 0)) * 0.5
    def body(_, carry):
        h, u = carry
        u = u - 0.1 * slope(h) - 0.1 * u * slope(u)
        return h - 0.1 * slope(h * u), u
    return lax.fori_loop(0, 20, body, (h, u))


def wave(u, v):
    def body(_, carry):
        u, v = carry
        p = jnp.pad(u, ((1, 1), (0, 0)), mode="edge")
        v = v + 0.1 * (p[2:] + p[:-2] - 2 * u)
        return u + 0.1 * v, v
    return lax.fori_loop(0, 9, body, (u, v))[0]


def smoothing(image, kernel):
    return lax.fori_loop(0, 6, lambda _, x: lax.conv_general_dilated(x, kernel, (1, 1), "SAME") * 0.2, image)


def forced(u, forces):
    def step(u, force):
        p = jnp.pad(u, ((1, 1), (0, 0)))
        u = p[2:] + p[:-2] - u + force
        return u, u
    return lax.scan(step, u, forces)[1]


def jacobi_until(u):
    def body(carry):
        u, _ = carry
        p = jnp.pad(u, ((1, 1), (0, 0)))
        after = (p[2:] + p[:-2]) * 0.5
        return after, jnp.max(jnp.abs(after - u))
    return lax.while_loop(lambda carry: carry[1] > 0.5, body, (u, 1e9))[0]


def gradient(function, *of):
    """The gradient of the mean square of what `function` gives, by the arguments `of`."""
    return jax.grad(lambda *arguments: (function(*arguments)**2).mean(), argnums=of)


def layers(two, three):
    found = {}
    for name, mesh, spec in [("dp", two, ("x",)), ("tp", two, ("x", None, "y")), ("sp", two, ("x", "y")),
                             ("sp8", two, (None, ("x", "y"))), ("features", two, (None, None, None, "y")),
                             ("xyz", three, ("x", "z", "y")), ("heads4", three, ("x", None, ("y", "z"))),
                             ("batch4", three, (("x", "y"), None, "z"))]:
        qkv = [argument((8, 256, 8, 64), *spec)] * 3
        found[f"attention_{name}"] = (mesh, attention, *qkv)
        found[f"attention_grad_{name}"] = (mesh, gradient(attention, 0, 1, 2), *qkv)
    for name, mesh, x, w1, w2 in [
            ("dp", two, ("x",), (), ()), ("tp", two, ("x",), (None, "y"), ("y",)),
            ("fsdp", two, (("x", "y"),), (("x", "y"),), (("x", "y"),)), ("2d", two, ("x", "y"), ("x", "y"), ("y", "x")),
            ("megatron", three, (("x", "y"),), (None, "z"), ("z",)), ("3d", three, ("x", "y"), ("y", "z"), ("z", "y")),
            ("fsdp_tp", three, ("x",), ("y", "z"), ("z", "y")),
            ("mixed", three, ("z", "x"), ("x", ("y", "z")), (("z", "y"), "x"))]:
        arguments = argument((512, 256), *x), argument((256, 1024), *w1), argument((1024, 256), *w2)
        found[f"mlp_{name}"] = (mesh, mlp, *arguments)
        found[f"mlp_grad_{name}"] = (mesh, gradient(mlp, 1, 2), *arguments)
    for name, mesh, spec in [("batch", two, ("x",)), ("rows", two, (None, "x")), ("blocks", two, (None, "x", "y")),
                             ("rows8", three, (None, ("x", "y", "z")))]:
        images = argument((16, 32, 32, 8), *spec)
        kernels = argument((3, 3, 8, 16)), argument((3, 3, 16, 32))
        found[f"cnn_{name}"] = (mesh, cnn, images, *kernels)
        found[f"cnn_grad_{name}"] = (mesh, gradient(cnn, 1, 2), images, *kernels)
    pictures = argument((4, 64, 64, 8), "x", "y", "z")
    kernels = argument((3, 3, 8, 16)), argument((3, 3, 16, 16)), argument((4, 4, 16, 8))
    found["unet"] = (three, unet, pictures, *kernels)
    found["unet_grad"] = (three, gradient(unet, 1, 2, 3), pictures, *kernels)
    found["strided_grad"] = (three, gradient(lambda x, w: convolution(x, w, 2), 0, 1),
                             argument((4, 64, 64, 8), None, ("x", "y", "z")), argument((3, 3, 8, 16)))
    return found


def sequences(two):
    found = {}
    for name, heads, rows in [("heads", "y", None), ("sequence", None, "y")]:
        token, cache = argument((8, 1, 8, 64), "x", None, heads), argument((8, 1024, 8, 64), "x", rows, heads)
        found[f"decode_{name}"] = (two, decode, token, cache, cache, token, token, argument((), dtype=jnp.int32))
    for name, spec in [("dp", ()), ("tp", (None, "y"))]:
        arguments = argument((32, 16, 128), None, "x"), argument((128, 1024), *spec), argument((256, 1024), *spec)
        found[f"lstm_{name}"] = (two, lstm, *arguments)
        found[f"lstm_grad_{name}"] = (two, gradient(lstm, 1, 2), *arguments)
    found["mixture"] = (two, mixture, argument((512, 128), "x"), argument((128, 8)), argument((8, 128, 256), "y"),
                        argument((8, 256, 128), "y"))
    vocabulary = argument((4096, 128), "y"), argument((128, 4096), None, "y")
    tokens = argument((16, 64), "x", dtype=jnp.int32)
    found["next_tokens"] = (two, next_tokens, tokens, *vocabulary)
    found["next_tokens_grad"] = (two, gradient(lambda e, h, t: next_tokens(t, e, h), 0, 1), *vocabulary, tokens)
    return found


def solvers(two, three):
    matrix, vector = argument((1024, 1024), "x", "y"), argument((1024,), "x")
    field, cube = argument((240, 320), "x", "y"), argument((64, 64, 64), "x", "y", "z")
    return {
        "conjugate_gradients": (two, conjugate_gradients, matrix, vector),
        "power_iteration": (two, power_iteration, matrix, vector),
        "contracted_apart": (three, lambda a, b: a @ b, argument((512, 512), "x", "y"), argument((512, 512), "x", "z")),
        "life": (two, life, argument((512, 512), "x", "y", dtype=jnp.int32)),
        "heat_torus": (two, heat_torus, argument((64, 64, 64), "x", "y")),
        "heat_torus_3d": (three, heat_torus, cube),
        "heat_box_3d": (three, heat_box, cube),
        "shallow_water": (two, shallow_water, *[argument((512, 256), ("x", "y"))] * 2),
        "wave": (two, wave, field, field),
        "smoothing": (two, smoothing, argument((1, 1, 240, 320), None, None, "x", "y"), argument((1, 1, 3, 3))),
        "forced": (two, forced, field, argument((8, 240, 320), None, "x", "y")),
        "jacobi_until": (two, jacobi_until, field),
    }


def programs():
    """(name, what lowers it) of every idiom on every layout."""
    two, three = make_mesh(x=2, y=4), make_mesh(x=2, y=2, z=2)
    idioms = layers(two, three) | sequences(two) | solvers(two, three)
    return [(name, program(mesh, function, *arguments)) for name, (mesh, function, *arguments) in idioms.items()]
