# The flag is looked at outside the lock: the signal may come before the wait.
shared ready = 0
lock m
cond c
thread Waiter { w1: a := ready  w2: if (a == 0) { w3: acq m  w4: wait c m  w5: rel m } }
thread Setter { s1: acq m  s2: ready := 1  s3: signal c  s4: rel m }
trace w1-w4 s1-s4 w4-w5
