# Two locks in opposite order.
lock a, b
thread T1 { t1: acq a  t2: acq b  t3: rel b  t4: rel a }
thread T2 { t5: acq b  t6: acq a  t7: rel a  t8: rel b }
