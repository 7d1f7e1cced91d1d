#!/usr/bin/env bash
# Installs the Debian packages that Partita builds with, where they are missing.
# Does nothing, and needs no root, where all are there.
set -euo pipefail
packages=(cmake ninja-build ccache git python3 python3-venv zlib1g-dev libgtest-dev
          clang-22 libclang-rt-22-dev lld-22 llvm-22-dev llvm-22-tools
          libmlir-22-dev mlir-22-tools libopenblas-dev libmimalloc-dev)
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing: ${missing[*]}"
root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
"${root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
