# What an interactive zsh needs in order to print what it would offer instead of showing it.
fpath=($PWD $fpath)
autoload -Uz compinit
compinit -u -D
compadd() {
  # Calls that only fill arrays offer nothing.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a hits
  builtin compadd -A hits "$@"
  print -rl -- "" "offer:"${^hits}
  builtin compadd "$@"
}
finish() {
  print end-of''-offers
}
bindkey '^I' list-choices
comppostfuncs=(finish)
print all-is''-ready
