# something is marked, though there is nothing in it: critical sections do not count
shared x = 0
lock m
thread T { acq m x := 1 x := 2 rel m atomic { } }
thread U { a := x }
