# A lock that is not recursive, taken twice.
lock m
thread T1 { t1: acq m  t2: acq m  t3: rel m  t4: rel m }
