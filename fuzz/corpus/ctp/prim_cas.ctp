# Compare and exchange as one step: exactly one of the two succeeds.
shared owner = 0, wins = 0
thread T1 { t1: [ a := owner == 0; owner := a ? 1 : owner ]  t2: if (a) { t3: [ wins := wins + 1 ] } }
thread T2 { t4: [ a := owner == 0; owner := a ? 2 : owner ]  t5: if (a) { t6: [ wins := wins + 1 ] } }
