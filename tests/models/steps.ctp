// What traces and merged runs are made of: pinned atomic accesses, failed try-locks, steps of
// several parts, blocks that end inside a branch.
shared x = 0, y : 8 = 0
lock m
rlock r
rwlock w
sem s = 0
thread T {
  t1: [ require x == 0; x := 1 ] @ list.c:5
  t2: [ require x == 1 ]
  t3: atomic 1 a := x
  t4: atomic 1 if (a == 1) {
    t5: atomic 1 x := 2
    t6: acq m
    t7: rel m
  } else {
    t8: b := 3
  }
  t9: if [x == 2 && y == 0] {
    t10: step { require a == 1; b := a }
  }
  t11: step { b := x + x }
  t12: [ a := b, b := a ]
  t13: x := 2
}
thread U {
  u1: acq m
  u2: y := 200
  u3: rel m
  u4: assume owner(m) == 0 && depth(r) == 0 && readers(w) == 0 && count(s) <= 0
  u5: [ assume x == 2 || x == 3 ]
  u6: assert y == -56
}
trace t1-t7 t9-t13 u1-u6
