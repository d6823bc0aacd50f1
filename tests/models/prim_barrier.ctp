# Nobody passes the barrier before both have arrived.
shared x = 0, y = 0
barrier b = 2
thread T1 { t1: x := 1  t2: arrive b  t3: assert y == 1 }
thread T2 { t4: y := 1  t5: arrive b  t6: assert x == 1 }
