# Symbolic prediction (Wang et al.), Fig. 9, first: serialisable (ctp); without data (cam)
# or with locks only it looks like a violation.
shared x = 0
thread T1 { atomic { t1: a := x  t2: x := a + 1 } }
thread T2 { t3: b := x  t4: assume b > 0  t5: x := 5 }
