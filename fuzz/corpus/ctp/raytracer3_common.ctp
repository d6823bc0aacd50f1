# raytracer3 with one common lock: nothing to be found.
shared sum = 0
lock l
thread T1 { a1: acq l  atomic { a2: p := sum  a3: sum := p + 1 }  a4: rel l }
thread T2 { b1: acq l  atomic { b2: p := sum  b3: sum := p + 2 }  b4: rel l }
thread T3 { c1: acq l  atomic { c2: p := sum  c3: sum := p + 4 }  c4: rel l }
