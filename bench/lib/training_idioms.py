"""Steps of training and inference on the layouts that people use, on meshes of two and three axes."""
import jax
import jax.numpy as jnp
from jax import lax

from layouts import Programs, argument, make_mesh, scaled
from model_idioms import gradient

F = jnp.float32
I = jnp.int32


def norm(x):
    return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)


def cross_entropy(logits, labels):
    logits = logits - lax.stop_gradient(logits.max(-1, keepdims=True))
    return (jax.nn.logsumexp(logits, -1) - jnp.take_along_axis(logits, labels[..., None], -1)[..., 0]).mean()


def conv(x, w, stride=1, padding="SAME", dilation=1, groups=1):
    return lax.conv_general_dilated(x, w, (stride,) * 2, padding, rhs_dilation=(dilation,) * 2, feature_group_count=groups,
                                    dimension_numbers=("NHWC", "HWIO", "NHWC"))


def self_attention(x, wqkv, wo, heads=8, causal=True, window=None):
    b, s, d = x.shape
    q, k, v = jnp.split((x @ wqkv).reshape(b, s, 3 * heads, -1), 3, 2)
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    i, j = jnp.arange(s)[:, None], jnp.arange(s)[None]
    mask = i >= j if causal else jnp.ones((s, s), bool)
    if window:
        mask &= i - j < window
    p = jax.nn.softmax(jnp.where(mask, scores, -1e9))
    return jnp.einsum("bhqk,bkhd->bqhd", p, v).reshape(b, s, -1) @ wo


def block(x, wqkv, wo, w1, w2):
    x = x + self_attention(norm(x), wqkv, wo)
    return x + jax.nn.gelu(norm(x) @ w1) @ w2


# Optimizers.

def adam(params, grads, m, v):
    m = [0.9 * a + 0.1 * g for a, g in zip(m, grads)]
    v = [0.99 * a + 0.01 * g * g for a, g in zip(v, grads)]
    return [p - 1e-3 * a / (jnp.sqrt(b) + 1e-8) for p, a, b in zip(params, m, v)], m, v


def mlp_loss(w1, w2, x, y):
    return cross_entropy(jax.nn.relu(x @ w1) @ w2, y)


def adam_step(w1, w2, m1, m2, v1, v2, x, y):
    loss, grads = jax.value_and_grad(mlp_loss, (0, 1))(w1, w2, x, y)
    return loss, adam([w1, w2], grads, [m1, m2], [v1, v2])


def clip_step(w1, w2, x, y):
    grads = jax.grad(mlp_loss, (0, 1))(w1, w2, x, y)
    total = jnp.sqrt(sum((g * g).sum() for g in grads))
    scale = jnp.minimum(1.0, 1.0 / total)
    return [p - 0.1 * g * scale for p, g in zip((w1, w2), grads)]


def adafactor_step(w1, w2, r1, c1, r2, c2, x, y):
    grads = jax.grad(mlp_loss, (0, 1))(w1, w2, x, y)
    out = []
    for p, g, r, c in zip((w1, w2), grads, (r1, r2), (c1, c2)):
        r = 0.9 * r + 0.1 * (g * g).mean(1)
        c = 0.9 * c + 0.1 * (g * g).mean(0)
        v = r[:, None] * c[None] / r.mean()
        out.append((p - 0.1 * g * lax.rsqrt(v + 1e-8), r, c))
    return out


def muon_step(w1, w2, x, y):
    grads = jax.grad(mlp_loss, (0, 1))(w1, w2, x, y)
    out = []
    for p, g in zip((w1, w2), grads):
        u = g / (jnp.linalg.norm(g) + 1e-7)
        def body(_, u):
            a = u @ u.T
            return 3.4 * u - 4.7 * a @ u + 2.0 * a @ (a @ u)
        out.append(p - 0.1 * lax.fori_loop(0, 5, body, u))
    return out


def accumulate_step(w1, w2, x, y):
    def one(total, batch):
        grads = jax.grad(mlp_loss, (0, 1))(w1, w2, *batch)
        return [t + g for t, g in zip(total, grads)], None
    zero = [jnp.zeros_like(w1), jnp.zeros_like(w2)]
    total, _ = lax.scan(one, zero, (x, y))
    return [p - 0.1 * g for p, g in zip((w1, w2), total)]


