# The same under a gate lock: no deadlock.
lock g, a, b
thread T1 { t1: acq g  t2: acq a  t3: acq b  t4: rel b  t5: rel a  t6: rel g }
thread T2 { t7: acq g  t8: acq b  t9: acq a  t10: rel a  t11: rel b  t12: rel g }
