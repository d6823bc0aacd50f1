# Store buffering: both threads read 0 on x86 and in C11, in no interleaving.
shared x, y, r1, r2
thread T1 {
  a: [rlx x := 1]
  b: [rlx p := y]
  r1 := p
}
thread T2 {
  c: [rlx y := 1]
  d: [rlx q := x]
  r2 := q
}
thread T3 {
  join T1
  join T2
  t: assert r1 == 1 || r2 == 1
}