def lora_step(w, a, b, x, y):
    def loss(a, b):
        return ((x @ w + (x @ a) @ b - y) ** 2).mean()
    return jax.grad(loss, (0, 1))(a, b)


# Transformers.

def lm_loss(embedding, wqkv, wo, w1, w2, tokens):
    x = embedding[tokens]
    x = block(x, wqkv, wo, w1, w2)
    return cross_entropy(x @ embedding.T, jnp.roll(tokens, -1, 1))


def lm_step(*arguments):
    return jax.value_and_grad(lm_loss, (0, 1, 2, 3, 4))(*arguments)


def scan_lm(embedding, wqkv, wo, w1, w2, tokens):
    def loss(embedding, *weights):
        x, _ = lax.scan(lambda x, w: (jax.checkpoint(block)(x, *w), None), embedding[tokens], weights)
        return cross_entropy(x @ embedding.T, jnp.roll(tokens, -1, 1))
    return jax.value_and_grad(loss, (0, 1, 2, 3, 4))(embedding, wqkv, wo, w1, w2)


def vit(patches, cls, wqkv, wo, w1, w2, head, images, labels):
    def loss(patches, cls, wqkv, wo, w1, w2, head):
        x = conv(images, patches, 4, "VALID")
        x = x.reshape(x.shape[0], -1, x.shape[-1])
        x = jnp.concatenate([jnp.broadcast_to(cls, (x.shape[0], 1, x.shape[2])), x], 1)
        x = x + self_attention(norm(x), wqkv, wo, causal=False)
        x = x + jax.nn.gelu(norm(x) @ w1) @ w2
        return cross_entropy(x[:, 0] @ head, labels)
    return jax.grad(loss, (0, 1, 2, 3, 4, 5, 6))(patches, cls, wqkv, wo, w1, w2, head)


def sliding(x, wqkv, wo):
    return self_attention(x, wqkv, wo, window=8)


def block_local(q, k, v):
    b, s, h, d = q.shape
    q, k, v = (t.reshape(b, s // 16, 16, h, d) for t in (q, k, v))
    k2 = jnp.concatenate([jnp.pad(k, ((0, 0), (1, 0)) + ((0, 0),) * 3)[:, :-1], k], 2)
    v2 = jnp.concatenate([jnp.pad(v, ((0, 0), (1, 0)) + ((0, 0),) * 3)[:, :-1], v], 2)
    p = jax.nn.softmax(jnp.einsum("bnqhd,bnkhd->bnhqk", q, k2))
    return jnp.einsum("bnhqk,bnkhd->bnqhd", p, v2).reshape(b, s, h, d)


def flash(q, k, v):
    """Attention by chunks of keys, with running maximum and sum."""
    b, s, h, d = q.shape
    chunks = lambda t: t.reshape(b, s // 16, 16, h, d).swapaxes(0, 1)
    def step(carry, kv):
        acc, top, total = carry
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, kv[0])
        new = jnp.maximum(top, scores.max(-1))
        p = jnp.exp(scores - new[..., None])
        scale = jnp.exp(top - new)
        return (acc * scale[..., None] + jnp.einsum("bhqk,bkhd->bhqd", p, kv[1]), new, total * scale + p.sum(-1)), None
    start = jnp.zeros((b, h, s, d)), jnp.full((b, h, s), -1e9), jnp.zeros((b, h, s))
    (acc, _, total), _ = lax.scan(step, start, (chunks(k), chunks(v)))
    return (acc / total[..., None]).swapaxes(1, 2)


def rotary(x):
    s, d = x.shape[1], x.shape[-1]
    angle = jnp.arange(s)[:, None] * 10000.0 ** (-jnp.arange(0, d, 2) / d)[None]
    cos, sin = jnp.cos(angle)[None, :, None], jnp.sin(angle)[None, :, None]
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1)


def gqa(x, wq, wk, wv, wo):
    b, s, _ = x.shape
    q = rotary((x @ wq).reshape(b, s, 8, -1))
    k = jnp.repeat(rotary((x @ wk).reshape(b, s, 4, -1)), 2, 2)
    v = jnp.repeat((x @ wv).reshape(b, s, 4, -1), 2, 2)
    p = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
    return jnp.einsum("bhqk,bkhd->bqhd", p, v).reshape(b, s, -1) @ wo


def encoder_decoder(source, target, wq, wkv, wo):
    b, s, d = target.shape
    q = (target @ wq).reshape(b, s, 8, -1)
    k, v = jnp.split((source @ wkv).reshape(b, source.shape[1], 16, -1), 2, 2)
    p = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k))
    return jnp.einsum("bhqk,bkhd->bqhd", p, v).reshape(b, s, -1) @ wo


