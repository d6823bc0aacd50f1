# Main joins a child that wants the lock main holds.
lock m
thread Main { m1: fork Child  m2: acq m  m3: join Child  m4: rel m }
thread Child { c1: acq m  c2: rel m }
trace m1 c1-c2 m2-m4
