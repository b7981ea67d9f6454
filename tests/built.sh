# built.sh: sourced by suites that try the built program: stands in the sources ($root), finds the build ($bin), makes
# a private folder ($work) that goes at the end, and has `check`. A suite exits with $status.
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
bin=$(cd "${BUILD:-build}" && pwd) && [ -x "$bin/ropetool" ] || { echo "not ok - no ropetool in ${BUILD:-build}"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
status=0

# check NAME COMMAND...: prints TAP; what the command says is shown when it fails.
check() {
  name=$1
  shift
  if said=$("$@" 2>&1); then
    echo "ok - $name"
  else
    echo "not ok - $name"
    [ -z "$said" ] || printf '%s\n' "$said" | sed 's/^/# /'
    status=1
  fi
}
