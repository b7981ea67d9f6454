#!/bin/sh
# device.sh: the twin tests on a real device, with the plug-in in $BUILD (default build), and again under
# compute-sanitizer where that is installed. Prints, and leaves in $BUILD/check-cuda.txt, the largest error of
# every operation; says "skipped" where there is no plug-in or no device.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build} plugin=$PWD/$build/ropetool_cuda.so
case $build in /*) plugin=$build/ropetool_cuda.so ;; esac
[ -f "$plugin" ] || { echo "check-cuda: skipped, no CUDA plug-in is built"; exit 0; }
export ROPETOOL_CUDA_PLUGIN="$plugin" CMOCKA_MESSAGE_OUTPUT=TAP
device=$("$build/ropetool" --version | sed -n 's/^cuda: //p')
case $device in "no CUDA device"*) echo "check-cuda: skipped, $device"; exit 0 ;; esac

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
[ -n "$sanitizer" ] || echo "compute-sanitizer: skipped, it is not installed"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
echo "$device" >"$build/check-cuda.txt"
for test in "$build"/tests/twins/twin_*; do
  case $test in *.*) continue ;; esac
  name=$(basename "$test" | sed 's/^twin_//')
  "$test" >"$log" 2>&1 || { status=1; echo "FAILED: $name"; grep -v '^ok' "$log"; }
  # Without cuBLAS the plug-in has products of its own.
  case $name in
    cosine_sum | limit)
      ROPETOOL_CUBLAS=no "$test" >"$log.own" 2>&1 || { status=1; echo "FAILED: $name without cuBLAS"; grep -v '^ok' "$log.own"; }
      sed -n '/ values, largest error /s/^# /without cuBLAS: /p' "$log.own" | tee -a "$build/check-cuda.txt"
      rm -f "$log.own" ;;
  esac
  sed -n '/ values, largest error /s/^# //p' "$log" | tee -a "$build/check-cuda.txt"
  for tool in ${sanitizer:+memcheck racecheck synccheck}; do
    "$sanitizer" --tool "$tool" --error-exitcode 9 "$test" >"$log" 2>&1 ||
      { status=1; echo "FAILED: $name under compute-sanitizer $tool"; tail -n 40 "$log"; }
  done
done
[ "$status" != 0 ] || echo "check-cuda: passed on $device"
exit $status
