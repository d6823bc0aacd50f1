# What a thread does lies between its fork and its join.
shared x = 0
thread Main { m1: x := 1  m2: fork Child  m3: join Child  m4: assert x == 2 }
thread Child { c1: assume x == 1  c2: x := 2 }
