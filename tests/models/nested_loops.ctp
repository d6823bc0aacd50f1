# Loops with an atomic block inside and a condition that reads twice: needs --unroll N.
shared x = 0, y = 3
thread T1 {
  i := 0
  l1: while (x < y) {
    atomic { l2: x := x + 1   j := 0 }
    l3: while (j < 2) { j := j + 1 }
    i := i + j
  }
  l4: assert i == 2 * x
}
thread T2 { y := 1 }
