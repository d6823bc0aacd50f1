# raytracer (Farzan et al.) with 3 threads, each under its own lock: 3 * 2 = 6 pairs.
shared sum = 0
lock l1, l2, l3
thread T1 { a1: acq l1  atomic { a2: p := sum  a3: sum := p + 1 }  a4: rel l1 }
thread T2 { b1: acq l2  atomic { b2: p := sum  b3: sum := p + 2 }  b4: rel l2 }
thread T3 { c1: acq l3  atomic { c2: p := sum  c3: sum := p + 4 }  c4: rel l3 }
