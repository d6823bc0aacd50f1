# Symbolic prediction (Wang et al.), Fig. 5: the violation leads down a branch that the
# run did not take. Triple t1 t5 t2: proved over prefixes, refuted with --no-prefix.
shared x = 0
thread T1 { atomic { t1: x := 0   t2: a := x + 1   t3: assume a == 1   t4: x := 2 } }
thread T2 { t5: x := 3   t6: b := x }
trace t1-t4 t5 t6
