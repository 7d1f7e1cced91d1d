"""Single kernels: dots against OpenBLAS alone, the rest against XLA, on two devices, one for each core."""
import ctypes
import fnmatch
import os
import statistics
import tempfile
import time

import numpy as np

import programs
import table
import values
import worker

MESH = 'sdy.mesh @mesh = <["x"=2]>'
ROWS = '{sdy.sharding = #sdy.sharding<@mesh, [{"x"}%s]>}'
ADD = ("({\n ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n  %s = stablehlo.add %a, %b : tensor<f32>\n"
       "  stablehlo.return %s : tensor<f32>\n })")
MAX = ADD.replace("stablehlo.add", "stablehlo.maximum")


def sharded(kind, rank):
    return f"{kind} {ROWS % (', {}' * (rank - 1))}"


def make_module(inputs, output, body):
    """One function over arguments of these (type, rank), sharded along their first dimension."""
    arguments = ", ".join(f"%x{i}: {sharded(kind, rank) if rank else kind}" for i, (kind, rank) in enumerate(inputs))
    return (f"module @kernel attributes {{mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32}} {{\n{MESH}\n"
            f"func.func public @main({arguments}) -> ({sharded(*output)}) {{\n{body}\n}}\n}}\n")


def elementwise(size):
    kind = f"tensor<{size}xf32>"
    lines = []
    for i, op in enumerate(["multiply %x0, %x1", "add %0, %x1", "tanh %1", "multiply %2, %x0", "exponential %3",
                            "subtract %4, %2", "abs %5", "sqrt %6", "maximum %7, %x0", "add %8, %5"]):
        lines.append(f" %{i} = stablehlo.{op} : {kind}")
    return make_module([(kind, 1), (kind, 1)], (kind, 1), "\n".join(lines) + f"\n return %9 : {kind}")


def arithmetic(size):
    kind = f"tensor<{size}xf32>"
    ops = ["multiply %x0, %x1", "add %0, %x1", "multiply %1, %1", "subtract %2, %x0", "maximum %3, %x1", "multiply %4, %0"]
    lines = [f" %{i} = stablehlo.{op} : {kind}" for i, op in enumerate(ops)]
    return make_module([(kind, 1), (kind, 1)], (kind, 1), "\n".join(lines) + f"\n return %5 : {kind}")


def reduce_rows(name, operand, init, body, m, n):
    return (f' {name} = "stablehlo.reduce"({operand}, {init}) {body} {{dimensions = array<i64: 1>}} : '
            f"(tensor<{m}x{n}xf32>, tensor<f32>) -> tensor<{m}xf32>")


def spread(name, operand, m, n):
    return f" {name} = stablehlo.broadcast_in_dim {operand}, dims = [0] : (tensor<{m}xf32>) -> tensor<{m}x{n}xf32>"


def softmax(m, n):
    kind = f"tensor<{m}x{n}xf32>"
    body = [" %least = stablehlo.constant dense<0xFF800000> : tensor<f32>", " %zero = stablehlo.constant dense<0.0> : tensor<f32>",
            reduce_rows("%m", "%x0", "%least", MAX, m, n), spread("%mb", "%m", m, n),
            f" %d = stablehlo.subtract %x0, %mb : {kind}", f" %e = stablehlo.exponential %d : {kind}",
            reduce_rows("%t", "%e", "%zero", ADD, m, n), spread("%tb", "%t", m, n),
            f" %r = stablehlo.divide %e, %tb : {kind}", f" return %r : {kind}"]
    return make_module([(kind, 2)], (kind, 2), "\n".join(body))


def layer_norm(m, n):
    kind, row = f"tensor<{m}x{n}xf32>", f"tensor<{m}xf32>"
    body = [" %zero = stablehlo.constant dense<0.0> : tensor<f32>", f" %n = stablehlo.constant dense<{float(n)}> : {row}",
            f" %eps = stablehlo.constant dense<1.0e-5> : {row}",
            reduce_rows("%t", "%x0", "%zero", ADD, m, n), f" %mean = stablehlo.divide %t, %n : {row}",
            spread("%mb", "%mean", m, n), f" %d = stablehlo.subtract %x0, %mb : {kind}",
            f" %q = stablehlo.multiply %d, %d : {kind}", reduce_rows("%v", "%q", "%zero", ADD, m, n),
            f" %var = stablehlo.divide %v, %n : {row}", f" %ve = stablehlo.add %var, %eps : {row}",
            f" %r = stablehlo.rsqrt %ve : {row}", spread("%rb", "%r", m, n),
            f" %y = stablehlo.multiply %d, %rb : {kind}", f" return %y : {kind}"]
    return make_module([(kind, 2)], (kind, 2), "\n".join(body))


def transpose(m, n):
    return make_module([(f"tensor<2x{m}x{n}xf32>", 3)], (f"tensor<2x{n}x{m}xf32>", 3),
                       f" %0 = stablehlo.transpose %x0, dims = [0, 2, 1] : (tensor<2x{m}x{n}xf32>) -> tensor<2x{n}x{m}xf32>\n"
                       f" return %0 : tensor<2x{n}x{m}xf32>")


def heads(b, t, h, d):
    start, end = f"tensor<{b}x{t}x{h}x{d}xf32>", f"tensor<{b}x{h}x{t}x{d}xf32>"
    return make_module([(start, 4)], (end, 4), f" %0 = stablehlo.transpose %x0, dims = [0, 2, 1, 3] : ({start}) -> {end}\n return %0 : {end}")


