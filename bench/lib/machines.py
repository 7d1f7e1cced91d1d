"""Figures of JAX's devices, measured in a process of the Python that has jax."""
import json
import os

import plans

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "measure_machine.py")


def measure(python, devices, repeat, seconds, platform=None):
    """`machine`: the text of option machine; `details`: what was measured, a line each. Of JAX's `platform`, or the one that it prefers."""
    environment = {**os.environ, "JAX_PLATFORMS": platform} if platform else None
    command = [python, WORKER, str(devices), str(repeat)]
    return json.loads(plans.run_tool(command, seconds, environment)[0].splitlines()[-1])
