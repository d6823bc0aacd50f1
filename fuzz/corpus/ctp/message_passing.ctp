# Message passing through a flag, the reader acquires and the writer does not release: a race of C11
# and a failing assertion that no interleaving has, nor an x86 machine.
shared data, flag
thread T1 {
  w: data := 1
  s: [rlx flag := 1]
}
thread T2 {
  l: [acq ready := flag]
  if (ready == 1) {
    r: value := data
    c: assert value == 1
  }
}
