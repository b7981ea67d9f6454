#!/bin/sh
# run.sh: installs what lies in $BUILD (default build) into private folders, uses it from there, and takes it
# away again; checks the meta data of the Debian package. Prints TAP.
set -u
. "$(dirname "$0")/../built.sh"

# Only what is built already: nothing is built anew under other tests.
install_into() { # TARGET VARIABLE=VALUE...
  env -u MAKELEVEL make -s BUILD="$bin" CUDA=no "$@"
}

files() {
  (cd "$1" && find . -type f | LC_ALL=C sort)
}

same_files() {
  files "$work/staged/opt/r" >"$work/staged.list"
  files "$work/r" | diff "$work/staged.list" -
}

# The compiler that the library was built with, and the sanitizers.
compiler=$(cut -d ' ' -f 1 "$bin/flags")
sanitizers=$(grep -o -e '-fsanitize=[a-z,]*' "$bin/flags" | head -n 1)
[ "$sanitizers" != -fsanitize=fuzzer-no-link,address,undefined ] || sanitizers=-fsanitize=address,undefined

package() {
  PKG_CONFIG_PATH="$work/r/lib/pkgconfig" pkg-config "$@" ropetool
}

# Each header alone, by either of its names, as what COMPILER... compiles.
compile_headers() { # COMPILER...
  cd "$work" || return 1
  flags=$(package --cflags)
  (cd r/include/ropetool && find . -name '*.h') | sed 's,^\./,,' | LC_ALL=C sort | while read -r header; do
    printf '#ifdef __cplusplus\nextern "C" {\n#endif\n#include "%s"\n#include <ropetool/%s>\n' "$header" "$header"
    # C wants a declaration, which a header of macros has none of.
    printf 'extern int any;\n#ifdef __cplusplus\n}\n#endif\n'
  done >headers.list
  split -l 9 headers.list header. || return 1
  for part in header.??; do
    # shellcheck disable=SC2086 # words are wanted
    "$@" -Wall -Wextra -Wpedantic -Werror -fsyntax-only $flags - <"$part" || { cat "$part"; return 1; }
  done
}

use_library() {
  cd "$work" || return 1
  # shellcheck disable=SC2046,SC2086 # words are wanted
  "$compiler" -std=c11 -Wall -Wextra -Werror $sanitizers "$root/tests/install/program.c" -o program \
    $(package --cflags --libs) -lm && [ "$(./program)" = '64 pairs, base 500000, mean 0.795712' ]
}

# The same program in C++, whose names of functions are others unless it is told.
use_library_in_cpp() {
  cd "$work" || return 1
  { echo 'extern "C" {' && cat "$root/tests/install/program.c" && echo '}'; } |
    sed 's/^#include <\(math\|stdio\).h>/}\n&\nextern "C" {/' >program.cc
  # shellcheck disable=SC2046,SC2086 # words are wanted
  g++ -std=c++17 -Wall -Wextra -Werror $sanitizers program.cc -o program_cpp $(package --cflags --libs) &&
    [ "$(./program_cpp)" = '64 pairs, base 500000, mean 0.795712' ]
}

# A shared library of someone else's, with ours inside, and none of our names.
use_library_in_shared() {
  cd "$work" || return 1
  sed 's/^int main(void)/int mean_cosine(void)/' "$root/tests/install/program.c" >shared.c
  printf 'int mean_cosine(void);\nint main(void) { return mean_cosine(); }\n' >caller.c
  # shellcheck disable=SC2046,SC2086 # words are wanted
  "$compiler" -std=c11 -fPIC -shared $sanitizers shared.c -o libshared.so $(package --cflags --libs) -lm &&
    "$compiler" $sanitizers caller.c -o caller ./libshared.so || return 1
  [ "$(./caller)" = '64 pairs, base 500000, mean 0.795712' ] && ! nm -D --defined-only libshared.so | grep -w spectrum_create
}

# A page for each command, none beside them.
pages() {
  {
    echo ropetool.1
    "$work/r/bin/ropetool" help | sed -n 's/^  \([a-z]*\) .*/ropetool-\1.1/p' | grep -vx ropetool-help.1
  } | LC_ALL=C sort >"$work/wanted"
  (cd "$work/r/share/man/man1" && LC_ALL=C ls) | diff "$work/wanted" -
}

# What a document links to is there.
links() {
  cd "$work/r/share/doc/ropetool" || return 1
  grep -o -r --include='*.md' '](\(\.\./\)*[A-Za-z][A-Za-z0-9_./-]*' . | tr -d ']' | while IFS=: read -r file link; do
    [ -e "$(dirname "$file")/${link#(}" ] || echo "$file: ${link#(} is not there"
  done >"$work/broken"
  [ ! -s "$work/broken" ] || { cat "$work/broken"; return 1; }
}

