# A condition variable used as it should be: the waiter looks at the flag again.
shared ready = 0
lock m
cond c
thread Waiter {
  w1: acq m
  w2: a := ready
  w3: if (a == 0) { w4: wait c m   w5: a := ready }
  w6: rel m
}
thread Setter { s1: acq m  s2: ready := 1  s3: signal c  s4: rel m }
trace w1-w4 s1-s4 w4-w6
