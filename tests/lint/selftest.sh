#!/bin/sh
# selftest.sh: checks the sources with layers.sh, then plants one fault for each of its rules in a small
# tree and sees it reported at its line. Prints TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
layers=$PWD/tests/lint/layers.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
status=0

tap() { # RESULT NAME OUTPUT
  if [ "$1" = 0 ]; then
    echo "ok - $2"
  else
    echo "not ok - $2"
    printf '%s\n' "$3" | sed 's/^/# /'
    status=1
  fi
}

output=$("$layers")
tap $? "the sources" "$output"

# plant FILE TEXT MESSAGE: with TEXT as second line of FILE in an innocent tree, that line must be reported
# with MESSAGE, and nothing else.
plant() {
  rm -rf "${copy:?}"/*
  mkdir -p "$copy/cmd" "$copy/kernels" "$copy/tests"
  for layer in base io rope model encoding analysis figure; do
    mkdir -p "$copy/lib/$layer"
    printf '/* . */\n#include <stddef.h>\n' >"$copy/lib/$layer/innocent.h"
  done
  { echo '/* The next line is at fault. */'; printf '%b\n' "$2"; } >"$copy/$1"
  output=$("$layers" "$copy")
  [ $? = 1 ] && [ "$output" = "$1:2: $3" ]
  tap $? "$1: $3" "$output"
}

include() { # FILE HEADER MESSAGE
  plant "$1" "#include $2" "$3"
}

include cmd/bad.c '"kernels/decay_cpu.h"' 'cmd may not include kernels/decay_cpu.h'
include cmd/bad.c '"tests/support.h"' 'cmd may not include tests/support.h'
include lib/rope/bad.c '"cmd/option.h"' 'lib/rope may not include cmd/option.h'
include lib/rope/bad.c '"kernels/decay_cpu.h"' 'lib/rope may not include kernels/decay_cpu.h'
include lib/rope/bad.c '"lib/analysis/map.h"' 'lib/rope may not include lib/analysis/map.h'
include lib/rope/bad.h '"lib/model/config.h"' 'lib/rope may not include lib/model/config.h'
include lib/model/bad.c '"lib/new/thing.h"' 'lib/model may not include lib/new/thing.h'
include lib/base/bad.c '"lib/io/table.h"' 'lib/base may not include lib/io/table.h'
include lib/base/bad.c '"kernels/backend.h"' 'lib/base may not include kernels/backend.h'
include kernels/bad.c '"lib/rope/spectrum.h"' 'kernels may not include lib/rope/spectrum.h'
include lib/io/bad.c '"table.h"' '"table.h": give the path from the root'

linalg='^lib/analysis/linalg[.]c$'
include lib/analysis/bad.c '<gsl/gsl_linalg.h>' "<gsl/gsl_linalg.h> belongs to $linalg"
include lib/analysis/bad.c '<gsl/gsl_eigen.h>' "<gsl/gsl_eigen.h> belongs to $linalg"
include lib/rope/bad.c '<gsl/gsl_blas.h>' "<gsl/gsl_blas.h> belongs to $linalg"
include lib/io/bad.c '<png.h>' '<png.h> belongs to ^lib/figure/raster[.]c$'
include cmd/bad.c '<spawn.h>' '<spawn.h> belongs to ^lib/base/process[.]c$'
include cmd/bad.c '<jansson.h>' '<jansson.h> belongs to ^(lib/[a-z]*/[a-z0-9_]*|cmd/version)[.]c$'
include kernels/bad_cpu.c '<cuda_runtime.h>' '<cuda_runtime.h> belongs to ^kernels/([a-z0-9_]*_cuda[.]cu|cuda_[a-z0-9_]*[.]h)$'
include kernels/bad_cpu.c '"kernels/cuda_port.h"' 'kernels/cuda_port.h is for CUDA sources alone'
include lib/rope/bad.c '<Random123/philox.h>' '<Random123/philox.h> belongs to ^kernels/[a-z0-9_]*_(cpu[.]c|cuda[.]cu)$'
include lib/analysis/bad.c '<cblas.h>' '<cblas.h> belongs to ^kernels/([a-z0-9_]*_)?cpu[.]c$'
include lib/io/bad.c '<nettle/sha2.h>' '<nettle/sha2.h> belongs to ^(lib/base/hash|cmd/version)[.]c$'
include lib/io/bad.c '<argp.h>' '<argp.h> belongs to ^cmd/'
include lib/io/bad.c '<dlfcn.h>' '<dlfcn.h> belongs to ^(kernels/|lib/figure/font[.]c$)'
include lib/io/bad.h '<unistd.h>' '<unistd.h> in a header: no foreign types in headers'

include lib/io/bad.c '<err.h>' '<err.h> belongs to ^cmd/'

for call in printf puts perror; do
  plant lib/io/bad.c "  $call(\"\");" "$call(): library code does not print"
done
for call in exit abort assert; do
  plant kernels/bad.c "  if (x) $call(1);" "$call(): library code does not end the program"
done
for call in system popen fork execvp posix_spawn; do
  plant cmd/bad.c "  int x = $call(0);" "$call(): only lib/base/process.c starts processes"
done
plant lib/io/bad.c '  fputs("x", stderr);' 'stdout and stderr belong to cmd'
plant lib/io/bad.c '  /* said */ exit(0); // done' 'exit(): library code does not end the program'
plant lib/io/bad.c "int f(void) {$(printf '\\n%.0s' $(seq 80))\n}" '82 lines in a function, at most 80'

# A circle of two headers is reported once, at either of its includes.
echo '#include "lib/io/b.h"' >"$copy/lib/io/a.h"
echo '#include "lib/io/a.h"' >"$copy/lib/io/b.h"
rm -f "$copy/lib/io/bad.c"
output=$("$layers" "$copy")
echo "$output" | grep -qx 'lib/io/[ab].h:1: lib/io/[ab].h includes it in turn: a circle'
tap $? 'headers in a circle' "$output"

# A file of 451 lines.
rm -f "$copy"/lib/io/[ab].h
seq -f '/* %g */' 451 >"$copy/lib/io/long.c"
output=$("$layers" "$copy")
[ "$output" = 'lib/io/long.c:1: 451 lines in a file, at most 450' ]
tap $? 'a long file' "$output"

# Words in comments and strings, members and longer names are no calls.
cat >"$copy/lib/io/long.c" <<'TEXT'
/* exit(1), printf("x") and
   abort() to stderr */
int f(const char *format) { return snprintf_like("exit(1) \" printf(", format) + job->error(1) + my_exit(2); }
TEXT
output=$("$layers" "$copy")
tap $? 'no false alarm' "$output"
exit $status