def column_sum(m, n):
    kind = f"tensor<2x{m}x{n}xf32>"
    return make_module([(kind, 3)], (f"tensor<2x{n}xf32>", 2),
                       ' %zero = stablehlo.constant dense<0.0> : tensor<f32>\n'
                       f' %r = "stablehlo.reduce"(%x0, %zero) {ADD} {{dimensions = array<i64: 1>}} : ({kind}, tensor<f32>) -> tensor<2x{n}xf32>\n'
                       f" return %r : tensor<2x{n}xf32>")


def convolution(n, size, c, k, window, stride=1):
    pad, out = window // 2, size // stride
    start, weights, end = f"tensor<{n}x{size}x{size}x{c}xf32>", f"tensor<{window}x{window}x{c}x{k}xf32>", f"tensor<{n}x{out}x{out}x{k}xf32>"
    high = window - 1 - pad if stride > 1 else pad
    body = (f" %0 = stablehlo.convolution(%x0, %x1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = "
            f"{{stride = [{stride}, {stride}], pad = [[{pad}, {high}], [{pad}, {high}]]}} "
            f"{{batch_group_count = 1 : i64, feature_group_count = 1 : i64}} : ({start}, {weights}) -> {end}\n return %0 : {end}")
    return make_module([(start, 4), (weights, 0)], (end, 4), body)


def attention(b, h, t, d):
    q, s = f"tensor<{b}x{t}x{h}x{d}xf32>", f"tensor<{b}x{h}x{t}x{t}xf32>"
    body = (f" %0 = stablehlo.dot_general %x0, %x1, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : ({q}, {q}) -> {s}\n"
            f" return %0 : {s}")
    return make_module([(q, 4), (q, 4)], (s, 4), body)


KERNELS = {
    "elementwise_math_4M": lambda: elementwise(1 << 22),
    "elementwise_plain_16M": lambda: arithmetic(1 << 24),
    "elementwise_plain_64K": lambda: arithmetic(1 << 16),
    "softmax_4096x1024": lambda: softmax(4096, 1024),
    "layer_norm_8192x768": lambda: layer_norm(8192, 768),
    "column_sum_2x2048x2048": lambda: column_sum(2048, 2048),
    "transpose_2x2048x2048": lambda: transpose(2048, 2048),
    "transpose_heads": lambda: heads(8, 512, 16, 64),
    "attention_scores": lambda: attention(4, 16, 512, 64),
    "conv_3x3_56x56x64": lambda: convolution(4, 56, 64, 64, 3),
    "conv_1x1_28x28x512": lambda: convolution(4, 28, 512, 128, 1),
    "conv_7x7_224x224x3": lambda: convolution(2, 224, 3, 64, 7, 2),
}
DOTS = [256, 512, 1024, 1536, 2048]


def time_openblas(size, repeat):
    """Milliseconds of one product, and the product."""
    os.environ.setdefault("OPENBLAS_CORETYPE", choose_core_type())
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_set_num_threads(os.cpu_count())
    generator = np.random.default_rng(0)
    a, b = (generator.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    c = np.zeros((size, size), np.float32)
    pointer = lambda array: array.ctypes.data_as(ctypes.c_void_p)
    times = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        blas.cblas_sgemm(101, 111, 111, size, size, size, ctypes.c_float(1), pointer(a), size, pointer(b), size,
                         ctypes.c_float(0), pointer(c), size)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times[1:]), [a, b], c


def choose_core_type():
    """What the runtime chooses: OpenBLAS does not know processors newer than itself."""
    with open("/proc/cpuinfo") as file:
        flags = next((line for line in file if line.startswith("flags")), "").split()
    return "SkylakeX" if "avx512vl" in flags else "Haswell" if "avx2" in flags else ""


def measure_dot(size, arguments):
    """A row whose other side is OpenBLAS alone."""
    kind = f"tensor<{size}x{size}xf32>"
    repeat = arguments.repeat or max(5, min(50, int(2e10 / size ** 3)))
    row = {"name": f"dot_{size}", "against": "OpenBLAS"}
    with tempfile.TemporaryDirectory(prefix="partita-bench-") as folder:
        path = os.path.join(folder, "dot.mlir")
        with open(path, "w") as file:
            file.write(f"func.func public @main(%x: {kind}, %y: {kind}) -> {kind} {{\n %0 = stablehlo.dot_general %x, %y, "
                       f"contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}\n return %0 : {kind}\n}}\n")
        first, inputs, want = time_openblas(size, repeat)
        values.save(os.path.join(folder, "in.npz"), inputs)
        try:
            report = programs.run_partita(arguments, path, folder, repeat)
        except programs.Failure as failure:
            return {**row, "state": f"partita: {failure}"}
        second, _, _ = time_openblas(size, repeat)
        row.update(partita_ms=report["run_ms"], xla_ms=min(first, second), partita_compile_ms=report["compile_ms"])
        row["ratio"] = row["partita_ms"] / row["xla_ms"]
        row["state"] = programs.describe([want], values.load(os.path.join(folder, "out.npz"), [want]))
    return row


def measure_all(arguments):
    wanted = arguments.names or ["*"]
    table.print_header()
    rows = []
    measurer = worker.Measurer(arguments)
    with tempfile.TemporaryDirectory(prefix="partita-bench-") as folder:
        for size in DOTS:
            if any(fnmatch.fnmatch(f"dot_{size}", pattern) for pattern in wanted):
                rows.append(measure_dot(size, arguments))
                table.print_row(rows[-1])
        for name, make in KERNELS.items():
            if not any(fnmatch.fnmatch(name, pattern) for pattern in wanted):
                continue
            path = os.path.join(folder, f"{name}.mlir")
            with open(path, "w") as file:
                file.write(make())
            rows.append(measurer.measure(path))
            table.print_row(rows[-1])
    return rows
