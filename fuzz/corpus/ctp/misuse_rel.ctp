# A lock released by a thread that does not hold it.
lock m
thread T1 { t1: acq m  t2: nop  t3: rel m }
thread T2 { t4: rel m }
