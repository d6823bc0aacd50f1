# Acquisition histories (Farzan et al.): e holds l1 and took l2 since, f holds l2 and took
# l1 since: the locksets are disjoint, the histories are not compatible, no violation.
shared x = 0
lock l1, l2
thread T1 { a1: acq l1  a2: acq l2  a3: rel l2  atomic { e: a := x  a4: x := a + 1 }  a5: rel l1 }
thread T2 { b1: acq l2  b2: acq l1  b3: rel l1  f: x := 7  b4: rel l2 }
