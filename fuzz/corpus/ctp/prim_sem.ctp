# A semaphore orders two threads: a is 5 in every run.
shared x = 0
sem s
thread T1 { t1: x := 5  t2: rel s }
thread T2 { t3: acq s  t4: a := x  t5: assert a == 5 }
