# Which way the sources depend: see layers.sh. Arguments: the files, named from the root of the sources.
BEGIN {
  count = split("base io rope model encoding analysis figure", order)
  for (i = 1; i <= count; i++) rank[order[i]] = i

  # Foreign headers and the files that may include them.
  user["^gsl/gsl_(linalg|eigen|blas|matrix|vector|permutation)"] = "^lib/analysis/linalg[.]c$"
  user["^gsl/"] = "^(lib/(analysis|encoding|rope)/[a-z0-9_]*|cmd/version)[.]c$"
  user["^png[.]h$"] = "^lib/figure/raster[.]c$"
  user["^spawn[.]h$"] = "^lib/base/process[.]c$"
  user["^jansson[.]h$"] = "^(lib/[a-z]*/[a-z0-9_]*|cmd/version)[.]c$"
  user["^(cuda|cublas|cuda_.*|device_.*)([.]h)?$"] = cuda = "^kernels/([a-z0-9_]*_cuda[.]cu|cuda_[a-z0-9_]*[.]h)$"
  user["^cblas[.]h$"] = "^kernels/([a-z0-9_]*_)?cpu[.]c$"
  user["^Random123/"] = "^kernels/[a-z0-9_]*_(cpu[.]c|cuda[.]cu)$"
  user["^nettle/"] = "^(lib/base/hash|cmd/version)[.]c$"
  user["^omp[.]h$"] = "^(lib/base/thread[.]c|kernels/([a-z0-9_]*_)?cpu[.]c)$"
  user["^dlfcn[.]h$"] = "^(kernels/|lib/figure/font[.]c$)"
  user["^(argp|err|error|syslog)[.]h$"] = "^cmd/"
  # What a header of ours may include besides.
  standard = "^(complex|errno|float|inttypes|limits|math|stdalign|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time|sys/types)[.]h$"

  # What library code does not call, and streams it does not name.
  printing = "printf|vprintf|puts|putchar|perror|psignal"
  ending = "exit|_exit|_Exit|quick_exit|abort|assert"
  starting = "fork|vfork|system|popen|exec[lv]p?e?|posix_spawnp?"
}

function fault(message) {
  printf "%s:%d: %s\n", FILENAME, FNR, message
  faults++
}

function folder(path) {
  sub("/[^/]*$", "", path)
  return path
}

# One include of one of our own files.
function check_own(name,    from, to) {
  from = folder(FILENAME)
  to = folder(name)
  if (name ~ /^kernels\/cuda_/ && FILENAME !~ cuda) { fault(name " is for CUDA sources alone"); return }
  if (name !~ /\//) { fault("\"" name "\": give the path from the root"); return }
  if (from == "cmd") {
    if (to != "cmd" && to !~ /^lib\// && name != "kernels/backend.h") fault("cmd may not include " name)
  } else if (from == "kernels") {
    if (to != "kernels" && to != "lib/base") fault("kernels may not include " name)
  } else if (from == "lib/base") {
    if (to != "lib/base") fault("lib/base may not include " name)
  } else if (to ~ /^lib\//) {
    sub("lib/", "", from)
    sub("lib/", "", to)
    if (!(from in rank)) fault("lib/" from " has no place in the order of layers")
    else if (!(to in rank) || rank[to] > rank[from]) fault("lib/" from " may not include " name)
  } else if (name != "kernels/backend.h") {
    fault(from " may not include " name)
  }
  if (FILENAME ~ /[.]h$/) includes[FILENAME] = includes[FILENAME] " " name
  line_of[FILENAME, name] = FNR
}

# One include of a foreign header.
function check_foreign(name,    pattern, strict) {
  strict = name ~ /^gsl\/gsl_(linalg|eigen|blas|matrix|vector|permutation)/
  for (pattern in user)
    if (name ~ pattern && !(strict && pattern == "^gsl/") && FILENAME !~ user[pattern])
      fault("<" name "> belongs to " user[pattern])
  if (FILENAME ~ /[.]h$/ && FILENAME !~ cuda && name !~ standard && !(name == "argp.h" && FILENAME ~ /^cmd\//))
    fault("<" name "> in a header: no foreign types in headers")
}

# The line without comments and string literals.
function bare(text,    start) {
  gsub(/\\["\\]/, "", text)
  gsub(/\047["]\047/, "", text)
  gsub(/"[^"]*"/, "\"\"", text)
  if (in_comment) {
    if (!(start = index(text, "*/"))) return ""
    text = substr(text, start + 2)
    in_comment = 0
  }
  gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "", text)
  sub(/\/\/.*/, "", text)
  if ((start = index(text, "/*"))) {
    in_comment = 1
    text = substr(text, 1, start - 1)
  }
  return text
}

# Whether `text` calls one of the functions `names`.
function calls(text, names) {
  if (!match(text, "(^|[^A-Za-z0-9_.>])(" names ")[ ]*[(]")) return ""
  text = substr(text, RSTART, RLENGTH)
  gsub(/[^A-Za-z_0-9]/, "", text)
  return text
}

FNR == 1 { in_comment = 0 }

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
  name = $0
  sub(/^[^"<]*["<]/, "", name)
  sub(/[">].*/, "", name)
  if ($0 ~ /include[ \t]*"/) check_own(name)
  else check_foreign(name)
  next
}

{
  text = bare($0)
  # main may start the program itself anew.
  itself = FILENAME == "cmd/main.c" && /execv\("\/proc\/self\/exe"/
  if ((name = calls(text, starting)) && FILENAME != "lib/base/process.c" && !itself)
    fault(name "(): only lib/base/process.c starts processes")
  if (FILENAME ~ /^cmd\//) next
  if ((name = calls(text, printing))) fault(name "(): library code does not print")
  if ((name = calls(text, ending))) fault(name "(): library code does not end the program")
  if (text ~ /(^|[^A-Za-z0-9_])(stdout|stderr)([^A-Za-z0-9_]|$)/) fault("stdout and stderr belong to cmd")
}

# Headers that include one another in a circle.
function visit(header,    list, count, i) {
  state[header] = "open"
  count = split(includes[header], list, " ")
  for (i = 1; i <= count; i++) {
    if (state[list[i]] == "open") {
      printf "%s:%d: %s includes it in turn: a circle\n", header, line_of[header, list[i]], list[i]
      faults++
    } else if (!state[list[i]]) {
      visit(list[i])
    }
  }
  state[header] = "done"
}

END {
  for (header in includes)
    if (!state[header]) visit(header)
  exit faults > 0
}
