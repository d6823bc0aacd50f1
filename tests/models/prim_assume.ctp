# A false assume stops its thread for good; that is not waiting.
shared x = 0
thread T1 { t1: assume x == 1  t2: x := 2 }
thread T2 { t3: x := 1 }
