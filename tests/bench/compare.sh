#!/bin/sh
# The engine beside NumPy and PyTorch, as far as $PYTHON (default python3) has them.
python=${PYTHON:-python3}
if "$python" -c 'import numpy' 2>/dev/null; then
  exec "$python" tests/bench/compare.py "${BUILD:-build}/ropetool" "$@"
fi
echo "compare: skipped, no NumPy for $python"
