# One broadcast wakes both waiters; one signal would not.
lock m
cond c
thread A { a1: acq m  a2: wait c m  a3: rel m }
thread B { b1: acq m  b2: wait c m  b3: rel m }
thread C { c1: acq m  c2: broadcast c  c3: rel m }
trace a1-a2 b1-b2 c1-c3 b2-b3 a2-a3
