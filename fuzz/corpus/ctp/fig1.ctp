# Symbolic prediction (Wang et al.), Fig. 1/2: the run passes, t12 can fail, for
# instance after t1-t4 t9-t11. With the values of the run (--model mcm) it cannot.
shared x = 0, y = 0
sem l = 1
thread T1 {
  t1:  a := x
  t2:  acq l
  t3:  x := 2 + a
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
