#!/bin/sh
# run.sh PROGRAM NAME [SECONDS]: without SECONDS replays the corpus of fuzz target NAME, one TAP line per
# input; with SECONDS lets libFuzzer work from that corpus and keeps what it finds beside PROGRAM.
set -u
program=$1 name=$2 seconds=${3:-}
corpus=tests/fuzz/corpus/$name

if [ -n "$seconds" ]; then
  found=$program.found
  mkdir -p "$found"
  "$program" -max_total_time="$seconds" -timeout=10 -artifact_prefix="$program." -print_final_stats=1 \
    "$found" "$corpus" >"$program.log" 2>&1 || { tail -n 40 "$program.log"; exit 1; }
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$program.log") runs, nothing found"
  exit 0
fi

status=0
for input in "$corpus"/*; do
  if output=$("$program" "$input" 2>&1); then
    echo "ok - $(basename "$input")"
  else
    printf 'not ok - %s\n%s\n' "$input" "$output" | sed '2,$s/^/# /'
    status=1
  fi
done
exit $status
