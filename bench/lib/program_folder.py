"""Programs written as StableHLO text, one file each."""
import fnmatch
import os


def prepare_jax():
    """Before jax is imported: as many host devices as the meshes have."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_force_host_platform_device_count=8"


def write(folder, patterns, programs):
    """Writes those of `programs`, pairs of a name and what lowers it, whose names match one of `patterns` (none: all), and says
    how many. The exit code: 1 if none does."""
    os.makedirs(folder, exist_ok=True)
    count = 0
    for name, lower in programs:
        if patterns and not any(fnmatch.fnmatch(name, pattern) for pattern in patterns):
            continue
        with open(os.path.join(folder, name + ".mlir"), "w") as file:
            file.write(lower())
        count += 1
    print(f"{count} programs")
    return 0 if count else 1
