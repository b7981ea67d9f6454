#!/bin/sh
# packages.sh PACKAGE...: installs the named Debian packages that are missing, and says which.
# Where it cannot (not Debian, or neither root nor sudo) it names them and leaves the rest to the build.
set -eu

# Any gnuplot package will do: they exclude one another.
installed() {
  case $1 in gnuplot-*) command -v gnuplot >/dev/null && return ;; esac
  dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "packages: not a Debian system; needed are what Debian calls: $*" >&2
  exit 0
fi

missing=
for package in "$@"; do
  installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
  as_root='env'
elif command -v sudo >/dev/null; then
  as_root='sudo env'
else
  echo "packages: neither root nor sudo; ask for: apt-get install$missing" >&2
  exit 0
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  $as_root DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -y -o DPkg::Lock::Timeout=300 "$@" \
    >>"$log" 2>&1 </dev/null
}

echo "Installing:$missing"
# The package lists are only fetched when those at hand do not serve.
# shellcheck disable=SC2086 # a list of words
if ! apt install --no-install-recommends $missing; then
  if ! { apt update && apt install --no-install-recommends $missing; }; then
    cat "$log" >&2
    echo "packages: apt-get could not install:$missing" >&2
    exit 1
  fi
fi
