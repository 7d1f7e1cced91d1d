"""What JAX's devices take, as JSON on standard output. Run by a Python that has jax.

usage: measure_machine.py DEVICES REPEAT

All devices work at once, since they may share cores and memory. What one op takes is the slope between a chain of one and
a longer one, so that the call itself does not count; collectives of a few bytes over all devices give the launch, their hops
included, those of a MiB the link.
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
BASES = {"cpu": "cpu", "gpu": "h100-nvlink", "tpu": "tpu-v5e"}


# Each with the bytes that a device sends in the ring model, as a share of its operand.
COLLECTIVES = {
    "all_reduce": (lambda x, size: lax.psum(x, "ring"), lambda n: 2 * (n - 1) / n),
    "all_to_all": (lambda x, size: lax.all_to_all(x, "ring", 0, 0, tiled=True), lambda n: (n - 1) / n),
    "permute": (lambda x, size: lax.ppermute(x, "ring", [(i, (i + 1) % size) for i in range(size)]), lambda n: 1),
    "all_gather": (lambda x, size: lax.all_gather(x, "ring", tiled=True)[:x.shape[0]], lambda n: n - 1),
    "reduce_scatter": (lambda x, size: jnp.tile(lax.psum_scatter(x, "ring", tiled=True), size), lambda n: (n - 1) / n),
}


class Timer:
    def __init__(self, devices, repeat):
        self.mesh, self.repeat = jax.sharding.Mesh(np.array(devices), ("ring",)), repeat

    def run(self, body, shape, dtype):
        """Seconds, the median, of a call in which each device runs `body` on its own array of `shape`."""
        spec = P("ring")
        x = jax.device_put(jnp.ones((self.mesh.size * shape[0], *shape[1:]), dtype), NamedSharding(self.mesh, spec))
        call = jax.jit(jax.shard_map(body, mesh=self.mesh, in_specs=spec, out_specs=spec, check_vma=False))
        jax.block_until_ready(call(x))
        times = []
        for _ in range(self.repeat):
            start = time.perf_counter()
            jax.block_until_ready(call(x))
            times.append(time.perf_counter() - start)
        return statistics.median(times)

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


def measure_collectives(timer):
    """Seconds of a launch and bytes per second, by kind."""
    size, rows = timer.mesh.size, {}
    for name, (collective, share) in COLLECTIVES.items():
        step = lambda x: collective(x, size) * 0.5 + 1
        launch = timer.slope(step, 10, (SMALL // 4,), jnp.float32)
        whole = timer.slope(step, 3, (LARGE // 4,), jnp.float32)
        rows[name] = {"launch": launch, "link": share(size) * LARGE / max(whole - launch, 1e-9)}
    return rows


def measure_work(timer):
    """Operations per second of a product at 16 and at 32 bits, bytes per second, seconds of a kernel."""
    n = 512
    product = lambda x: (x @ x) * (1 / n)
    flops, flops32 = (2 * n ** 3 / timer.slope(product, 2, (n, n), dtype) for dtype in (jnp.bfloat16, jnp.float32))
    # Reads and writes each element once.
    half = lambda x: x * 0.5
    seconds = timer.run(half, (16 * LARGE // 4,), jnp.float32) - timer.run(half, (SMALL,), jnp.float32)
    memory = 2 * 16 * LARGE / max(seconds, 1e-9)
    # Products of small blocks are not fused.
    kernel = timer.slope(lambda x: x @ x * 0.1, 100, (8, 8), jnp.float32)
    return flops, flops32, memory, kernel


def main():
    devices, repeat = jax.devices(), int(sys.argv[2])
    if len(devices) < 2:
        sys.exit("error: one device sends nothing; fix: use more")
    timer = Timer(devices, repeat)
    collectives = measure_collectives(timer)
    flops, flops32, memory, kernel = measure_work(timer)
    launch, link = (statistics.median(row[key] for row in collectives.values()) for key in ("launch", "link"))
    figures = {"flops": max(flops, flops32), "flops32": flops32, "memory": memory, "link": link, "latency": 0,
               "launch": launch, "kernel": kernel}
    base = BASES.get(devices[0].platform, "cpu")
    details = [f"{name}: launch {1e6 * row['launch']:.1f} us, {row['link'] / 1e9:.2f} GB/s" for name, row in collectives.items()]
    machine = ",".join([base, *(f"{name}={value:.2g}" for name, value in figures.items())])
    print(json.dumps({"machine": machine, "details": details}))


if __name__ == "__main__":
    main()
