# Files of more than 450 lines and functions of more than 80: what grows past that should be split by idea.
BEGIN {
  file_lines = 450
  function_lines = 80
}

function end_file() {
  if (lines > file_lines) fault(file, 1, lines " lines in a file, at most " file_lines)
}
function fault(where, line, message) {
  printf "%s:%d: %s\n", where, line, message
  faults++
}
FNR == 1 { end_file(); file = FILENAME; start = 0 }
{ lines = FNR }
# clang-format leaves the first line of a function and its closing brace at the margin.
/^[A-Za-z_].*[(]/ && !start { start = FNR }
/^[A-Za-z_].*;$/ || /^[A-Za-z_].*= *[{]$/ { start = 0 }
/^};?$/ {
  if (start && FNR - start + 1 > function_lines)
    fault(FILENAME, start, FNR - start + 1 " lines in a function, at most " function_lines)
  start = 0
}
END { end_file(); exit faults > 0 }
