# Symbolic prediction (Wang et al.), Fig. 11: branching threads without locks. Some
# interleaving violates the assertion; the run T1 then T2 does not.
shared x = 0, y = 0
thread T0 {
  m1: fork T1
  m2: fork T2
  m3: join T1
  m4: join T2
  m5: p := x
  m6: q := y
  m7: assert p != q
}
thread T1 {
  a1: a := y
  a2: if (a == 0) { a3: x := 1   a4: a := x + 1   a5: x := a } else { a6: x := 0 }
}
thread T2 {
  b1: b := x
  b2: if (b == 0) { b3: y := 1   b4: b := y + 1   b5: y := b } else { b6: y := 0 }
}
trace m1 m2 a1-a5 b1-b6 m3-m7
