#!/bin/sh
# run.sh: the simulator's own tests, as TAP: its three builds on right and on wrong kernels, and whether
# nvcc, where there is one, takes the same kernels. Builds in $BUILD (default build); SIMT_CXX is the compiler.
set -u
cd "$(dirname "$0")/../.." || exit 1
export BUILD="${BUILD:-build}"
# What a make that started this was told is not meant for the one below.
unset MAKEFLAGS MFLAGS MAKELEVEL

log=$(mktemp)
trap 'rm -f "$log"' EXIT

said() {
  sed 's/^/# /' "$log"
}

nvcc=${NVCC-$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)}
compile() {
  "$nvcc" -std=c++17 -I. -c -o /dev/null "tests/simt/$1.cu" \
    -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 >"$log" 2>&1
}

if make -f tests/simt/simt.mk -j"$(nproc)" simt-selftest >"$log" 2>&1; then
  echo "ok - builds"
else
  echo "not ok - builds"
  said
fi
for build in plain address race; do
  "$BUILD/simt/$build/selftest" "$build" >"$log" 2>&1
  status=$?
  sed "s/^\(\(not \)\?ok [0-9]* -\)/\1 $build:/" "$log"
  if [ $status -le 1 ] && grep -q '^1\.\.' "$log"; then
    echo "ok - the $build build comes to its end"
  else
    echo "not ok - the $build build comes to its end, not to status $status"
  fi
done
for kernels in right wrong; do
  if [ -z "$nvcc" ]; then
    echo "ok - nvcc takes $kernels.cu # SKIP no nvcc"
  elif compile "$kernels"; then
    echo "ok - nvcc takes $kernels.cu, compute capabilities 7.5 and 9.0"
  else
    echo "not ok - nvcc takes $kernels.cu"
    said
  fi
done
echo "1..6"
