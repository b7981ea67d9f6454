#!/bin/sh
# run.sh NAME: runs the twin test NAME on the CPU and the simulator (tests/simt/README.md), as TAP: in the
# plain build with threads forward, which prints the errors found; then in reverse and in a seeded order,
# which must give the same bits; then fewer cases under the race check and under AddressSanitizer.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build} name=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export CMOCKA_MESSAGE_OUTPUT=TAP OMP_NUM_THREADS=1
sanitizer=$("${SIMT_CXX:-g++}" -print-file-name=libasan.so)

# A stand-in for cuBLAS.
cublas=$(realpath "$build/tests/plugins/fake_cublas.so")

# run BUILD ORDER [PRELOAD]: the test with that build of the plug-in, into $log.
run() {
  env SIMT_ORDER="$2" TWINS_CUBLAS="$cublas" \
    ROPETOOL_CUDA_PLUGIN="$build/simt/$1/ropetool_cuda.so" ${3:+LD_PRELOAD="$3"} \
    ASAN_OPTIONS=detect_leaks=0:exitcode=86 "$build/tests/twins/twin_$name" >"$log" 2>&1
}

digest() {
  sed -n 's/^# digest[^:]*: //p' "$log"
}

# result STATUS TITLE: of the run before.
result() {
  if [ "$1" = 0 ]; then
    echo "ok - $2"
  else
    echo "not ok - $2"
    sed 's/^/# /' "$log"
  fi
}

same_bits() {
  run plain "$1" && [ "$(digest)" = "$expected" ]
  result $? "threads in $2 give the same bits"
}

run plain forward
status=$?
cat "$log"
[ "$status" = 0 ] || { echo "not ok - $name ends with status $status"; exit 1; }
expected=$(digest)
echo "1..4"
same_bits reverse "reverse"
same_bits 20240501 "a seeded order"
export TWINS_BRIEF=yes
run race forward
result $? "no data races"
run address forward "$sanitizer"
result $? "nothing out of bounds"
