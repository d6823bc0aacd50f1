# The last to arrive is the last to leave: 't5/1' stops between its two steps.
barrier b = 2
thread T1 { t2: arrive b  t3: nop }
thread T2 { t5: arrive b  t6: nop }
trace t2 t5/1 t2-t3 t5-t6
