# Finds the commands in the ```sh and ```console blocks of a Markdown file. Writes command number N into
# FOLDER/N.cmd, the output that a console block shows after it into FOLDER/N.out, and its line into
# FOLDER/N.line.
#
# In a console block a command is a line that begins with "$ "; in an sh block every line is one, but for
# comments. A line that ends in a backslash goes on in the next.

function begin(text,    line) {
  if (command != "") {
    close(command)
    close(output)
  }
  number++
  command = folder "/" number ".cmd"
  output = folder "/" number ".out"
  line = folder "/" number ".line"
  print FNR >line
  close(line)
  if (block == "console") printf "" >output
  add(text)
}

function add(text) {
  print text >command
  continued = text ~ /\\$/
}

/^ *```/ {
  fenced = !fenced
  block = fenced ? substr($1, 4) : ""
  continued = 0
  command = ""
  next
}
block != "sh" && block != "console" { next }
continued { add($0); next }
block == "sh" && (/^ *#/ || /^ *$/) { next }
block == "sh" { sub(/^\$ /, ""); begin($0); next }
/^\$ / { begin(substr($0, 3)); next }
command != "" { print >output }
