# x := x + 1 is a read and a write: 't1/1' stops between them.
shared x = 0
thread T1 { t1: x := x + 1 }
thread T2 { t2: x := x + 1 }
trace t1/1 t2 t1