def greedy(embedding, wqkv, wo, keys, values, token):
    """Eight tokens with a cache."""
    def step(carry, position):
        token, keys, values = carry
        x = embedding[token][:, None]
        q, k, v = jnp.split((x @ wqkv).reshape(x.shape[0], 1, 24, -1), 3, 2)
        keys = lax.dynamic_update_slice(keys, k, (0, position, 0, 0))
        values = lax.dynamic_update_slice(values, v, (0, position, 0, 0))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, keys)
        scores = jnp.where(jnp.arange(keys.shape[1]) <= position, scores, -1e9)
        x = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), values).reshape(x.shape[0], -1) @ wo
        token = jnp.argmax(x @ embedding.T, -1).astype(I)
        return (token, keys, values), token
    return lax.scan(step, (token, keys, values), jnp.arange(8))[1]


def dispatch(x, gate, w1, w2):
    """Tokens to the two best experts with a capacity, as GShard does."""
    n, e, c = x.shape[0], gate.shape[1], 32
    p = jax.nn.softmax(x @ gate)
    best, index = lax.top_k(p, 2)
    mask = jax.nn.one_hot(index, e)
    place = (jnp.cumsum(mask.reshape(2 * n, e), 0).reshape(n, 2, e) - 1) * mask
    slot = jax.nn.one_hot(place.sum(-1).astype(I), c) * (place.sum(-1) < c)[..., None]
    combine = jnp.einsum("nk,nke,nkc->nec", best, mask, slot)
    h = jnp.einsum("nec,nd->ecd", (combine > 0).astype(F), x)
    h = jnp.einsum("ecf,efd->ecd", jax.nn.relu(jnp.einsum("ecd,edf->ecf", h, w1)), w2)
    return jnp.einsum("nec,ecd->nd", combine, h)


# Other networks.

def batch_norm_cnn(w1, w2, head, mean, x, y):
    def loss(w1, w2, head):
        h = conv(x, w1)
        mu, var = h.mean((0, 1, 2)), h.var((0, 1, 2))
        h = jax.nn.relu((h - mu) * lax.rsqrt(var + 1e-5))
        h = conv(h, w2, 2)
        return cross_entropy(h.mean((1, 2)) @ head, y), 0.9 * mean + 0.1 * mu
    return jax.grad(loss, (0, 1, 2), has_aux=True)(w1, w2, head)


def unet_step(down, middle, up, x, y):
    def loss(down, middle, up):
        h = jax.nn.relu(conv(x, down, 2))
        h = jax.nn.relu(conv(h, middle))
        h = lax.conv_transpose(h, up, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return ((h + x - y) ** 2).mean()
    return jax.grad(loss, (0, 1, 2))(down, middle, up)


def unet_concat(down, middle, up, x):
    h = jax.nn.relu(conv(x, down, 2))
    h = jax.nn.relu(conv(h, middle))
    h = jax.image.resize(h, (h.shape[0], 2 * h.shape[1], 2 * h.shape[2], h.shape[3]), "nearest")
    return conv(jnp.concatenate([h, x], -1), up)


def depthwise(x, w, p):
    return conv(conv(x, w, groups=x.shape[-1]), p)


def dilated(x, w):
    return conv(x, w, dilation=2)


def volume(x, w):
    return lax.conv_general_dilated(x, w, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))


def causal_conv(x, w):
    return lax.conv_general_dilated(x, w, (1,), [(w.shape[0] - 1, 0)], dimension_numbers=("NWC", "WIO", "NWC"))


