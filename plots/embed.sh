#!/bin/sh
# Prints a C file that takes in each file named as an argument: the table behind lib/base/asset.h. The
# assembler reads their bytes, so that megabytes cost no time; make runs it where the names hold.
set -eu
echo '#include "lib/base/asset.h"'
echo 'extern const struct asset asset_table[];'
echo 'extern const size_t asset_count;'
n=0
for file in "$@"; do
  printf 'extern const char asset_data_%d[];\n' "$n"
  printf '__asm__(".pushsection .rodata\\n.balign 64\\n.globl asset_data_%d\\n.hidden asset_data_%d\\n"\n' "$n" "$n"
  printf '        "asset_data_%d:\\n.incbin \\"%s\\"\\n.byte 0\\n.popsection\\n");\n' "$n" "$file"
  n=$((n + 1))
done
echo 'const struct asset asset_table[] = {'
n=0
for file in "$@"; do
  name=${file#plots/}
  printf '  {"%s", asset_data_%d, %d},\n' "${name#lib/model/}" "$n" "$(wc -c <"$file")"
  n=$((n + 1))
done
echo '};'
echo "const size_t asset_count = $n;"
