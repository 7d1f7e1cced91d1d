"""What JAX's devices take, as JSON on standard output. Run by a Python that has jax.

usage: measure_machine.py DEVICES REPEAT

All devices work at once, since they may share cores and memory. What one op takes is the slope between a chain of one and
a longer one, so that the call itself does not count; collectives of a few bytes in pairs of devices and over all give launch and
hop of each kind, those of a MiB over all the link.
"""
import json
import os
import statistics
import sys
import time

os.environ["XLA_FLAGS"] = (os.environ.get("XLA_FLAGS", "") + f" --xla_force_host_platform_device_count={sys.argv[1]}").strip()
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import NamedSharding, PartitionSpec as P

SMALL, LARGE = 64, 1 << 20   # bytes of one device's operand
PROGRAMS = 3                 # compiled for one figure
BASES = {"cpu": "cpu", "gpu": "h100-nvlink", "tpu": "tpu-v5e"}


# Each with the bytes that a device sends in the ring model, as a share of its operand, and the hops, as Partita counts them.
COLLECTIVES = {
    "all_reduce": (lambda x, size: lax.psum(x, "ring"), lambda n: 2 * (n - 1) / n, lambda n: 2 * (n - 1)),
    "all_to_all": (lambda x, size: lax.all_to_all(x, "ring", 0, 0, tiled=True), lambda n: (n - 1) / n, lambda n: max(1, (n - 1) // 2)),
    "permute": (lambda x, size: lax.ppermute(x, "ring", [(i, (i + 1) % size) for i in range(size)]), lambda n: 1, lambda n: 1),
    "all_gather": (lambda x, size: lax.all_gather(x, "ring", tiled=True)[:x.shape[0]], lambda n: n - 1, lambda n: n - 1),
    "reduce_scatter": (lambda x, size: jnp.tile(lax.psum_scatter(x, "ring", tiled=True), size), lambda n: (n - 1) / n, lambda n: n - 1),
}


class Timer:
    """Of programs that run on all devices, in groups of `size` along the axis `ring`."""

    def __init__(self, devices, size, repeat):
        self.mesh, self.size, self.repeat = jax.sharding.Mesh(np.array(devices).reshape(-1, size), ("rings", "ring")), size, repeat

    def run(self, body, shape, dtype):
        """Seconds, the least, of a call in which each device runs `body` on its own array of `shape`."""
        spec = P(("rings", "ring"))
        x = jax.device_put(jnp.ones((self.mesh.size * shape[0], *shape[1:]), dtype), NamedSharding(self.mesh, spec))
        call = jax.jit(jax.shard_map(body, mesh=self.mesh, in_specs=spec, out_specs=spec, check_vma=False))
        jax.block_until_ready(call(x))
        times = []
        for _ in range(self.repeat):
            start = time.perf_counter()
            jax.block_until_ready(call(x))
            times.append(time.perf_counter() - start)
        return min(times)

    def slope(self, step, length, shape, dtype):
        """Seconds of one `step` of a chain."""
        def chain(count):
            def body(x):
                for _ in range(count):
                    x = step(x)
                return x
            return body
        one, many = (self.run(chain(count), shape, dtype) for count in (1, 1 + length))
        return max((many - one) / length, 1e-9)


def fit_launch(hops, seconds):
    """Seconds of a launch and of a hop, from those of a collective in groups of two sizes."""
    latency = max((seconds[1] - seconds[0]) / (hops[1] - hops[0]), 0) if hops[1] > hops[0] else 0
    return max(seconds[1] - latency * hops[1], 0), latency


def measure_collectives(pairs, whole):
    """Seconds of a launch and of a hop, and bytes per second, by kind; of timers of groups of two and of all devices."""
    rows = {}
    for name, (collective, share, hops) in COLLECTIVES.items():
        def time(timer, size, length):
            # One program may be slow all its life, by how its threads met: the best of several.
            step = lambda x: collective(x, timer.size) * 0.5 + 1
            return min(timer.slope(step, length, (size // 4,), jnp.float32) for _ in range(PROGRAMS))
        small = [time(timer, SMALL, 50) for timer in (pairs, whole)]
        launch, latency = fit_launch([hops(timer.size) for timer in (pairs, whole)], small)
        link = share(whole.size) * LARGE / max(time(whole, LARGE, 3) - small[1], 1e-9)
        rows[name] = {"launch": launch, "latency": latency, "link": link, "pair": small[0], "all": small[1]}
    return rows


def measure_work(timer):
    """Operations per second of a product at 16 and at 32 bits, bytes per second, seconds of a kernel."""
    n = 512
    product = lambda x: (x @ x) * (1 / n)
    flops, flops32 = (2 * n ** 3 / timer.slope(product, 2, (n, n), dtype) for dtype in (jnp.bfloat16, jnp.float32))
    # The model counts what each op reads and writes, fused or not: so does this, of four ops that XLA fuses.
    chain = lambda x: (x * 0.5 + 1) * 0.25 + 2
    seconds = timer.run(chain, (LARGE // 4,), jnp.float32) - timer.run(chain, (SMALL,), jnp.float32)
    memory = 8 * LARGE / max(seconds, 1e-9)
    # Products of small blocks are not fused.
    kernel = timer.slope(lambda x: x @ x * 0.1, 100, (8, 8), jnp.float32)
    return flops, flops32, memory, kernel


def main():
    devices, repeat = jax.devices(), int(sys.argv[2])
    if len(devices) < 2:
        sys.exit("error: one device sends nothing; fix: use more")
    whole = Timer(devices, len(devices), repeat)
    pairs = Timer(devices, 2, repeat) if len(devices) % 2 == 0 else whole
    collectives = measure_collectives(pairs, whole)
    flops, flops32, memory, kernel = measure_work(whole)
    launch, latency, link = (statistics.median(row[key] for row in collectives.values()) for key in ("launch", "latency", "link"))
    figures = {"flops": max(flops, flops32), "flops32": flops32, "memory": memory, "link": link, "latency": latency,
               "launch": launch, "kernel": kernel}
    for name, row in collectives.items():
        figures |= {f"{name}-launch": row["launch"], f"{name}-latency": row["latency"], f"{name}-link": row["link"]}
    base = BASES.get(devices[0].platform, "cpu")
    details = [f"{name}: {1e6 * row['pair']:.1f} us in pairs, {1e6 * row['all']:.1f} us over all devices, {row['link'] / 1e9:.2f} GB/s"
               for name, row in collectives.items()]
    machine = ",".join([base, *(f"{name}={value:.2g}" for name, value in figures.items())])
    print(json.dumps({"machine": machine, "details": details}))


if __name__ == "__main__":
    main()