def group_norm(x):
    n, h, w, c = x.shape
    g = x.reshape(n, h, w, 4, c // 4)
    g = (g - g.mean((1, 2, 4), keepdims=True)) * lax.rsqrt(g.var((1, 2, 4), keepdims=True) + 1e-5)
    return g.reshape(x.shape)


def pixel_shuffle(x):
    n, h, w, c = x.shape
    return x.reshape(n, h, w, 2, 2, c // 4).transpose(0, 1, 3, 2, 4, 5).reshape(n, 2 * h, 2 * w, c // 4)


def interpolate(u):
    return jax.image.resize(u, (u.shape[0], 2 * u.shape[1], 2 * u.shape[2], u.shape[3]), "bilinear")


def gru(x, wi, wh):
    def step(h, row):
        z, r, n = jnp.split(row @ wi, 3, -1)
        uz, ur, un = jnp.split(h @ wh, 3, -1)
        z = jax.nn.sigmoid(z + uz)
        h = (1 - z) * jnp.tanh(n + jax.nn.sigmoid(r + ur) * un) + z * h
        return h, h
    return lax.scan(step, jnp.zeros((x.shape[1], wh.shape[0])), x)[1]


def ssm(x, a, b):
    """A diagonal recurrence along the sequence."""
    decay = jnp.exp(-jax.nn.softplus(x @ a))
    drive = x @ b
    _, h = lax.associative_scan(lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1]), (decay, drive), axis=1)
    return h


def recommender(tables, w1, w2, dense, ids, y):
    def loss(tables, w1, w2):
        rows = jnp.stack([tables[i][ids[:, i]] for i in range(4)], 1)
        pairs = jnp.einsum("bid,bjd->bij", rows, rows).reshape(dense.shape[0], -1)
        h = jax.nn.relu(jnp.concatenate([dense, pairs], -1) @ w1)
        return jnp.mean(jnp.logaddexp(0.0, (h @ w2)[:, 0]) - y * (h @ w2)[:, 0])
    return jax.grad(loss, (0, 1, 2))(tables, w1, w2)


def graph_layer(nodes, w, senders, receivers):
    messages = jax.nn.relu(nodes[senders] @ w)
    return jax.ops.segment_sum(messages, receivers, nodes.shape[0])


def clip_loss(images, texts, wi, wt):
    def loss(wi, wt):
        a, b = images @ wi, texts @ wt
        a, b = a / jnp.linalg.norm(a, axis=-1, keepdims=True), b / jnp.linalg.norm(b, axis=-1, keepdims=True)
        logits = 20 * a @ b.T
        labels = jnp.arange(a.shape[0])
        return (cross_entropy(logits, labels) + cross_entropy(logits.T, labels)) / 2
    return jax.grad(loss, (0, 1))(wi, wt)


def advantages(rewards, values):
    def step(last, row):
        reward, value, after = row
        last = reward + 0.99 * after - value + 0.95 * last
        return last, last
    after = jnp.concatenate([values[1:], jnp.zeros_like(values[:1])])
    return lax.scan(step, jnp.zeros_like(values[0]), (rewards, values, after), reverse=True)[1]


def dropout_step(w1, w2, x, seed):
    keep = jax.random.bernoulli(jax.random.key(seed), 0.9, (x.shape[0], w1.shape[1]))
    return jnp.where(keep, jax.nn.relu(x @ w1) / 0.9, 0) @ w2


def quantized(x, w, scale):
    top = jnp.abs(x).max(-1, keepdims=True) / 127
    q = jnp.round(x / top).astype(jnp.int8)
    return lax.dot_general(q, w, (((1,), (0,)), ((), ())), preferred_element_type=I).astype(F) * top * scale


def optimizers(a, add, two):
    mlps = {  # w1, w2, x, y
        "dp": (two, [(), ()], ("x", "y")),
        "fsdp": (two, [("y",), ("y",)], ("x", "y")),
        "tp": (two, [(None, "y"), ("y",)], "x"),
        "2d": (two, [("x", "y"), ("y", "x")], "x"),
    }
    for name, (mesh, (s1, s2), batch) in mlps.items():
        w = [a((128, 512), *s1), a((512, 64), *s2)]
        xy = [a((64, 128), batch), a((64,), batch, dtype=I)]
        add("adam_" + name, mesh, adam_step, *w, *w, *w, *xy)
        add("clip_" + name, mesh, clip_step, *w, *xy)
        rows = [a((128,), *s1[:1]), a((512,), *s1[1:2]), a((512,), *s2[:1]), a((64,), *s2[1:2])]
        add("adafactor_" + name, mesh, adafactor_step, *w, *rows, *xy)
        add("muon_" + name, mesh, muon_step, *w, *xy)
        add("accumulate_" + name, mesh, accumulate_step, *w, a((4, 64, 128), None, batch), a((4, 64), None, batch, dtype=I))
        add("lora_" + name, mesh, lora_step, w[0], a((128, 8), *s1[:1]), a((8, 512), None, *s1[1:2]), xy[0],
            a((64, 512), batch))
        add("dropout_" + name, mesh, dropout_step, *w, xy[0], a((), dtype=I))
        add("quantized_" + name, mesh, quantized, xy[0], a((128, 512), *s1, dtype=jnp.int8), a((512,), *s1[1:2]))


