# Every form of a memory order.
shared x, y, lots : 8
thread T1 {
  a1:  [rlx x := 1]
  a2:  [rel x := 2]
  a3:  [sc x := 3]
  a4:  fence acq
  a5:  fence rel
  a6:  fence acq_rel
  a7:  fence sc
  a8:  [rlx havoc lots]
}
thread T2 {
  b1:  [rlx a := x]
  b2:  [acq a := x]
  b3:  [rlx b := x; x := x + 1]
  b4:  [acq b := x; x := x + 1]
  b5:  [rel require x == 3; x := 4]
  b6:  [acq_rel x := x + 1]
  b7:  if [acq x > 2] { b8: [rlx assert x > 1] } else { b9: fence sc }
  b10: [acq assume x > 0]
  b11: atomic 1 [rlx y := 1]
}
