#!/usr/bin/env bash
# Builds the runtime and its tests alone, under sanitizers, in a temporary folder
# and runs them: sanitize.sh [--collectives] [thread] [address] [undefined]
# Default: all three. --collectives leaves the kernels out. SANITIZE_FILTER limits the
# tests, as --gtest_filter does.
set -euo pipefail
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The temporary folder has a new name each time; without this ccache never hits.
export CCACHE_NOHASHDIR=1
only=OFF
if [ "${1:-}" = --collectives ]; then
  only=ON
  shift
fi
[ $# -gt 0 ] || set -- thread address undefined
for sanitizer in "$@"; do
  cmake -S "$root/lib/Runtime" -B "$work/$sanitizer" -G Ninja \
    -DCMAKE_BUILD_TYPE=Release -DPARTITA_SANITIZERS="$sanitizer" \
    -DPARTITA_COLLECTIVES_ONLY=$only -DCMAKE_CXX_FLAGS_RELEASE="${SANITIZE_FLAGS:--O1}" \
    -DCMAKE_C_COMPILER="${CC:-clang-22}" -DCMAKE_CXX_COMPILER="${CXX:-clang++-22}" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" >"$work/log"
  ninja -C "$work/$sanitizer" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  "$work/$sanitizer/bin/unit/RuntimeTests" --gtest_brief=1 \
    --gtest_filter="${SANITIZE_FILTER:-*}" || { echo "$sanitizer: failed"; exit 1; }
  echo "$sanitizer: clean"
done
