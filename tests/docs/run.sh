#!/bin/sh
# run.sh: runs every command of README.md and docs/*.md, each document in a private folder that starts with
# the files of tests/docs/files/, and prints TAP. A command must succeed; where its block shows output, that
# is what stdout and stderr together must be (a line `...` stands for any number of lines).
#
# A call of make is not run: its targets must exist. (.ci/run makes demo, check and lint.)
set -u
. "$(dirname "$0")/../built.sh"

# The make command "$@" names targets of the Makefile.
known_targets() {
  shift
  for word; do
    case $word in *=* | -*) continue ;; esac
    grep -q "^$word:" "$root/Makefile" || { echo "make has no target '$word'"; return 1; }
  done
}

# Runs command file $1; its output goes to stdout.
run_command() {
  # shellcheck disable=SC2046 # words are wanted
  if grep -q '^make\( \|$\)' "$1"; then
    known_targets $(cat "$1")
    return
  fi
  cd "$work/here" || exit 1
  exec env -i PATH="$bin:$PATH" HOME="$work/home" LC_ALL=C.UTF-8 TZ=UTC OMP_WAIT_POLICY=passive \
    ASAN_OPTIONS="${ASAN_OPTIONS:-}" UBSAN_OPTIONS="${UBSAN_OPTIONS:-}" timeout -k 5 120 sh "$1" 2>&1 </dev/null
}

check_command() { # FOLDER/NUMBER
  (run_command "$1.cmd") >"$1.actual"
  code=$?
  [ $code = 0 ] || { echo "exit status $code"; cat "$1.actual"; return 1; }
  [ -s "$1.out" ] && ! grep -q '^make' "$1.cmd" || return 0
  awk -f tests/match.awk "$1.out" "$1.actual" || { diff -u -L shown -L printed "$1.out" "$1.actual"; return 1; }
}

for document in README.md docs/*.md; do
  [ -f "$document" ] || continue
  rm -rf "${work:?}"/*
  mkdir "$work/here" "$work/home" "$work/commands"
  [ ! -d tests/docs/files ] || cp -R tests/docs/files/. "$work/here"
  awk -v folder="$work/commands" -f tests/docs/commands.awk "$document"
  number=1
  while [ -f "$work/commands/$number.cmd" ]; do
    name="$document:$(cat "$work/commands/$number.line"): $(head -n 1 "$work/commands/$number.cmd")"
    if output=$(check_command "$work/commands/$number"); then
      printf 'ok - %s\n' "$name"
    else
      printf 'not ok - %s\n' "$name"
      printf '%s\n' "$output" | sed 's/^/# /'
      status=1
    fi
    number=$((number + 1))
  done
done
exit $status
