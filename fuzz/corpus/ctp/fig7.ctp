# Symbolic prediction (Wang et al.), Fig. 7: Fig. 1 with t3 writing 1 + a. Now the
# violation is there under --model mcm too.
shared x = 0, y = 0
sem l = 1
thread T1 {
  t1:  a := x
  t2:  acq l
  t3:  x := 1 + a
  t4:  rel l
  t5:  y := 1 + a
  t6:  acq l
  t7:  x := 1 + a
  t8:  rel l
}
thread T2 {
  t9:  b := 0
  t10: acq l
  t11: assume x > b
  t12: assert y == 1
  t13: rel l
}
trace t1-t8 t9-t13
