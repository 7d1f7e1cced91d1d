"""One program for 8, 256 and 65,536 devices: as small for many as for few, and right.

# RUN: %python %s %t

The optimized IR for 65,536 devices is that for 256 but for its numbers, so what is evaluated for each of 256 devices says that the large program is
right as well; its ratio of characters to that for 8 is bounded. Times are printed only.
"""
import os
import re
import subprocess
import sys
import time

BOUND = 1.1
PROGRAM = """
sdy.mesh @m = <["x"={x}, "y"={y}]>
func.func @main(%a: tensor<262144x4xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x", "y"}}, {{}}]>}}, %w: tensor<4x256xf32> {{sdy.sharding = #sdy.sharding<@m, [{{}}, {{"y"}}]>}}, %v: tensor<4x4xf32>)
    -> (tensor<262144x4xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x", "y"}}, {{}}]>}}, tensor<4xf32>, tensor<262144x4xf32> {{sdy.sharding = #sdy.sharding<@m, [{{"x", "y"}}, {{}}]>}}, tensor<4x256xf32> {{sdy.sharding = #sdy.sharding<@m, [{{}}, {{"x"}}]>}}) {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<262144x4xf32>, tensor<4x4xf32>) -> tensor<262144x4xf32>
  %1 = stablehlo.tanh %0 : tensor<262144x4xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<262144x4xf32>, tensor<f32>) -> tensor<4xf32>
  %3 = stablehlo.slice %a [0:262143, 0:4] : (tensor<262144x4xf32>) -> tensor<262143x4xf32>
  %4 = stablehlo.pad %3, %zero, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<262143x4xf32>, tensor<f32>) -> tensor<262144x4xf32>
  %5 = stablehlo.subtract %a, %4 : tensor<262144x4xf32>
  %6 = stablehlo.tanh %w : tensor<4x256xf32>
  return %1, %2, %5, %6 : tensor<262144x4xf32>, tensor<4xf32>, tensor<262144x4xf32>, tensor<4x256xf32>
}}
"""


def run(*command):
    start = time.time()
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(command)}: {result.stderr.strip()[:500]}{result.stdout.strip()[:500]}")
    return result.stdout, time.time() - start


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    texts = []
    for x, y in [(2, 4), (16, 16), (256, 256)]:
        path = os.path.join(sys.argv[1], f"{x * y}.mlir")
        with open(path, "w") as file:
            file.write(PROGRAM.format(x=x, y=y))
        text, seconds = run("partita-opt", path, "--partita=to=optimized objective=bytes results=propagated")
        texts.append(text)
        print(f"{x * y} devices: {len(text)} characters, compiled in {seconds:.2f} s", end="")
        if x * y <= 256:
            _, seconds = run("partita-run", path, "--partita=objective=bytes results=propagated", "--compare=unsharded", "--engine=eval", "--inputs=positive")
            print(f", evaluated in {seconds:.1f} s", end="")
        print()
    ratio = len(texts[2]) / len(texts[0])
    print(f"ratio {ratio:.3f}, bound {BOUND}")
    shapes = [re.sub(r"\d+", "#", text) for text in texts]
    if shapes[1] != shapes[2]:
        sys.exit("the programs for 256 and for 65536 devices differ by more than numbers")
    sys.exit(ratio > BOUND)


if __name__ == "__main__":
    main()
