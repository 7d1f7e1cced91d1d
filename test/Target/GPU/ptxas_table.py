# REQUIRES: ptxas
# RUN: %python %s --chip=sm_80 --chip=sm_90 %S/Inputs/functions.mlir \
# RUN:   %S/Inputs/reductions.mlir %S/index-kernels.mlir \
# RUN:   %src/examples/mlp_train_step/train_step.mlir \
# RUN:   | FileCheck %s
# CHECK: | program | chip | kernels | registers (largest) | spill bytes |
# CHECK: | functions | sm_80 |
# CHECK: | reductions | sm_80 |
# CHECK: | train_step | sm_90 |
"""Compiles programs to PTX, runs ptxas over the kernels and prints a table of
registers and spills. Fails if a kernel is refused or spills.

  ptxas_table.py [--chip=sm_90]... [--kernels] program.mlir...
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile


def find_ptxas():
    for folder in (os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        path = folder and os.path.join(folder, "bin", "ptxas")
        if path and os.path.exists(path):
            return path
    return shutil.which("ptxas")


def measure(text):
    """(kernel, registers, spill bytes) for each kernel in the output of ptxas -v."""
    kernels, name, spills = [], None, 0
    for line in text.splitlines():
        if match := re.search(r"Compiling entry function '(\w+)'", line):
            name, spills = match[1], 0
        elif match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line):
            spills = int(match[1]) + int(match[2])
        elif (match := re.search(r"Used (\d+) registers", line)) and name:
            kernels.append((name, int(match[1]), spills))
            name = None
    return kernels


def compile_program(program, chip, ptxas, folder):
    """The kernels' measures; None if a tool refuses the program."""
    ptx = os.path.join(folder, "kernels.ptx")
    run = subprocess.run(["partita-translate", "--spmd-to-ptx", f"--chip={chip}", program,
                          "-o", ptx], capture_output=True, text=True)
    if run.returncode:
        sys.stderr.write(run.stderr)
        return None
    if not os.path.getsize(ptx):
        return []
    run = subprocess.run([ptxas, "-v", f"-arch={chip}", "-O3", ptx, "-o",
                          os.path.join(folder, "kernels.cubin")],
                         capture_output=True, text=True)
    if run.returncode:
        sys.stderr.write(run.stdout + run.stderr)
        return None
    return measure(run.stdout + run.stderr)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", action="append")
    parser.add_argument("--kernels", action="store_true", help="a row for each kernel")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    ptxas = find_ptxas()
    if not ptxas:
        sys.exit("ptxas not found: set CUDA_HOME to a CUDA toolkit")
    failed = False
    print("| program | chip | kernels | registers (largest) | spill bytes |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for chip in options.chip or ["sm_90"]:
            for program in options.programs:
                name = os.path.splitext(os.path.basename(program))[0]
                kernels = compile_program(program, chip, ptxas, folder)
                if kernels is None:
                    failed = True
                    print(f"| {name} | {chip} | refused | | |")
                    continue
                spills = sum(kernel[2] for kernel in kernels)
                failed |= spills > 0
                most = max((kernel[1] for kernel in kernels), default=0)
                print(f"| {name} | {chip} | {len(kernels)} | {most} | {spills} |")
                if options.kernels:
                    for kernel, registers, spilled in kernels:
                        print(f"| {name}/{kernel} | {chip} | 1 | {registers} | {spilled} |")
    sys.exit(failed)


if __name__ == "__main__":
    main()
