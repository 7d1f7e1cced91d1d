"""Sampling, statistics and physics on the layouts that people use."""
import jax
import jax.numpy as jnp
from jax import lax

from layouts import Programs, make_mesh, scaled

I = jnp.int32


# Tokens from logits.

def sample_top_p(logits, seed):
    ordered = jnp.sort(logits, -1)[:, ::-1]
    p = jnp.cumsum(jax.nn.softmax(ordered), -1)
    cutoff = jnp.take_along_axis(ordered, jnp.argmax(p > 0.9, -1)[:, None], -1)
    return jax.random.categorical(jax.random.key(seed), jnp.where(logits >= cutoff, logits, -1e9))


def sample_top_k(logits, seed):
    values, places = lax.top_k(logits, 8)
    choice = jax.random.categorical(jax.random.key(seed), values)
    return jnp.take_along_axis(places, choice[:, None], -1)[:, 0]


def beam_step(scores, logits, cache):
    b, k, v = logits.shape
    total = (scores[..., None] + jax.nn.log_softmax(logits)).reshape(b, -1)
    best, index = lax.top_k(total, k)
    cache = jnp.take_along_axis(cache, (index // v)[..., None, None], 1)
    return best, index % v, cache


def preferences(chosen, rejected, labels_c, labels_r):
    score = lambda l, t: jnp.take_along_axis(jax.nn.log_softmax(l), t[..., None], -1)[..., 0].sum(1)
    return -jnp.log(jax.nn.sigmoid(score(chosen, labels_c) - score(rejected, labels_r))).mean()


# Statistics and physics.

def kmeans(points, centers):
    def body(_, centers):
        d = ((points[:, None] - centers[None]) ** 2).sum(-1)
        one = jax.nn.one_hot(jnp.argmin(d, -1), centers.shape[0])
        return (one.T @ points) / (one.sum(0)[:, None] + 1e-6)
    return lax.fori_loop(0, 5, body, centers)


def mixture_em(x, mu, var, weight):
    logp = -0.5 * (((x[:, None] - mu[None]) ** 2 / var[None]) + jnp.log(var)[None]).sum(-1) + jnp.log(weight)
    r = jax.nn.softmax(logp)
    n = r.sum(0)
    mean = r.T @ x / n[:, None]
    return mean, r.T @ (x * x) / n[:, None] - mean ** 2, n / x.shape[0]


def forward_hmm(logits, transitions):
    def step(alpha, row):
        alpha = jax.nn.logsumexp(alpha[..., None] + transitions, 1) + row
        return alpha, None
    return jax.nn.logsumexp(lax.scan(step, logits[0], logits[1:])[0], -1)


def gaussian_process(x, y, test):
    kernel = lambda a, b: jnp.exp(-0.5 * ((a[:, None] - b[None]) ** 2).sum(-1))
    factor = jnp.linalg.cholesky(kernel(x, x) + 0.1 * jnp.eye(x.shape[0]))
    alpha = jax.scipy.linalg.cho_solve((factor, True), y)
    return kernel(test, x) @ alpha


def bodies(position, velocity):
    def body(_, carry):
        p, v = carry
        d = p[None] - p[:, None]
        f = (d / ((d * d).sum(-1, keepdims=True) + 0.01) ** 1.5).sum(1)
        return p + 0.01 * v, v + 0.01 * f
    return lax.fori_loop(0, 4, body, (position, velocity))


def spectral(u):
    k = jnp.fft.fftfreq(u.shape[0])
    damp = jnp.exp(-(k[:, None] ** 2 + k[None] ** 2))
    return jnp.fft.ifft2(jnp.fft.fft2(u) * damp).real


def v_cycle(u, f):
    smooth = lambda u, f: 0.25 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - f)
    u = smooth(smooth(u, f), f)
    r = f - (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)
    coarse = 0.25 * (r[::2, ::2] + r[1::2, ::2] + r[::2, 1::2] + r[1::2, 1::2])
    e = smooth(smooth(jnp.zeros_like(coarse), 4 * coarse), 4 * coarse)
    return smooth(u + jnp.repeat(jnp.repeat(e, 2, 0), 2, 1), f)


def ising(spins, seed):
    def sweep(i, spins):
        total = sum(jnp.roll(spins, s, a) for s in (1, -1) for a in (0, 1))
        flip = jax.random.uniform(jax.random.fold_in(jax.random.key(seed), i), spins.shape) < jnp.exp(-0.8 * spins * total)
        checker = (jnp.arange(spins.shape[0])[:, None] + jnp.arange(spins.shape[1])[None]) % 2 == i % 2
        return jnp.where(flip & checker, -spins, spins)
    return lax.fori_loop(0, 4, sweep, spins)


def upwind(u, c):
    def body(_, u):
        left = jnp.concatenate([u[:1], u[:-1]])
        right = jnp.concatenate([u[1:], u[-1:]])
        return u - 0.1 * (jnp.maximum(c, 0) * (u - left) + jnp.minimum(c, 0) * (right - u))
    return lax.fori_loop(0, 8, body, u)


def flux(u):
    """Finite volumes with a limiter, in slices of a padded field."""
    def body(_, u):
        p = jnp.pad(u, ((2, 2), (0, 0)), mode="edge")
        d = p[1:] - p[:-1]
        s = jnp.where(d[1:] * d[:-1] > 0, jnp.minimum(jnp.abs(d[1:]), jnp.abs(d[:-1])) * jnp.sign(d[1:]), 0)
        f = p[1:-1] + 0.5 * s
        return u - 0.1 * (f[1:-1] - f[:-2])
    return lax.fori_loop(0, 8, body, u)


def bincount(x):
    return jnp.bincount(jnp.clip((x * 16).astype(I), 0, 15).ravel(), length=16)


def monte_carlo(seed):
    x = jax.random.uniform(jax.random.key(seed), (4096, 2))
    return ((x * x).sum(-1) < 1).mean()


def moving_average(x):
    c = jnp.cumsum(x, 0)
    return (c[8:] - c[:-8]) / 8


def correlation(x):
    x = (x - x.mean(0)) / (x.std(0) + 1e-6)
    return x.T @ x / x.shape[0]


def least_squares(a, b):
    return jax.scipy.linalg.solve(a.T @ a + 0.1 * jnp.eye(a.shape[1]), a.T @ b)


def programs(scale):
    """All programs; sizes from 32 on are `scale` times larger."""
    two, line = make_mesh(x=2, y=4), make_mesh(x=8)
    a, result = scaled(scale), Programs()
    add = result.add
    for name, spec in {"batch": (("x", "y"),), "vocab": (None, ("x", "y")), "both": ("x", "y")}.items():
        add("top_p_" + name, two, sample_top_p, a((16, 256), *spec), a((), dtype=I))
        add("top_k_" + name, two, sample_top_k, a((16, 256), *spec), a((), dtype=I))
        add("beam_" + name, two, beam_step, a((16, 4), *spec[:1]), a((16, 4, 256), spec[0], None, *spec[1:]),
            a((16, 4, 32, 8), *spec[:1]))
        add("preferences_" + name, two, preferences, *[a((16, 32, 256), spec[0], None, *spec[1:])] * 2,
            *[a((16, 32), *spec[:1], dtype=I)] * 2)
    for name, spec in {"rows": (("x", "y"),), "features": (None, "y"), "both": ("x", "y")}.items():
        points = a((256, 16), *spec)
        add("kmeans_" + name, two, kmeans, points, a((8, 16), None, *spec[1:]))
        add("mixture_em_" + name, two, mixture_em, points, a((8, 16), None, *spec[1:]), a((8, 16), None, *spec[1:]), a((8,)))
        add("gaussian_process_" + name, two, gaussian_process, a((64, 16), *spec), a((64, 4), *spec[:1]), a((64, 16), *spec))
        add("bodies_" + name, two, bodies, points, points)
        add("correlation_" + name, two, correlation, points)
        add("least_squares_" + name, two, least_squares, points, a((256, 4), *spec[:1]))
        add("bincount_" + name, two, bincount, points)
        add("moving_average_" + name, two, moving_average, points)
        add("upwind_" + name, two, upwind, points, points)
        add("flux_" + name, two, flux, points)
        add("spectral_" + name, two, spectral, a((64, 64), *spec))
        add("v_cycle_" + name, two, v_cycle, a((64, 64), *spec), a((64, 64), *spec))
        add("ising_" + name, two, ising, a((64, 64), *spec), a((), dtype=I))
    add("hmm_batch", two, forward_hmm, a((32, 16, 8), None, ("x", "y")), a((8, 8)))
    add("hmm_states", two, forward_hmm, a((32, 16, 8), None, "x", "y"), a((8, 8), None, "y"))
    add("monte_carlo", line, monte_carlo, a((), dtype=I))
    return result
