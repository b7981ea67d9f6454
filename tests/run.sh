#!/bin/sh
# run.sh [PATTERN...]: runs every test suite, or those whose name contains a PATTERN, and ends with the
# line "N passed, N failed, N skipped"; exit status 1 when any failed.
#
# Tests what lies in $BUILD (default build), $JOBS suites at a time (default: one per core). A suite is a
# program that prints TAP: a unit test, a folder of command-line cases, a fuzz target over its corpus, the
# commands of the documentation and its figures, what `make install` installs, the lint and its own tests, the
# simulator of CUDA and the twin tests on it (none of these with SIMT=no).
set -u
cd "$(dirname "$0")/.." || exit 1
export BUILD="${BUILD:-build}" CMOCKA_MESSAGE_OUTPUT=TAP
# More threads than cores run at a time: they must not spin while they wait.
export OMP_WAIT_POLICY=passive
export ASAN_OPTIONS=exitcode=86:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
ulimit -c 0

suites() {
  for folder in tests/cli/*/; do
    [ -d "$folder" ] && echo "cli/$(basename "$folder") tests/cli/run.sh $(basename "$folder")"
  done
  echo "docs tests/docs/run.sh"
  echo "gallery tests/docs/gallery.sh"
  echo "install tests/install/run.sh"
  echo "lint tests/lint/selftest.sh"
  echo "runners tests/selftest.sh"
  for source in tests/unit/test_*.c; do
    name=$(basename "$source" .c)
    [ -f "$source" ] && echo "unit/${name#test_} $BUILD/tests/$name"
  done
  if [ "${SIMT:-yes}" = yes ]; then
    echo "simt tests/simt/run.sh"
    for source in tests/twins/twin_*.c; do
      name=$(basename "$source" .c)
      [ -f "$source" ] && echo "twins/${name#twin_} tests/twins/run.sh ${name#twin_}"
    done
  fi
  for source in tests/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    [ -f "$source" ] && echo "fuzz/${name#fuzz_} tests/fuzz/run.sh $BUILD/tests/fuzz/$name ${name#fuzz_}"
  done
}

wanted() {
  [ $# -gt 0 ] || { cat; return; }
  while read -r name command; do
    for pattern; do
      case $name in *"$pattern"*) echo "$name $command"; break ;; esac
    done
  done
}

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
trap 'exit 130' INT TERM
start=$(date +%s)
suites | wanted "$@" | xargs -r -P "${JOBS:-$(nproc)}" -L 1 tests/suite.sh "$logs"
echo "$(($(date +%s) - start)) seconds"

cat "$logs"/*.count 2>/dev/null | awk '
  { passed += $1; failed += $2; skipped += $3 }
  END {
    if (NR == 0) failed = 1
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0
  }'
