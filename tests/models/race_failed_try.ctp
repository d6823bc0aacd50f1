# T2 goes on only while T1 holds the lock: the accesses of x1 can come together there
shared x1 = 0
lock o1
thread T1 {
  a: acq o1
  b: assume x1 == 1
}
thread T2 {
  c: assume owner(o1) != 0
  d: x1 := 0
}
