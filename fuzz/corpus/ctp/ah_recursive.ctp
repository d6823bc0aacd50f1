# Re-acquiring a held recursive lock changes nothing: both hold l, no violation.
shared x = 0
rlock l
thread T1 { a1: acq l  a2: acq l  a3: rel l  atomic { e: a := x  a4: x := a + 1 }  a5: rel l }
thread T2 { b1: acq l  f: x := 7  b2: rel l }
