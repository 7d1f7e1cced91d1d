"""Which of Partita's machines JAX's devices are."""
import warnings

# The first whose words are in the kind of the device, in small letters.
KINDS = [
    ("tpu v6", "tpu-v6e"), ("tpu v5 lite", "tpu-v5e"), ("tpu v5e", "tpu-v5e"), ("tpu v5", "tpu-v5p"), ("tpu v4", "tpu-v4"),
    ("a100", "a100-nvlink"), ("h100", "h100-nvlink"), ("h200", "h200-nvlink"), ("b200", "b200-nvlink"),
]


def choose(platform, kind):
    """The machine of devices that JAX calls so, or None: Partita's own default."""
    if platform == "cpu":
        return "cpu"
    for words, machine in KINDS:
        if words in kind.lower():
            return machine
    warnings.warn(f"Partita knows no machine like '{kind}' and plans for its default; "
                  "fix: give machine=..., e.g. what bench/calibrate prints", stacklevel=2)
    return None
