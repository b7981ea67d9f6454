# awk -v date=YYYY-MM-DD -f page.awk COMMANDS.md PAGE: completes a manual page that `ropetool help --man`
# wrote: a line `.\" manual: NAME` gives way to the section `## NAME` of COMMANDS.md, and the date is put in.
#
# Of a section the tables of options are left out, for the page has them; a paragraph "Examples:" and what
# follows becomes the section EXAMPLES, the rest DETAILS (of a page of a command) or one named for it.

FNR == NR {
  if (/^## /) name = substr($0, 4)
  else if (name != "") text[name] = text[name] $0 "\n"
  next
}
/^\.TH / { sub(/ 1 "" /, " 1 \"" date "\" ") }
/^\.SH OPTIONS/ { of_command = 1 }
/^\.\\" manual: / {
  section(substr($0, 13))
  next
}
{ print }

# Text without markup: what roff would read as something else.
function plain(s) {
  gsub(/\\/, "\\e", s)
  gsub(/-/, "\\-", s)
  gsub(/'/, "\\(aq", s)
  gsub(/\^/, "\\(ha", s)
  gsub(/~/, "\\(ti", s)
  gsub(/`/, "\\(ga", s)
  return s
}

# `code`; a long list without blanks may go on in the next line behind a comma.
function code_text(s) {
  s = plain(s)
  if (length(s) > 30 && s !~ / /) gsub(/,/, ",\\:", s)
  return "\\fB" s "\\fR"
}

# Text with `code`, **bold** and [links](elsewhere) in it.
function inline(s,    out, end) {
  out = ""
  while (match(s, /`[^`]+`|\*\*[^*]+\*\*|\[[^]]+\]\([^)]+\)/)) {
    end = RSTART + RLENGTH
    out = out plain(substr(s, 1, RSTART - 1))
    if (substr(s, RSTART, 1) == "`") out = out code_text(substr(s, RSTART + 1, RLENGTH - 2))
    else if (substr(s, RSTART, 1) == "*") out = out "\\fB" plain(substr(s, RSTART + 2, RLENGTH - 4)) "\\fR"
    else out = out inline(substr(s, RSTART + 1, index(substr(s, RSTART), "](") - 2))
    s = substr(s, end)
  }
  return out plain(s)
}

# Where a command may go on in the next line, with no more than `most` characters before: in front of an option
# or a pipe; 0 where that is nowhere.
function break_at(s, most,    i, found, quote, c) {
  for (i = 1; i <= length(s) && (i <= most || !found); i++) {
    c = substr(s, i, 1)
    if (quote == "" && (c == "\"" || c == "'")) quote = c
    else if (c == quote) quote = ""
    else if (quote == "" && substr(s, i) ~ /^ (--[a-z]|-o |\| )/ && substr(s, 1, i - 1) ~ /[^ ]/) found = i
  }
  return found
}

# A line of a block of code; commands and comments are made to fit into 80 columns, as far as they can be.
function code_line(s,    command, at, words, count, i) {
  command = is_command(s)
  if (length(s) > 73 && s ~ /^# /) {
    count = split(substr(s, 3), words, / /)
    s = "#"
    for (i = 1; i <= count; i++) {
      if (length(s " " words[i]) > 73) { line(plain(s)); s = "#" }
      s = s " " words[i]
    }
  }
  while (command && length(s) > 73 && (at = break_at(s, 72))) {
    line(plain(substr(s, 1, at - 1) " \\"))
    s = "    " substr(s, at + 1)
  }
  line(plain(s))
}

function is_command(s) {
  if (code == "sh") return s !~ /^#/
  return code == "console" ? s ~ /^\$ / : s ~ /^ropetool /
}

function line(s) {
  if (s ~ /^[.\\]/) s = "\\&" s
  print s
}

function heading(title) {
  if (title != shown) print ".SH " title
  shown = title
  first = 1
}

# The section's own heading, before the first that is shown of it.
function begin() {
  if (shown == "") heading(of_command ? "DETAILS" : plain(toupper(about)))
}

function paragraph(s) {
  if (s == "") return
  if (s == "Examples:") {
    heading("EXAMPLES")
    return
  }
  begin()
  if (!first) print ".PP"
  first = 0
  line(inline(s))
}

# A row of a table, as what its first cell says, and the others.
function row(s, names,    cells, count, heads, i, said) {
  gsub(/\\\|/, "\001", s)
  count = split(s, cells, /\|/)
  split(names, heads, /\|/)
  for (i = 2; i < count; i++) {
    gsub(/^ +| +$/, "", cells[i])
    gsub(/\001/, "|", cells[i])
    gsub(/^ +| +$/, "", heads[i])
  }
  print ".TP"
  line(inline(cells[2]))
  said = inline(cells[3])
  for (i = 4; i < count; i++)
    if (cells[i] != "") said = said (said == "" ? "" : "; ") inline(heads[i]) ": " inline(cells[i])
  line(said == "" ? "\\&" : said)
}

# The lines of section `name`.
function section(name,    lines, count, i, s, gathered, item, table) {
  about = name
  shown = ""
  if (!(name in text)) return
  count = split(text[name], lines, /\n/)
  for (i = 1; i <= count; i++) {
    s = lines[i]
    if (code && s ~ /^```/) { print ".EE"; code = ""; continue }
    if (code) { code_line(s); continue }
    if (s !~ /^\|/) table = ""
    if (s ~ /^(```|\||- |### |$)/) { paragraph(gathered); gathered = "" }
    if (s ~ /^```/) {
      begin()
      if (!first) print ".PP"
      first = 0
      print ".EX"
      code = substr(s, 4) == "" ? "text" : substr(s, 4)
    } else if (s ~ /^\|/) {
      if (table == "") {
        table = s
        if (s ~ /^\| option /) continue
        begin()
        first = 0
      }
      else if (table !~ /^\| option / && s !~ /^\|-/) row(s, table)
    } else if (s ~ /^### /) {
      begin()
      print ".SS " plain(substr(s, 5))
      first = 1
    } else if (s ~ /^- /) {
      begin()
      print ".IP \\(bu 2"
      item = substr(s, 3)
      while (lines[i + 1] ~ /^  /) item = item " " substr(lines[++i], 3)
      line(inline(item))
      first = 0
    } else if (s != "")
      gathered = gathered (gathered == "" ? "" : " ") s
  }
  paragraph(gathered)
}
