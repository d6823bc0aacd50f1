# Symbolic prediction (Wang et al.), Fig. 9, second: serialisable (ctp, cam); a violation
# only where locks are all that is understood.
shared x = 0
sem c = 0
thread T1 { atomic { t1: x := 1  t2: a := x + 1 }  t3: rel c }
thread T2 { t4: acq c  t5: x := 2 }
