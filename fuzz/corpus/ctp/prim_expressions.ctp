# Every operator; division by 0, shift counts and wrapping as the fine print says.
shared v = -2147483648, w = 0x7fffffff
thread T1 {
  a := w + 1;            t1: assert a == -2147483648
  b := 7 / 0 + 7 % 0;    t2: assert b == 7
  c := 1 << 33;          t3: assert c == 2
  d := -8 >> 1;          t4: assert d == -4
  e := (a < b) + (b >= c) * 2 + (c != d ? 4 : 8) + !a + (~a & 0xf0 | 1 ^ 3)
  t5: assert e == 7 + (0xf0 | 2) || v == 0 && w != -v
  f := -7 / 2 * 10 + -7 % 2
  t6: assert f == -31
}