def transformers(a, add, two, three, scale):
    layouts = {  # embedding, wqkv, wo, w1, w2
        "dp": (two, [()] * 5, (("x", "y"),)),
        "tp": (two, [("y",), (None, "y"), ("y",), (None, "y"), ("y",)], ("x",)),
        "fsdp": (two, [("y",), ("y",), ("y",), ("y",), ("y",)], (("x", "y"),)),
        "3d": (three, [("tp", "fsdp"), ("fsdp", "tp"), ("tp", "fsdp"), ("fsdp", "tp"), ("tp", "fsdp")], (("dp", "fsdp"),)),
        "sp": (two, [()] * 5, ("x", "y")),
    }
    shapes = [(256, 64), (64, 192), (64, 64), (64, 256), (256, 64)]
    for name, (mesh, specs, batch) in layouts.items():
        weights = [a(shape, *spec) for shape, spec in zip(shapes, specs)]
        stacked = [weights[0]] + [a((3,) + shape, None, *spec) for shape, spec in zip(shapes[1:], specs[1:])]
        tokens = a((16, 64), *batch, dtype=I)
        add("lm_" + name, mesh, lm_step, *weights, tokens)
        add("scan_lm_" + name, mesh, scan_lm, *stacked, tokens)
        add("vit_" + name, mesh, vit, a((4, 4, 3, 64)), a((64,)), *weights[1:], a((64, 16)), a((16, 32, 32, 3), *batch[:1]),
            a((16,), *batch[:1], dtype=I))
        add("sliding_" + name, mesh, sliding, a((16, 64, 64), *batch), *weights[1:3])
        add("gqa_" + name, mesh, gqa, a((16, 64, 64), *batch), a((64, 64), *specs[1]), a((64, 32), *specs[1]),
            a((64, 32), *specs[1]), weights[2])
        add("encoder_decoder_" + name, mesh, encoder_decoder, a((16, 64, 64), *batch), a((16, 32, 64), *batch),
            a((64, 64), *specs[1]), a((64, 128), *specs[1]), weights[2])
        heads = {"tp": ("x", None, "y"), "sp": ("x", "y"), "3d": (("dp", "fsdp"), None, "tp")}.get(name, batch)
        cache = argument((16, 64 * scale, 8, 8 * scale), *heads)
        add("greedy_" + name, mesh, greedy, *weights[:3], cache, cache, a((16,), *batch[:1], dtype=I))
        qkv = [a((16, 64, 8, 8), *heads)] * 3
        add("block_local_" + name, mesh, block_local, *qkv)
        add("flash_" + name, mesh, flash, *qkv)
        add("flash_grad_" + name, mesh, gradient(flash, 0, 1, 2), *qkv)


def experts(a, add, two):
    for name, (tokens, experts) in {"ep": ("x", "y"), "ep_all": (("x", "y"), ("x", "y")), "dp": (("x", "y"), None)}.items():
        moe = [a((64, 32), tokens), a((32, 8)), a((8, 32, 128), experts), a((8, 128, 32), experts)]
        add("dispatch_" + name, two, dispatch, *moe)
        add("dispatch_grad_" + name, two, gradient(dispatch, 1, 2, 3), *moe)


