#!/bin/sh
# selftest.sh: sees that the runners notice what they are for, on a small tree with a ropetool of its own.
# Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/build/tests" "$tree/tests/unit" "$tree/tests/docs" "$tree/tests/lint" "$tree/docs"
cp -R tests/run.sh tests/suite.sh tests/built.sh tests/match.awk "$tree/tests"
cp tests/docs/run.sh tests/docs/commands.awk "$tree/tests/docs"
mkdir "$tree/tests/cli" && cp tests/cli/run.sh tests/cli/try.sh "$tree/tests/cli"
printf '#!/bin/sh\nexec "$@"\n' >"$tree/build/ropetool"
printf '#!/bin/sh\necho "ok - lint"\n' >"$tree/tests/lint/selftest.sh"
chmod +x "$tree/build/ropetool" "$tree/tests/lint/selftest.sh"
export BUILD="$tree/build"
status=0

# expect NAME WANTED ACTUAL
expect() {
  if [ "$2" = "$3" ]; then
    echo "ok - $1"
  else
    printf 'not ok - %s\n' "$1"
    printf 'wanted: %s\nactual: %s\n' "$2" "$3" | sed 's/^/# /'
    status=1
  fi
}

# A case with the files NAME=TEXT...; prints the first line that the runner gives.
outcome() {
  rm -rf "$tree/tests/cli/x"
  mkdir -p "$tree/tests/cli/x/y"
  for file; do
    printf '%b' "${file#*=}" >"$tree/tests/cli/x/y/${file%%=*}"
  done
  "$tree/tests/cli/run.sh" x/y | head -n 1
}
good='ok - x/y' bad='not ok - x/y'
expect 'case: nothing said, nothing expected' "$good" "$(outcome cmd='true')"
expect 'case: stdout' "$good" "$(outcome cmd='ropetool echo a' stdout='a\n')"
expect 'case: another stdout' "$bad" "$(outcome cmd='ropetool echo a' stdout='b\n')"
expect 'case: no line end' "$bad" "$(outcome cmd='printf a' stdout='a\n')"
expect 'case: unexpected stderr' "$bad" "$(outcome cmd='echo a >&2')"
expect 'case: missing stderr' "$bad" "$(outcome cmd='true' stderr='a\n')"
expect 'case: exit status' "$good" "$(outcome cmd='exit 3' exit='3\n')"
expect 'case: another exit status' "$bad" "$(outcome cmd='exit 3')"
expect 'case: a file' "$good" "$(outcome cmd='touch f' files='f\n')"
expect 'case: a file left behind' "$bad" "$(outcome cmd='touch .f')"
expect 'case: a file missing' "$bad" "$(outcome cmd='true' files='f\n')"
expect 'case: a file left in TMPDIR' "$bad" "$(outcome cmd='touch $TMPDIR/f')"
expect 'case: an empty folder left in TMPDIR' "$bad" "$(outcome cmd='mkdir $TMPDIR/f')"
expect 'case: any lines' "$good" "$(outcome cmd='seq 9' stdout='1\n...\n5\n...\n9\n')"
expect 'case: any lines, a missing one' "$bad" "$(outcome cmd='seq 9' stdout='1\n...\n10\n...\n9\n')"
expect 'case: any lines, in order' "$bad" "$(outcome cmd='seq 9' stdout='...\n5\n...\n4\n...\n')"
expect 'case: within the tolerance' "$good" "$(outcome cmd='echo x=1.001,2' stdout='x=1,2\n' tolerance=1e-2)"
expect 'case: beyond the tolerance' "$bad" "$(outcome cmd='echo x=1.001,2' stdout='x=1,2\n' tolerance=1e-4)"
expect 'case: NaN is within no tolerance' "$bad" "$(outcome cmd='echo nan' stdout='1\n' tolerance=9)"
expect 'case: text is exact' "$bad" "$(outcome cmd='echo y=1' stdout='x=1\n' tolerance=1e-2)"
expect 'case: skipped' "$good # SKIP why" "$(outcome cmd='echo why; exit 77')"
expect 'case: the environment is bare' "$good" "$(GNUTERM=x outcome cmd='echo $GNUTERM$DISPLAY' stdout='\n')"
rm -rf "$tree/tests/cli/x"

# A document; prints the first line that the runner gives.
document() {
  printf '%b' "$1" >"$tree/README.md"
  "$tree/tests/docs/run.sh" | head -n 1
}
expect 'docs: a command' 'ok - README.md:2: ropetool true' "$(document '```sh\nropetool true\n```\n')"
expect 'docs: a failing command' 'not ok - README.md:2: false' "$(document '```sh\nfalse\n```\n')"
expect 'docs: its output' 'ok - README.md:3: echo a' "$(document '\n```console\n$ echo a\na\n```\n')"
expect 'docs: another output' 'not ok - README.md:2: echo a' "$(document '```console\n$ echo a\nb\n```\n')"
expect 'docs: no block of commands' '' "$(document '```c\nfalse\n```\nfalse\n')"

# The unit tests of one program that prints $1 and exits with $2; prints the last line of all.
unit() {
  printf '' >"$tree/tests/unit/test_x.c"
  printf '#!/bin/sh\nprintf "%s"\nexit %s\n' "$1" "$2" >"$tree/build/tests/test_x"
  chmod +x "$tree/build/tests/test_x"
  "$tree/tests/run.sh" unit | tail -n 1
}
expect 'unit: passed' '2 passed, 0 failed, 0 skipped' "$(unit '1..2\\nok 1 - a\\nok 2 - b\\n' 0)"
expect 'unit: failed' '1 passed, 1 failed, 0 skipped' "$(unit '1..2\\nok 1 - a\\nnot ok 2 - b\\n' 1)"
expect 'unit: skipped' '1 passed, 0 failed, 1 skipped' "$(unit '1..2\\nok 1 - a\\nnot ok 2 # SKIP b\\n' 0)"
expect 'unit: ended early' '1 passed, 1 failed, 0 skipped' "$(unit '1..2\\nok 1 - a\\n' 0)"
expect 'unit: crashed' '2 passed, 1 failed, 0 skipped' "$(unit '1..2\\nok 1 - a\\nok 2 - b\\n' 134)"
expect 'unit: silent' '0 passed, 1 failed, 0 skipped' "$(unit '' 0)"
rm "$tree/build/tests/test_x"
expect 'unit: missing' '0 passed, 1 failed, 0 skipped' "$("$tree/tests/run.sh" unit | tail -n 1)"
expect 'no suite at all' '0 passed, 1 failed, 0 skipped' "$("$tree/tests/run.sh" nothing | tail -n 1)"
"$tree/tests/run.sh" unit >"$tree/log"
expect 'a failure shows in the exit status' 1 $?
exit $status
