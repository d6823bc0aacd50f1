# Nondeterminism (Sinha et al.): the graph as published is not exact. w c r has an acyclic
# graph, yet b changes its writer.
shared x = 0, y = 0
lock l
thread T3 { d1: acq l  d2: y := 9  w: x := 1  d3: rel l }
thread T2 { c1: acq l  c2: y := 1  c: x := 2  c3: rel l }
thread T1 { r1: acq l  r2: b := y  r: a := x  r3: rel l }
trace d1-d3 c1-c3 r1-r3