# What a recipe reads lies where it looks, two levels below.
recipes_read() {
  mkdir -p "$work/copy" && cp -R "$work/r/share/doc/ropetool/." "$work/copy" && mkdir -p "$work/copy/build/gallery" || return 1
  for recipe in "$work"/copy/plots/recipes/*.recipe "$work"/copy/docs/*/*.recipe; do
    grep -o -e '\.\./\.\./[^ ]*' "$recipe" | sort -u | while read -r file; do
      [ -f "$work/copy/build/gallery/$file" ] || echo "${recipe##*/}: $file is not there"
    done
  done >"$work/missing"
  [ ! -s "$work/missing" ] || { cat "$work/missing"; return 1; }
}

# Nothing is put anywhere, and nothing taken away, where a folder's name has a blank.
blanks_are_refused() {
  mkdir -p "$work/other"
  for target in install-files uninstall; do
    ! install_into $target PREFIX="$work/other r" >"$work/said" 2>&1 && grep -q "blank in DESTDIR" "$work/said" || return 1
  done
  [ -d "$work/other" ] && [ -z "$(files "$work/other")" ] && [ ! -e "$work/other r" ]
}

# What of others lies there stays.
uninstalled() {
  mkdir -p "$work/r/share/man/man1" && touch "$work/r/bin/other" "$work/r/share/man/man1/other.1"
  install_into uninstall PREFIX="$work/r" && [ "$(files "$work/r")" = './bin/other
./share/man/man1/other.1' ] || { files "$work/r"; return 1; }
}

version_agrees() {
  version=$(sed -n 's/^VERSION := //p' Makefile)
  [ "$(sed -n '1s/^ropetool (\(.*\)) .*/\1/p' docs/debian/changelog)" = "$version" ]
}

# The head, changes and the foot of each entry of the changelog.
changelog_reads() {
  ! grep -v -E -e '^ropetool \([0-9.]+\) [a-z]+; urgency=[a-z]+$' -e '^  (\* |  )[^ ]' -e '^$' \
    -e '^ -- [^<>]+ <[^<>@ ]+@[^<>@ ]+>  (Mon|Tue|Wed|Thu|Fri|Sat|Sun), [ 0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} \+0000$' \
    docs/debian/changelog
}

# Paragraphs of fields: FIELD of paragraph N of docs/debian/control, in one line.
control() { # N FIELD
  awk -v wanted="$1" -v field="$2:" -v RS= -F '\n' 'NR == wanted {
    for (i = 1; i <= NF; i++) {
      if ($i !~ /^ /) on = index($i, field) == 1
      if (on) { sub("^" field, "", $i); printf "%s ", $i }
    }
  }' docs/debian/control
}

control_reads() {
  ! grep -n -v -E -e '^[A-Z][A-Za-z-]*: [^ ]' -e '^ +[^ ]' -e '^$' docs/debian/control || return 1
  [ "$(control 1 Source | tr -d ' ')" = ropetool ] && [ "$(control 2 Package | tr -d ' ')" = ropetool ] &&
    [ "$(control 3 Package | tr -d ' ')" = libropetool-dev ] || { echo 'other packages'; return 1; }
  for paragraph in 2 3; do
    for field in Architecture Depends Description; do
      [ -n "$(control "$paragraph" "$field")" ] || { echo "paragraph $paragraph has no $field"; return 1; }
    done
  done
}

# The libraries that the Makefile installs to build are those that the package needs.
build_needs() {
  sed -n '/^PACKAGES_BUILD/,/[^\\]$/p' Makefile | grep -o -e '[a-z0-9]*-dev' | grep -vx libc6-dev | LC_ALL=C sort >"$work/needed"
  control 1 Build-Depends | grep -o -e '[a-z0-9]*-dev' | LC_ALL=C sort | diff "$work/needed" - || return 1
  control 3 Depends | grep -o -e '[a-z0-9]*-dev' | LC_ALL=C sort | diff - "$work/needed" | grep '^<' && return 1
  :
}

check 'install: with a prefix' install_into install-files PREFIX="$work/r"
check 'install: with DESTDIR, the same files' install_into install-files DESTDIR="$work/staged" PREFIX=/opt/r
check 'install: the same files either way' same_files
check 'install: no file knows where it was staged' sh -c "! grep -rl '$work/staged' '$work/staged'"
check 'installed: the program runs' "$work/r/bin/ropetool" --version
check 'installed: a manual page for each command' pages
check 'installed: what documents link to' links
check 'installed: what recipes read' recipes_read
check 'installed: no folder with a blank' blanks_are_refused
if command -v pkg-config >/dev/null; then
  check 'library: each header by itself' compile_headers "$compiler" -std=c11 -x c
  check 'library: each header by itself in C++' compile_headers g++ -std=c++17 -x c++
  check 'library: a program that uses it' use_library
  check 'library: one in C++' use_library_in_cpp
  check 'library: inside a shared library' use_library_in_shared
else
  echo 'ok - library # SKIP no pkg-config'
fi
check 'uninstall: takes away what is ours' uninstalled
check 'debian: the version is that of the Makefile' version_agrees
check 'debian: changelog' changelog_reads
check 'debian: control' control_reads
check 'debian: what it needs' build_needs
exit $status
