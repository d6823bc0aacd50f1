#!/usr/bin/env bash
# tools/docs.sh sees links and paths that lead nowhere.
. "$(dirname "$0")/../e2e/lib.sh"

document() {
    rm -rf tree
    mkdir -p tree/docs tree/src/base
    printf 'x' >tree/src/base/a.c
    cat >tree/docs/a.md
    run bash "$SRC/tools/docs.sh" tree
}

check "links that exist, addresses and code blocks are fine"
document <<'END'
[a](../src/base/a.c) [b](a.md#part) [c](https://example.org/x) `src/base/a.c` `src/<layer>/b.c`
```
[d](nowhere.md) `src/nowhere.c`
```
END
expect_status 0
expect_no_out

check "a dead link is found"
document <<'END'
See [this](nowhere.md).
END
expect_status 1
expect_out "docs/a.md: link to 'nowhere.md'"

check "a dead path is found"
document <<'END'
See `src/base/b.c`.
END
expect_status 1
expect_out "names 'src/base/b.c'"
