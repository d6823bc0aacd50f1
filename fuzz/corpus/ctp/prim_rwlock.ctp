# Two readers may be inside together, a writer only alone.
shared x = 0, inside = 0
rwlock m
thread R1 { r1: rdacq m  r2: [ inside := inside + 1 ]  r3: assert x == 0  r4: [ inside := inside - 1 ]  r5: rel m }
thread R2 { r6: rdacq m  r7: [ inside := inside + 1 ]  r8: assert x == 0  r9: [ inside := inside - 1 ]  r10: rel m }
thread W { w1: wracq m  w2: x := 1  w3: assert inside == 0  w4: x := 0  w5: rel m }
