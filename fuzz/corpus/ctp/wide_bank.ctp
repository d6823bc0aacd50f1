// What a recorded C program looks like: widths, names that are not identifiers, places.
// Two withdrawals of a 64-bit balance race; the flag is a byte, the pointer comes in late.
shared "acct[3].balance" : 64 = 0x100000005, "acct[3].open" : 8 = 1, "log.head" : 64 = 0
lock "acct[3].lock", "log.head"
thread main {
  m1: fork "teller (T1)" @ bank.c:40
  m2: fork "teller (T2)" @ bank.c:41
  m3: join "teller (T1)" @ bank.c:43
  m4: join "teller (T2)" @ bank.c:44
  m5: assert "acct[3].balance" == 0xffffffff @ bank.c:45
}
thread "teller (T1)" {
  local b : 64, open : 8
  a1: open := "acct[3].open" @ bank.c:12
  a2: assume sext(open, 32) == 1 @ bank.c:12
  a3: b := "acct[3].balance" @ bank.c:13
  a4: assume ult(4, b) @ bank.c:14
  a5: "acct[3].balance" := b - 4 @ bank.c:15
  a6: acq "log.head" @ bank.c:17
  a7: "log.head" := 0x7f0012345678 @ bank.c:18
  a8: rel "log.head" @ bank.c:19
}
thread "teller (T2)" {
  local b : 64, p : 64
  b1: b := "acct[3].balance" @ bank.c:13
  b2: "acct[3].balance" := b - 2 @ bank.c:15
  b3: acq "log.head" @ bank.c:17
  b4: p := "log.head" @ "src/my log.c":7
  b5: assert p != 0 @ "src/my log.c":8
  b6: rel "log.head" @ bank.c:19
}
trace m1-m2 a1-a8 b1-b6 m3-m5
