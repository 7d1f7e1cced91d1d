#!/usr/bin/env bash
# Checks the GPU path on a machine with an NVIDIA GPU, in under five minutes:
#   build      the tools are there (else they are built)
#   runtime    the runtime's tests on the card instead of the fake driver
#   programs   each program by --engine=cuda against its unsharded form, its devices all on
#              one card; with several cards also by NCCL
#   timings    a dot, and an elementwise kernel against a copy
# usage: gpu.sh [BUILD]        PARTITA_CORPUS: a folder with more programs (*.mlir), such as
#                              corpus.py makes with CORPUS_SMALL=1
# The last line counts. Exit status 77 without a GPU, 1 if something failed.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" 2>/dev/null && pwd) || build=$root/build
passed=0 failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache

check() { # NAME COMMAND...: counts one check, shows what failed
  local name=$1
  shift
  if timeout 60 "$@" >"$scratch/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $name"
    head -5 "$scratch/log" | sed 's/^/    /'
  fi
}

# Where a library is; empty: nowhere. The loader looks in the same places.
find_library() {
  local folder
  for folder in ${LD_LIBRARY_PATH//:/ }; do
    [ -e "$folder/$1" ] && echo "$folder/$1" && return
  done
  ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'
}
LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}
if [ -z "$(find_library libcuda.so.1)" ]; then
  echo "no GPU: libcuda.so.1 not found"
  echo "skipped: no GPU"
  exit 77
fi

if [ ! -x "$build/bin/partita-run" ] || [ ! -x "$build/bin/unit/CudaRuntimeTests" ]; then
  make -C "$root" build/build.ninja BUILD="$build" >/dev/null &&
    ninja -C "$build" partita-run partita-translate CudaRuntimeTests >"$scratch/log" 2>&1 ||
    { tail -5 "$scratch/log"; echo "the build failed"; exit 1; }
fi
PATH=$build/bin:$PATH

# A driver without a card: the tool says why.
echo 'func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> { return %x : tensor<8xf32> }' \
  >"$scratch/probe.mlir"
if ! partita-run "$scratch/probe.mlir" --engine=cuda >"$scratch/log" 2>&1; then
  if grep -q "no GPU" "$scratch/log"; then
    grep "no GPU" "$scratch/log"
    echo "skipped: no GPU"
    exit 77
  fi
  cat "$scratch/log"
  exit 1
fi
cards=$(nvidia-smi -L 2>/dev/null | wc -l)
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null

# The fake driver's folder is in the tests' run path: the real libraries go before.
mkdir "$scratch/lib"
for library in libcuda.so.1 libcublasLt.so.13 libcublasLt.so.12 libnccl.so.2; do
  path=$(find_library $library)
  folder=${CUDA_HOME:-/usr/local/cuda}/lib64
  [ -z "$path" ] && [ -e "$folder/$library" ] && path=$folder/$library
  [ -n "$path" ] && ln -s "$path" "$scratch/lib/$library"
done
unit() { LD_LIBRARY_PATH=$scratch/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} CudaRuntimeTests "$@"; }
PATH=$build/bin/unit:$PATH
export -f unit
export scratch
filter='*OneCard*:Dot.*:Convolution.*:HostKernel.*:Kernel.*'
[ "$cards" -ge 4 ] && filter="$filter:*NCCL*"
check "runtime tests" bash -c "unit --gtest_brief=1 --gtest_filter='$filter'"

programs=("$root"/examples/*/*.mlir "$root"/test/Integration/Inputs/*.mlir
          "$root"/test/Target/GPU/index-kernels.mlir ${PARTITA_CORPUS:+"$PARTITA_CORPUS"/*.mlir})
for program in "${programs[@]}"; do
  name=$(basename "$program" .mlir)
  check "$name on one card" env CUDA_VISIBLE_DEVICES=0 \
    partita-run "$program" --engine=cuda --inputs=positive --compare=unsharded
  [ "$cards" -ge 2 ] && check "$name by NCCL" \
    partita-run "$program" --engine=cuda --inputs=positive --compare=unsharded
done

cat >"$scratch/elementwise.mlir" <<'END'
func.func @main(%x: tensor<67108864xf32>) -> tensor<67108864xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<67108864xf32>
  %1 = stablehlo.tanh %0 : tensor<67108864xf32>
  return %1 : tensor<67108864xf32>
}
END
if partita-translate --spmd-to-ptx --chip=sm_80 "$scratch/elementwise.mlir" \
    -o "$scratch/kernel.ptx"; then
  PARTITA_TIMING_PTX=$scratch/kernel.ptx unit --gtest_also_run_disabled_tests \
    --gtest_filter='Timing.*' --gtest_brief=1 | grep '^timing'
fi
echo "$passed passed, $failed failed, ${cards:-0} cards, $SECONDS seconds"
[ "$failed" -eq 0 ]
