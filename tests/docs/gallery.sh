#!/bin/sh
# gallery.sh: checks that docs/gallery.md, docs/gallery/gallery.recipe and the pictures in docs/gallery are of one
# piece, and that the pictures hold what the program computes now. Prints TAP. (run.sh runs the commands.)
set -u
. "$(dirname "$0")/../built.sh"
# The pictures were made without a GPU.
export PATH="$bin:$PATH" LC_ALL=C.UTF-8 CUDA_VISIBLE_DEVICES=
gallery=docs/gallery

# The document has the commands of the recipe, and shows a figure for each, in the same order.
document_follows() {
  mkdir "$work/commands"
  awk -v folder="$work/commands" -f tests/docs/commands.awk docs/gallery.md
  number=1
  while [ -f "$work/commands/$number.cmd" ]; do
    awk '{ sub(/^ +/, ""); sub(/\\$/, ""); printf "%s", $0 } END { print "" }' "$work/commands/$number.cmd"
    number=$((number + 1))
  done | grep -v '^make ' >"$work/shown"
  sed 's/^\([^ ]*\)  \(.*\)$/ropetool \2 -o \1/' "$work/list" | diff "$work/shown" - || return 1
  sed -n 's/^!\[.*\](gallery\/\(.*\))$/\1/p' docs/gallery.md >"$work/pictures"
  cut -d ' ' -f 1 "$work/list" | diff "$work/pictures" -
}

no_other_pictures() {
  cut -d ' ' -f 1 "$work/list" | LC_ALL=C sort >"$work/names"
  (cd "$gallery" && LC_ALL=C ls -- *.png) | diff "$work/names" -
}

pictures_are_small() {
  large=$(find "$gallery" -name '*.png' -size +40000c)
  [ -z "$large" ] || { echo "more than 40000 bytes: $large"; return 1; }
  total=$(cat "$gallery"/*.png | wc -c)
  [ "$total" -le 700000 ] || { echo "$total bytes in all, more than 700000"; return 1; }
}

# Picture $1.png is intact and was made by the command of the recipe, $2; it holds the data of now.
picture_holds() {
  made=$(ropetool info --command "$gallery/$1.png") || return 1
  [ "$made" = "ropetool $2" ] || { printf 'made by: %s\nrecipe:  ropetool %s\n' "$made" "$2"; return 1; }
  ropetool info --verify "$gallery/$1.png"
}

ropetool figures "$gallery/gallery.recipe" --list >"$work/list"
check "gallery.md shows the figures of the recipe" document_follows
check "there are no other pictures" no_other_pictures
check "the pictures are small" pictures_are_small
while read -r file command; do
  check "$file" picture_holds "${file%.png}" "$command"
done <"$work/list"
exit $status
