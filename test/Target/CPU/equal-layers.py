# RUN: %python %s
"""A hundred equal layers, not written as functions, compile as few kernels as two,
though each has a constant of its own."""
import json
import subprocess
import sys

LAYER = """
  %s{i} = stablehlo.constant dense<{scale}> : tensor<f32>
  %b{i} = stablehlo.broadcast_in_dim %s{i}, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
  %m{i} = stablehlo.multiply %x{i}, %b{i} : tensor<16x32xf32>
  %t{i} = stablehlo.tanh %m{i} : tensor<16x32xf32>
  %d{i} = stablehlo.dot_general %t{i}, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %r{i} = stablehlo.reduce(%d{i} init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<16x32xf32>, tensor<f32>) -> tensor<16xf32>
  %c{i} = stablehlo.broadcast_in_dim %r{i}, dims = [0] : (tensor<16xf32>) -> tensor<16x32xf32>
  %x{next} = stablehlo.subtract %d{i}, %c{i} : tensor<16x32xf32>"""

PROGRAM = """sdy.mesh @mesh = <["x"=4]>
func.func @main(%x0: tensor<16x32xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}},
                %w: tensor<32x32xf32>) -> tensor<16x32xf32> {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>{layers}
  return %x{count} : tensor<16x32xf32>
}}
"""


def count_kernels(count):
    # No scale is 1, which would fold.
    layers = "".join(LAYER.format(i=i, next=i + 1, scale=f"{0.015 + 0.01 * i:.3f}")
                     for i in range(count))
    command = ["partita-run", "-", "--engine=jit", "--no-cache", "--compile-only", "--json"]
    result = subprocess.run(command, input=PROGRAM.format(layers=layers, count=count),
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stderr)
    return json.loads(result.stdout)["code"]["kernels"]


few, many = count_kernels(2), count_kernels(100)
print(f"{few} kernels of 2 layers, {many} of 100")
sys.exit(few == 0 or few != many)
