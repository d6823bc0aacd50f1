# As ah_incompatible, without e's inner acquisition: a violation.
shared x = 0
lock l1, l2
thread T1 { a1: acq l1  atomic { e: a := x  a4: x := a + 1 }  a5: rel l1 }
thread T2 { b1: acq l2  b2: acq l1  b3: rel l1  f: x := 7  b4: rel l2 }
