# What each CUDA kernel uses, from what ptxas said: the most over all architectures.
# Arguments: kernels/NAME_cuda.log.
/Compiling entry function/ {
  split($0, quoted, "'")
  kernel = quoted[2]
}
/bytes stack frame/ {
  stack = $1
  spilled = $5 + $9
}
/Used [0-9]+ registers/ {
  match($0, /Used [0-9]+/)
  registers = substr($0, RSTART + 5, RLENGTH - 5) + 0
  shared = match($0, /[0-9]+ bytes smem/) ? substr($0, RSTART, RLENGTH) + 0 : 0
  if (!(kernel in most)) order[++count] = kernel
  if (registers > most[kernel] + 0) most[kernel] = registers
  if (shared > smem[kernel] + 0) smem[kernel] = shared
  if (stack + spilled > local[kernel] + 0) local[kernel] = stack + spilled
}
END {
  printf "%9s %12s %11s  %s\n", "registers", "shared bytes", "local bytes", "kernel"
  for (i = 1; i <= count; i++)
    printf "%9d %12d %11d  %s\n", most[order[i]], smem[order[i]], local[order[i]], order[i]
}
