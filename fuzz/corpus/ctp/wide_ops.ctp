// Every operator beyond C's at some width. t1 to t20 hold in all interleavings, u1 may fail.
shared b : 8 = 200, h : 16 = 0xbeef, w : 64 = 0x8000000000000001, bit : 1 = 1, n = 5
thread T {
  local c : 8, d : 64, f : 1, g : 5 = 17
  s1:  c := b
  s2:  d := w
  s3:  f := bit
  t1:  assert zext(c, 32) == 200 && sext(c, 32) == -56
  t2:  assert udiv(c, 3) == 66 && c / 3 == -18 && urem(c, 7) == 4 && c % 7 == 0
  t3:  assert udiv(c, 0) == 0 && urem(c, 0) == c && c / 0 == 0 && c % 0 == c
  t4:  assert ult(100, c) && c < 100 && ule(c, c) && !ult(c, c)
  t5:  assert lshr(c, 3) == 25 && c >> 3 == -7 && c << 1 == 144
  t6:  assert shl(c, 8) == 0 && lshr(c, 8) == 0 && ashr(c, 8) == -1 && c << 8 == c && c >> 9 == -28
  t7:  assert extract(h, 8, 8) == 0xbe
  t8:  assert concat(extract(d, 60, 4), extract(d, 0, 4)) == 0x81
  t9:  assert d < 0 && ult(0x7fffffffffffffff, d) && d + d == 2
  t10: assert d * -1 == 0x7fffffffffffffff && d - 1 == 1 << 63 && -d / 2 == 0x3fffffffffffffff
  t11: assert f && !(f ^ f) && sext(f, 8) == -1 && zext(f, 8) == 1 && f + f == 0 && f < 0
  t12: assert g < 0 && g << 5 == g && g >> 6 == -8 && shl(g, 5) == 0
  t13: assert (c == 200 ? 3u64 : 4) + d == 0x8000000000000004
  t14: assert zext(c == 200, 8) + c == 201 && (c == 200) + c == -55
  t15: assert sext(extract(d, 63, 1), 16) == -1u16
  t16: d := d + zext(c, 64)
  t17: assert d == 0x80000000000000c9
  t18: [ c := extract(d, 0, 8), d := concat(c, extract(d, 0, 56)) ]
  t19: assert c == 0xc9 && d == 0xc8000000000000c9
  t20: assert urem(d, 0x10000000000) == 0xc9 && d % 10 == -5
}
thread U {
  u0: w := 0x8000000000000001
  u1: assert n == 5
}
thread V {
  local q : 16
  v1: q := h
  v2: n := sext(extract(q, 8, 8), 32)
}
trace s1-t20 u0-u1 v1-v2
