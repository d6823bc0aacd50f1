# A signal wakes any one of the waiters: here the trace says which.
lock m
cond c
thread A { a1: acq m  a2: wait c m  a3: rel m }
thread B { b1: acq m  b2: wait c m  b3: rel m }
thread C { c1: acq m  c2: signal c  c3: rel m }
trace a1-a2 b1-b2 c1 c2(B) c3 b2-b3
