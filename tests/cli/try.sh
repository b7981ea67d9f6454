# For `cmd` scripts: . "$ROOT/tests/cli/try.sh"

# try LABEL COMMAND...: runs the command; prints the label, the exit status, and all that it said.
try() {
  label=$1
  shift
  said=$("$@" 2>&1 </dev/null)
  printf '%s: exit %s\n' "$label" $?
  [ -z "$said" ] || printf '%s\n' "$said" | sed 's/^/  /'
}

# skip REASON...: ends the case as skipped.
skip() {
  echo "$*"
  exit 77
}
