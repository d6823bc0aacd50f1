# Mutual exclusion: x is 0 whenever the lock is free.
shared x = 0
lock m
thread T1 { t1: acq m  t2: x := 1  t3: x := 0  t4: rel m }
thread T2 { t5: acq m  t6: a := x  t7: assert a == 0  t8: rel m }
