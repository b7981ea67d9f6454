#!/bin/sh
# suite.sh LOGS NAME COMMAND...: runs one suite, a program that prints TAP; prints one line about it, and
# what failed or was skipped; leaves "PASSED FAILED SKIPPED" in LOGS/NAME.count.
set -u
logs=$1 name=$2
shift 2
log=$logs/$(echo "$name" | tr / -)

start=$(date +%s%N)
timeout -k 10 "${SUITE_SECONDS:-600}" "$@" >"$log.tap" 2>&1 </dev/null
status=$?
tenths=$((($(date +%s%N) - start) / 100000000))

# A suite that ends badly without a failed test, or with fewer tests than it planned, has failed once more.
awk -v name="$name" -v status="$status" -v seconds="$((tenths / 10)).$((tenths % 10))" -v count="$log.count" '
  function say(text) {
    if (++lines <= 80) said = said "  " text "\n"
  }
  /^1\.\.[0-9]+/ { planned += substr($0, 4); next }
  /^(not )?ok/ && /# SKIP/ { skipped++; say($0); next }
  /^ok/ { passed++; next }
  /^not ok/ { failed++ }
  { say($0) }
  END {
    ran = passed + failed + skipped
    if (status != 0 && !failed) { failed++; ending = "  the suite ended with status " status "\n" }
    else if (ran == 0 || ran < planned) { failed++; ending = "  " ran " tests ran of " planned + 0 " planned\n" }
    if (lines > 80) said = said "  ... and " lines - 80 " lines more\n"
    line = sprintf("%-24s %4d passed", name, passed)
    if (failed) line = line sprintf(", %d FAILED", failed)
    if (skipped) line = line sprintf(", %d skipped", skipped)
    printf "%-56s %6s s\n%s", line, seconds, (failed || skipped ? said ending : "")
    print passed + 0, failed + 0, skipped + 0 > count
  }' "$log.tap"
