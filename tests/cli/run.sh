#!/bin/sh
# run.sh [--update] [COMMAND | COMMAND/NAME]...: runs command-line cases (default: all) and prints TAP.
#
# A case is a folder tests/cli/COMMAND/NAME/:
#   cmd        script for sh, run in an empty private folder with ropetool in PATH, a bare environment, and
#              ROOT, the root of the sources; status 77 with a reason on stdout: skipped
#   input/     files put into the private folder beforehand (optional)
#   stdout     what must be printed (default: nothing); a line `...` stands for any number of lines
#   stderr     the same
#   tolerance  relative tolerance of the numbers in stdout (default: exact)
#   exit       exit status (default: 0)
#   files      the files that must be in the folder afterwards, a line each (default: those of input/)
# Nothing may be left in TMPDIR. --update writes stdout, stderr, exit and files anew: read them.
set -u
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
cases=$root/tests/cli
bin=$(cd "${BUILD:-build}" && pwd) && [ -x "$bin/ropetool" ] || { echo "not ok - no ropetool in ${BUILD:-build}"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The files and empty folders below folder $1, named relative to it.
list_files() {
  (cd "$1" && find . -mindepth 1 \( ! -type d -o -empty \) | sed 's,^\./,,' | LC_ALL=C sort)
}

# Runs case $1; leaves stdout, stderr, exit and files in $work/actual.
run_case() {
  rm -rf "${work:?}"/*
  mkdir "$work/here" "$work/home" "$work/tmp" "$work/actual" "$work/expected"
  [ ! -d "$1/input" ] || cp -R "$1/input/." "$work/here"
  (
    cd "$work/here" &&
      exec env -i PATH="$bin:$PATH" HOME="$work/home" TMPDIR="$work/tmp" ROOT="$root" LC_ALL=C.UTF-8 TZ=UTC \
        OMP_WAIT_POLICY=passive ASAN_OPTIONS="${ASAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" \
        timeout -k 5 120 sh "$1/cmd"
  ) >"$work/actual/stdout" 2>"$work/actual/stderr" </dev/null
  echo $? >"$work/actual/exit"
  { list_files "$work/here" && list_files "$work/tmp" | sed 's,^,TMPDIR/,'; } >"$work/actual/files"
}

# What case $1 expects, with the defaults filled in, into $work/expected.
expect_case() {
  for part in stdout stderr; do
    cat "$1/$part" >"$work/expected/$part" 2>/dev/null
  done
  cat "$1/exit" >"$work/expected/exit" 2>/dev/null || echo 0 >"$work/expected/exit"
  cat "$1/files" >"$work/expected/files" 2>/dev/null ||
    { [ ! -d "$1/input" ] || list_files "$1/input"; } >"$work/expected/files"
}

# Compares part $2 of case $1; prints the difference.
check_part() {
  tolerance=
  [ "$2" != stdout ] || tolerance=$(cat "$1/tolerance" 2>/dev/null)
  cmp -s "$work/expected/$2" "$work/actual/$2" && return
  if [ -n "$tolerance" ] || grep -qx '\.\.\.' "$work/expected/$2"; then
    awk -v tolerance="$tolerance" -f tests/match.awk "$work/expected/$2" "$work/actual/$2" && return
  fi
  diff -u -L "expected $2" -L "actual $2" "$work/expected/$2" "$work/actual/$2" | sed 's/^/# /'
  return 1
}

test_case() {
  run_case "$1"
  if [ "$(cat "$work/actual/exit")" = 77 ]; then
    echo "ok - $name # SKIP $(cat "$work/actual/stdout")"
    return
  fi
  expect_case "$1"
  difference=$(
    status=0
    for part in exit stderr stdout files; do
      check_part "$1" "$part" || status=1
    done
    exit $status
  ) && echo "ok - $name" && return
  printf 'not ok - %s\n%s\n' "$name" "$difference"
  status=1
}

update_case() {
  run_case "$1"
  (cd "$1" && rm -f stdout stderr exit files)
  expect_case "$1"
  for part in stdout stderr exit files; do
    cmp -s "$work/expected/$part" "$work/actual/$part" || cp "$work/actual/$part" "$1/$part"
  done
  echo "updated $name"
}

action=test_case
[ "${1:-}" != --update ] || { action=update_case; shift; }
status=0
for wanted in "${@:-.}"; do
  [ -d "$cases/$wanted" ] || { echo "not ok - $wanted: no such case"; status=1; continue; }
  for script in $(cd "$cases" && find "$wanted" -name cmd | sed 's,^\./,,' | LC_ALL=C sort); do
    name=${script%/cmd}
    $action "$cases/$name"
  done
done
exit $status
