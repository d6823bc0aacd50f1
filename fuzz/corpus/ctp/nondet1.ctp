# Nondeterminism (Sinha et al.), Fig. 1: no race, and yet what 'a' gets depends on the order
# (the initial value of x is a writer like any other).
shared x = 0
lock l
thread T1 { t1: acq l  t2: x := 1  t3: rel l }
thread T2 { t4: acq l  t5: a := x  t6: rel l }
