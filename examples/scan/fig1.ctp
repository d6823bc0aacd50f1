# Kahlon et al. 2009, figure 1: pages are allocated and freed; LIMIT is 3, c and sh as in the paper.
# One thread loops on Alloc_Page, one on Dealloc_Page. Locksets warn about (a12, b3): they hold
# count_lock and plk. It cannot happen: a12 is reached only with pg_count < LIMIT, b3 only with
# pg_count >= LIMIT. Integers wrap here, so a page is only taken away where there is one (b10).
shared pg_count = 0
shared sh = 0
shared sh1 = 0
shared c = 1
lock plk
lock count_lock
cond pg_lim
thread Alloc {
  while (1) {
    a1: a := c
    a2: acq plk
    a3: if (pg_count >= 3) {
      a4: wait pg_lim plk
      a5: [pg_count := pg_count + 1]
      a6: rel plk
      a7: sh1 := sh
    } else {
      a9: acq count_lock
      a10: rel plk
      a11: havoc page
      a12: sh := 5
      a13: if (page != 0) {
        a14: [pg_count := pg_count + 1]
      }
      a15: rel count_lock
    }
    a17: b := a + 1
  }
}
thread Dealloc {
  while (1) {
    b1: acq plk
    b2: if (pg_count == 3) {
      b3: sh := 2
      b4: [pg_count := pg_count - 1]
      b5: sh1 := sh
      b6: signal pg_lim
      b7: rel plk
    } else {
      b9: acq count_lock
      b10: rel plk
      if (pg_count > 0) {
        b11: [pg_count := pg_count - 1]
      }
      b12: sh := 4
      b13: rel count_lock
    }
  }
}
