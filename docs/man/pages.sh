#!/bin/sh
# pages.sh PROGRAM FOLDER: writes the manual pages of PROGRAM (ropetool) and of its commands into FOLDER.
# Their date is that of the newest entry in docs/debian/changelog.
set -eu
here=$(dirname "$0")
program=$1 folder=$2
date=$(sed -n '/^ -- /{s/.*>  //;p;q;}' "$here/../debian/changelog")
date=$(LC_ALL=C date -u -d "$date" +%Y-%m-%d)

page() { # NAME [COMMAND]
  name=$1
  shift
  "$program" help --man "$@" >"$folder/$name.part"
  LC_ALL=C.UTF-8 awk -v date="$date" -f "$here/page.awk" "$here/../commands.md" "$folder/$name.part" >"$folder/$name.1"
  rm "$folder/$name.part"
}

mkdir -p "$folder"
rm -f "$folder"/*.1
page ropetool
for command in $("$program" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | grep -vx help); do
  page "ropetool-$command" "$command"
done
