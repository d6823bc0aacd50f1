# Nondeterminism (Sinha et al.), Fig. 4: the witness c r w is infeasible, through the
# read-couple on y.
shared x = 0, y = 0
lock l
thread T1 { c: x := 1  w: x := 2  e1: acq l  e2: y := 1  e3: rel l }
thread T2 { e4: b := y  g: assume b != 0  e5: acq l  r: a := x  e6: rel l }
trace c-e3 e4-e6
