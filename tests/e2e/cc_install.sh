#!/usr/bin/env bash
# make install: the installed augur finds its parts, from wherever it lies.
. "$(dirname "$0")/lib.sh"

if [ -n "$SANITIZED" ]; then
    check "install"
    skip "the sanitizer build is not installed"
    exit 0
fi
check "install with PREFIX and DESTDIR"
build=$(dirname "$AUGUR")
# As the Makefile does, but into a copy's prefix: the build directory stays as it is.
run env DESTDIR="$TMP/dest" meson install -C "$build" --no-rebuild
expect_status 0
augur=$(find "$TMP/dest" -type f -name augur -path '*/bin/*')
root=${augur%/bin/augur}
for f in bin/augur lib/augur/augur-llvm.so lib/augur/libaugur_rt.a lib/augur/augur_rt.list \
    include/augur.h share/man/man1/augur-cc.1; do
    expect_file "$root/$f"
done

check "the installed program compiles"
cat >p.c <<'END'
#include <augur.h>
int main(void) { AUGUR_ATOMIC_BEGIN("a"); AUGUR_ATOMIC_END(); return 8; }
END
mv "$root" elsewhere
run elsewhere/bin/augur cc p.c -o p
expect_status 0
expect_no_err
run ./p
expect_status 8
run elsewhere/bin/augur doctor
expect_out "^ok +llvm .*elsewhere/lib/augur"
expect_out "^ok +runtime .*elsewhere/lib/augur"
