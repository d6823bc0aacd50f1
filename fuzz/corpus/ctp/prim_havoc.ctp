# Any value: the assertion fails for exactly one of 2^32.
shared x = 0
thread T1 { t1: havoc a  t2: x := a }
thread T2 { t3: b := x  t4: assert b != 0x80000000 }
