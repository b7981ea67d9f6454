#!/bin/sh
# Prints a C file that holds each file named as an argument: the table behind lib/figure/asset.h.
set -eu
echo '#include "lib/figure/asset.h"'
echo 'extern const struct asset asset_table[];'
echo 'extern const size_t asset_count;'
n=0
for file in "$@"; do
  printf 'static const unsigned char data_%d[] = {' "$n"
  od -An -v -tu1 "$file" | sed -e 's/^ *//' -e 's/  */,/g' -e 's/$/,/'
  echo '0};'
  n=$((n + 1))
done
echo 'const struct asset asset_table[] = {'
n=0
for file in "$@"; do
  printf '  {"%s", (const char *)data_%d, sizeof data_%d - 1},\n' "${file#plots/}" "$n" "$n"
  n=$((n + 1))
done
echo '};'
echo "const size_t asset_count = $n;"
