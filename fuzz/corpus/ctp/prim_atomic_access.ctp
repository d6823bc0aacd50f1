# [ ... ] is one access: two of them never lose an update, nor do they race.
shared n = 0
thread T1 { t1: [ n := n + 1 ]  t2: fork T3 }
thread T2 { t3: [ n := n + 1 ] }
thread T3 { t4: [ assume n == 2 ]  t5: assert n == 2 }
