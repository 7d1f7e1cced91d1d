"""XLA's side: the module compiled for the CPU devices of one process, and its compiled call timed."""
import os
import re
import time

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import jax
import jaxlib.lapack
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir as jax_mlir
from jax._src.lib import xla_client
from jax._src.sharding_impls import GSPMDSharding
from jaxlib.mlir import ir

jaxlib.lapack._lapack.initialize()   # XLA calls it for factorisations


def count_devices(text):
    for name in ("num_partitions", "num_replicas"):
        match = re.search(rf"mhlo.{name} = (\d+)", text)
        if match and int(match.group(1)) > 1:
            return int(match.group(1)), name == "num_replicas"
    return 1, False


def read_input_types(path):
    """Types of main's arguments."""
    with open(path) as file, jax_mlir.make_ir_context():
        module = ir.Module.parse(file.read())
        main = next(op for op in module.body.operations
                    if op.operation.name == "func.func" and ir.StringAttr(op.attributes["sym_name"]).value == "main")
        return [str(kind) for kind in ir.FunctionType(ir.TypeAttr(main.attributes["function_type"]).value).inputs]


TPUS = "v5e:2x4"


def make_options(count, are_replicas, devices):
    options = xla_client.CompileOptions()
    build = options.executable_build_options
    build.num_partitions, build.num_replicas = (1, count) if are_replicas else (count, 1)
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    ids = np.array([device.id for device in devices])
    build.device_assignment = xla_client.DeviceAssignment.create(ids.reshape(build.num_replicas, build.num_partitions))
    return options


def compile_for_tpu(text):
    """The executable for the first of the chips of TPUS, compiled ahead of time: it cannot run. Needs libtpu, which serves
    one process at a time."""
    from jax.experimental import topologies
    os.environ.setdefault("TPU_SKIP_MDS_QUERY", "1")
    count, are_replicas = count_devices(text)
    devices = topologies.get_topology_desc(platform="tpu", topology_name=TPUS).devices
    if count > len(devices):
        raise ValueError(f"{count} devices; a {TPUS} has {len(devices)}")
    devices = devices[:count]
    with jax_mlir.make_ir_context():
        return devices[0].client.compile(ir.Module.parse(text), xla_client.DeviceList(tuple(devices)),
                                         make_options(count, are_replicas, devices))


def compile_module(text):
    """The executable of StableHLO text with shardings, its devices, and the seconds that XLA took."""
    count, are_replicas = count_devices(text)
    devices = jax.devices()[:count]
    options = make_options(count, are_replicas, devices)
    with jax_mlir.make_ir_context():
        module = ir.Module.parse(text)
        start = time.perf_counter()
        executable = xla_bridge.get_backend("cpu").compile_and_load(
            module, xla_client.DeviceList(tuple(devices)), options)
        return executable, devices, time.perf_counter() - start


class Program:
    """A compiled program with its inputs on the devices."""

    def __init__(self, text, inputs):
        self.executable, self.devices, seconds = compile_module(text)
        self.compile_ms = 1e3 * seconds
        self.inputs = inputs
        self.place()

    def place(self):
        """Puts the inputs on the devices; a run takes those that the program donates."""
        if len(self.devices) == 1:
            self.buffers = [jax.device_put(array, self.devices[0]) for array in self.inputs]
        else:
            shardings = self.executable.get_parameter_shardings() or \
                [xla_client.HloSharding.replicate().to_proto()] * len(self.inputs)
            self.buffers = [jax.device_put(array, GSPMDSharding(tuple(self.devices), sharding))
                            for array, sharding in zip(self.inputs, shardings)]
        for buffer in self.buffers:
            buffer.block_until_ready()

    def run(self):
        """Milliseconds of the call."""
        if any(buffer.is_deleted() for buffer in self.buffers):
            self.place()
        self.results = None
        start = time.perf_counter()
        self.results = self.executable.execute_sharded(self.buffers).disassemble_into_single_device_arrays()
        for parts in self.results:
            for part in parts:
                part.block_until_ready()
        return 1e3 * (time.perf_counter() - start)

    def get_results(self):
        """The whole results of the last run."""
        shardings = self.executable.get_output_shardings() if len(self.devices) > 1 else None
        return [self.assemble(parts, shardings and shardings[i]) for i, parts in enumerate(self.results)]

    def assemble(self, parts, sharding):
        if sharding is None:
            return np.asarray(parts[0])
        sharding = GSPMDSharding(tuple(self.devices), sharding)
        grid = sharding._hlo_sharding
        local = [np.asarray(part) for part in parts]
        shape = list(local[0].shape)
        if not grid.is_replicated():
            shape = [size * count for size, count in zip(shape, grid.tile_assignment_dimensions())]
        whole = np.empty(shape, local[0].dtype)
        place_of = {device.id: i for i, device in enumerate(self.devices)}
        for device, index in sharding.devices_indices_map(tuple(shape)).items():
            whole[index] = local[place_of[device.id]]
        return whole