def images(a, add, two):
    for name, spec in {"batch": (("x", "y"),), "rows": (None, ("x", "y")), "batch_rows": ("x", "y"),
                       "image": (None, "x", "y"), "channels": ("x", None, None, "y")}.items():
        image = a((8, 32, 32, 16), *spec)
        add("batch_norm_" + name, two, batch_norm_cnn, a((3, 3, 16, 16)), a((3, 3, 16, 32)), a((32, 8)), a((16,)), image,
            a((8,), *spec[:1], dtype=I))
        add("unet_step_" + name, two, unet_step, a((3, 3, 16, 16)), a((3, 3, 16, 16)), a((3, 3, 16, 16)), image, image)
        add("unet_concat_" + name, two, unet_concat, a((3, 3, 16, 16)), a((3, 3, 16, 16)), argument((3, 3, 32, 16)), image)
        add("depthwise_" + name, two, depthwise, image, a((3, 3, 1, 16)), a((1, 1, 16, 16)))
        add("depthwise_grad_" + name, two, gradient(depthwise, 1, 2), image, a((3, 3, 1, 16)), a((1, 1, 16, 16)))
        add("dilated_" + name, two, dilated, image, a((3, 3, 16, 16)))
        add("dilated_grad_" + name, two, gradient(dilated, 0, 1), image, a((3, 3, 16, 16)))
        add("group_norm_" + name, two, group_norm, image)
        add("pixel_shuffle_" + name, two, pixel_shuffle, image)
        add("interpolate_" + name, two, interpolate, image)
        add("volume_" + name, two, volume, a((8, 16, 16, 16, 4), *spec), a((3, 3, 3, 4, 4)))
        add("volume_grad_" + name, two, gradient(volume, 0, 1), a((8, 16, 16, 16, 4), *spec), a((3, 3, 3, 4, 4)))


def sequences(a, add, two):
    for name, spec in {"batch": (("x", "y"),), "length": (None, ("x", "y")), "both": ("x", "y"),
                       "features": ("x", None, "y")}.items():
        x = a((8, 64, 32), *spec)
        add("causal_conv_" + name, two, causal_conv, x, a((4, 32, 32)))
        add("causal_conv_grad_" + name, two, gradient(causal_conv, 0, 1), x, a((4, 32, 32)))
        add("ssm_" + name, two, ssm, x, a((32, 32)), a((32, 32)))
        add("ssm_grad_" + name, two, gradient(ssm, 0, 1, 2), x, a((32, 32)), a((32, 32)))
    for name, spec in {"batch": (None, ("x", "y")), "features": (None, "x", "y")}.items():
        x = a((16, 16, 32), *spec)
        add("gru_" + name, two, gru, x, a((32, 96), None, *spec[2:]), a((32, 96), None, *spec[2:]))
        add("gru_grad_" + name, two, gradient(gru, 0, 1, 2), x, a((32, 96), None, *spec[2:]), a((32, 96), None, *spec[2:]))


def data(a, add, two, scale):
    for name, spec in {"tables": (("x", "y"),), "rows": (None, ("x", "y")), "features": (None, None, "y")}.items():
        tables = a((4, 256, 32), *(spec if name != "tables" else ("y",)))
        add("recommender_" + name, two, recommender, tables, argument((32 * scale + 16, 64 * scale)), a((64, 1)),
            a((64, 32), "x"), a((64, 4), "x", dtype=I), a((64,), "x"))
    for name, spec in {"edges": ((), ("x", "y")), "nodes": ((("x", "y"),), ()), "both": (("x",), ("y",))}.items():
        graph = [a((64, 32), *spec[0]), a((32, 32)), a((512,), *spec[1][:1] if len(spec[1]) < 2 else (spec[1],), dtype=I)]
        add("graph_" + name, two, graph_layer, *graph, graph[2])
        add("graph_grad_" + name, two, gradient(graph_layer, 0, 1), *graph, graph[2])
    add("clip_loss", two, clip_loss, a((64, 32), ("x", "y")), a((64, 32), ("x", "y")), a((32, 64)), a((32, 64)))
    add("clip_loss_tp", two, clip_loss, a((64, 32), "x"), a((64, 32), "x"), a((32, 64), None, "y"), a((32, 64), None, "y"))
    add("advantages_batch", two, advantages, a((64, 16), None, ("x", "y")), a((64, 16), None, ("x", "y")))
    add("advantages_time", two, advantages, a((64, 16), "y", "x"), a((64, 16), "y", "x"))


def programs(scale):
    """All programs; sizes from 32 on are `scale` times larger."""
    two, three = make_mesh(x=2, y=4), make_mesh(dp=2, fsdp=2, tp=2)
    a, result = scaled(scale), Programs()
    add = result.add
    optimizers(a, add, two)
    transformers(a, add, two, three, scale)
    experts(a, add, two)
    images(a, add, two)
    sequences(a, add, two)
    data(a, add, two, scale)
    return result
