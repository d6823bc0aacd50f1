# Transaction sequence graphs (Ganai and Wang), running example: 7 MATs (GenMAT), 5 (GenMAT').
shared X = 0, Y = 0, Z = 0
lock L
thread A { a1: acq L  a2: p := Z  a3: X := p + 1  a4: rel L  a5: Y := p + 2 }
thread B { b1: q := Y  b2: acq L  b3: r := X  b4: Z := r + 1  b5: rel L  b6: Y := q + r }
