# A loop: needs --unroll N.
shared flag = 0, data = 0
thread T1 { t1: data := 7  t2: flag := 1 }
thread T2 { t3: while (flag == 0) { t4: nop }  t5: a := data  t6: assert a == 7 }
