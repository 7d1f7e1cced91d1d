"""How lit runs Partita's tests: file types, tools on PATH, features."""
import os
import subprocess
import sys

import lit.formats

config.name = "Partita"
config.test_format = lit.formats.ShTest(True)
config.suffixes = [".mlir", ".test", ".py"]
config.excludes = ["lit.cfg.py", "run.py", "Inputs", "Unit", "CMakeLists.txt"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.partita_obj_root, "test")

tools = os.path.join(config.partita_obj_root, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools, config.llvm_tools_dir, config.environment.get("PATH", "")])
# Machine code is cached below the build folder, never in a home.
config.environment["XDG_CACHE_HOME"] = os.path.join(config.test_exec_root, "cache")
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input=fail"
config.substitutions.append(("%src", config.partita_src_root))
config.substitutions.append(("%build", config.partita_obj_root))
config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%llvm", os.path.dirname(config.llvm_tools_dir)))
plugin = os.path.join(config.partita_obj_root, "lib", "PartitaPlugin.so")
config.substitutions.append(
    ("%plugin", f"--load-dialect-plugin={plugin} --load-pass-plugin={plugin}"))
config.substitutions.append(("%cmake_compiler", config.cmake_compiler))
config.substitutions.append(
    ("%make_npz", f"{sys.executable} {config.test_source_root}/Tools/Inputs/make_npz.py"))

# Tests against XLA need a Python with jax; .ci/run makes one and names it.
python_with_jax = os.environ.get("PARTITA_JAX_PYTHON", "")
if python_with_jax and os.path.exists(python_with_jax):
    config.available_features.add("jax")
    config.substitutions.append(("%jax-python", python_with_jax))
    # XLA's compiler for TPUs is in a package of its own.
    if not subprocess.run([python_with_jax, "-c", "import libtpu"], capture_output=True).returncode:
        config.available_features.add("libtpu")
shared = os.path.join(os.path.dirname(config.partita_src_root), "shared")
if os.path.isdir(os.path.join(shared, "cases")):
    config.available_features.add("shared")
    config.substitutions.append(("%shared", shared))

# Programs without a sanitizer can't load libraries with one.
if not config.sanitizers:
    config.available_features.add("unsanitized")

# Kernels are judged by ptxas where there is a CUDA toolkit.
toolkit = os.environ.get("CUDA_HOME", "/usr/local/cuda")
if os.path.exists(os.path.join(toolkit, "bin", "ptxas")):
    config.available_features.add("ptxas")
    config.environment["CUDA_HOME"] = toolkit

# StableHLO's interpreter tests run where a checkout is named.
stablehlo = os.environ.get("PARTITA_STABLEHLO", "")
if os.path.isdir(os.path.join(stablehlo, "stablehlo", "tests", "interpret")):
    config.available_features.add("stablehlo")
    config.substitutions.append(("%stablehlo", stablehlo))

# Parity with Shardy runs its own tests, where a checkout is named.
shardy = os.environ.get("PARTITA_SHARDY", "")
if os.path.isdir(os.path.join(shardy, "shardy", "dialect", "sdy")):
    config.available_features.add("shardy")
    config.substitutions.append(("%shardy", shardy))
