# A recursive lock taken twice is free only after the second release.
shared x = 0
rlock m
thread T1 { t1: acq m  t2: acq m  t3: x := 1  t4: rel m  t5: x := 0  t6: rel m }
thread T2 { t7: acq m  t8: assert x == 0  t9: rel m }
