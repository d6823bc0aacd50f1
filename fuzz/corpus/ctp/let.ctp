shared x = 3, y : 8 = 200
thread T {
  local b : 8
  l1: a := let $1 = x + 1, $2 = $1 * $1, $3 = $2 > 10 in $3 + $2
  l2: b := let $1 = 5, $2 = $1 < 7 in $2 + y
  l3: if (let $1 = b == 201 in $1 && zext($1, 8) == 1) { l4: [ b := let $1 = y in $1 * $1 ] }
}
