# awk -v tolerance=X -f match.awk EXPECTED ACTUAL: exit status 0 when the files agree. A line `...` of
# EXPECTED stands for any number of lines. Numbers may differ by the relative tolerance, where one is given.

function read_lines(file, lines,    n, line) {
  while ((getline line <file) > 0) lines[++n] = line
  close(file)
  return n + 0
}

function close_enough(x, y,    size) {
  size = x * x > y * y ? x : y
  if (size < 0) size = -size
  return x - y <= tolerance * size && y - x <= tolerance * size
}

function same(expected, actual,    number, e, a) {
  if (expected == actual) return 1
  if (tolerance == "") return 0
  number = "[-+]?[0-9]+([.][0-9]+)?([eE][-+]?[0-9]+)?"
  while (match(expected, number)) {
    e = substr(expected, RSTART, RLENGTH)
    if (substr(actual, 1, RSTART - 1) != substr(expected, 1, RSTART - 1)) return 0
    expected = substr(expected, RSTART + RLENGTH)
    actual = substr(actual, RSTART)
    if (match(actual, number) != 1) return 0
    a = substr(actual, 1, RLENGTH)
    actual = substr(actual, RLENGTH + 1)
    if (!close_enough(e + 0, a + 0)) return 0
  }
  return expected == actual
}

# Lines first .. last of EXPECTED, which hold no `...`, against ACTUAL from line `at` on.
function block_at(first, last, at,    i) {
  if (at + last - first > actual_count) return 0
  for (i = first; i <= last; i++)
    if (!same(expected[i], actual[at + i - first])) return 0
  return 1
}

# Every block between two `...` is sought as early as it occurs; the first stands at the beginning, the
# last at the end.
function agree(    first, last, at, floating) {
  at = 1
  for (first = 1; first <= expected_count + 1; first = last + 2) {
    for (last = first - 1; last < expected_count && expected[last + 1] != "..."; ) last++
    if (last == expected_count) {
      if (floating && actual_count - (last - first) >= at) at = actual_count - (last - first)
      return at + last - first == actual_count && block_at(first, last, at)
    }
    while (!block_at(first, last, at))
      if (!floating || ++at > actual_count) return 0
    at += last - first + 1
    floating = 1
  }
  return 0
}

BEGIN {
  expected_count = read_lines(ARGV[1], expected)
  actual_count = read_lines(ARGV[2], actual)
  exit !agree()
}
