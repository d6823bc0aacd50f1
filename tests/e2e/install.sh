#!/usr/bin/env bash
# What is installed works from there, wherever that is; the library is what its header says, and the
# example of the C interface compiles against it as C and as C++.
# SANITIZED: no, because the sanitizer build is not installed
. "$(dirname "$0")/lib.sh"

build=$(dirname "$AUGUR")
# As `make install DESTDIR=…` does, but the build directory stays as it is; then to another place with a
# blank in its name.
check "install"
run env DESTDIR="$TMP/dest" meson install -C "$build" --no-rebuild
expect_status 0
augur=$(find "$TMP/dest" -type f -name augur -path '*/bin/*')
mv "${augur%/bin/augur}" "$TMP/else where"
root="$TMP/else where"
for f in bin/augur lib/augur/augur-llvm.so lib/augur/augur-verify lib/augur/libaugur_rt.a lib/augur/augur_rt.list lib/augur/libstdcxx.supp include/augur.h \
    include/augur/augur.h share/bash-completion/completions/augur share/doc/augur/README.md \
    share/doc/augur/docs/api.md share/doc/augur/examples/api/findings.c share/man/man1/augur.1; do
    expect_file "$root/$f"
done

check "every command has a manual page, all of them are well-formed"
expect_true "there are commands" [ -n "$("$root/bin/augur" help --names)" ]
for name in $("$root/bin/augur" help --names); do
    expect_file "$root/share/man/man1/augur-$name.1"
done
for page in "$root"/share/man/man1/*.1; do
    run env MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l "$page"
    expect_status 0
    expect_no_err
done

check "the completion is a shell script"
run bash -n "$root/share/bash-completion/completions/augur"
expect_status 0

check "the installed program compiles"
cat >p.c <<'END_OF_C'
#include <augur.h>
int main(void) { AUGUR_ATOMIC_BEGIN("a"); AUGUR_ATOMIC_END(); return 8; }
END_OF_C
run "$root/bin/augur" cc p.c -o p
expect_status 0
expect_no_err
run ./p
expect_status 8
run "$root/bin/augur" doctor
expect_out "^ok +llvm .*else where/lib/augur"
expect_out "^ok +runtime .*else where/lib/augur"

# ---- the library --------------------------------------------------------------------------------

# For pkg-config by a name without the blank, which its output does not mark.
ln -s "$root" "$TMP/plain"
library=$(find "$TMP/plain/lib/" -name 'libaugur.so.0')
libdir=$(dirname "$library")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"

# The names that the header declares, as the library's file of versions has them.
declared() {
    sed -n '/^AU_API /,/;/p' "$1" | tr '\n' ' ' | grep -oE 'au_api_[a-z_]+\(' | tr -d '(' | sort -u
}

check "the library exports what its header declares, under a version, and nothing else"
nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort >exported
declared "$root/include/augur/augur.h" >declared
sed 's/@@.*//' exported >names
expect_same declared names
expect_true "all of version AUGUR_0.1" [ "$(grep -vc '@@AUGUR_0\.1$' exported)" -eq 0 ]
expect_true "no text relocations" [ -z "$(readelf -d "$library" | grep TEXTREL)" ]
expect_true "its name" [ "$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = libaugur.so.0 ]

# tests/api/abi.txt is what programs were compiled against. Lines may be added to it; one that changes
# or goes means libaugur.so.1.
check "names and layouts are those of the stored list"
run gcc -I"$root/include" "$SRC/tests/api/layout.c" -o layout
expect_status 0
{
    cat exported
    ./layout
} >abi
expect_same "$SRC/tests/api/abi.txt" abi

check "debian/ knows the version, the names and what is needed to build"
version=$("$AUGUR" --version | cut -d' ' -f2)
expect_true "version" [ "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$SRC/debian/changelog")" = "$version" ]
expect_same declared <(sed -n 's/^ \(au_api_[a-z_]*\)@AUGUR.*/\1/p' "$SRC/debian/libaugur0.symbols" | sort)
for package in $(awk '$1 == "build" { print $2 }' "$SRC/packages.txt"); do
    case $package in
    make | gcc | g++ | libc6-dev | binutils) ;; # build-essential
    ninja-build) ;;                            # meson's
    *) expect_true "Build-Depends: $package" grep -qE "^ $package[ :,]|^ $package\$" "$SRC/debian/control" ;;
    esac
done

check "the example compiles with pkg-config, as C, as C++ and sanitized"
flags=(--define-variable=prefix="$TMP/plain" libaugur)
expect_true "pkg-config knows the version" [ "$(pkg-config --modversion libaugur)" = "$("$AUGUR" --version | cut -d' ' -f2)" ]
example="$SRC/examples/api/findings.c"
read -ra cflags < <(pkg-config --cflags "${flags[@]}")
read -ra libs < <(pkg-config --libs "${flags[@]}")
run gcc -std=c99 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" "$example" "${libs[@]}" -o findings
expect_status 0
run g++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" "$example" "${libs[@]}" -o findings++
expect_status 0
run clang-19 -g -fsanitize=address,undefined -fno-sanitize-recover=all "${cflags[@]}" "$example" "${libs[@]}" -o findings-asan
expect_status 0

check "the example prints what was found"
cat >expected <<'END_OF_TEXT'
7 events, 2 threads, 1 findings
race (variables): candidates 1 must-hb 1 lockset 1 graph 1
atomicity (representatives): candidates 0 must-hb 0 lockset 0 graph 0
deadlock (cycles): candidates 0 must-hb 0 lockset 0
R1 proved race: race on 'balance': T1 writes at bank.c:12, T2 writes at audit.c:20
    T1 event 2: write balance at bank.c:12
    T2 event 4: write balance at audit.c:20
    schedule: T2 up to 3, T1 up to 1
END_OF_TEXT
for program in findings findings++ findings-asan; do
    run "./$program" --sarif "$program.sarif" "$SRC/examples/traces/hidden_race.std"
    expect_status 1
    expect_no_err
    expect_same expected "$TMP/.lib/out"
    expect_true "SARIF" grep -q '"version": *"2.1.0"' "$program.sarif"
done
run ./findings-asan --set prop=assert --set context-bound=0..3 "$SRC/tests/models/fig1.ctp"
expect_status 1
expect_out "^A1 proved assertion: "
run ./findings-asan --set backend=abacus "$SRC/tests/models/fig1.ctp"
expect_status 2
expect_err "^findings: .*abacus"

check "of a recording the library knows what the program's code tells"
run "$root/bin/augur" cc -g -pthread "$SRC/examples/assertions/check_then_act.c" -o shop
run "$root/bin/augur" record --quiet -o shop.trace ./shop
run ./findings shop.trace
expect_status 1
expect_out "^A1 proved assertion: .*balance >= 0"

check "the library says the same as the command"
for input in "$SRC/examples/traces/two_orders.std" "$SRC/tests/models/fig1.ctp" shop.trace; do
    run ./findings --set prop=race,atomicity,deadlock,assert,nondet "$input"
    grep -oE '^[A-Z][0-9]+ [a-z]+ ' "$TMP/.lib/out" >library.txt
    run "$AUGUR" check --prop race,atomicity,deadlock,assert,nondet --most 0 "$input"
    grep -oE '^[A-Z][0-9]+ [a-z]+ ' "$TMP/.lib/out" >command.txt
    expect_true "there are findings" [ -s command.txt ]
    expect_same command.txt library.txt
done

# ---- and gone again -----------------------------------------------------------------------------

check "uninstall names every file that install puts in place"
meson introspect --installed "$build" | python3 -c 'import json, sys
for p in json.load(sys.stdin).values(): print(p)' >listed
prefix=$(meson introspect --buildoptions "$build" | python3 -c 'import json, sys
print([o["value"] for o in json.load(sys.stdin) if o["name"] == "prefix"][0])')
(cd "$root" && find . -type f -o -type l) | sed "s|^\.|$prefix|" | while IFS= read -r path; do
    case $path in "$prefix"/share/doc/augur/*) continue ;; esac
    grep -qxF "$path" listed || echo "$path"
done >unknown
expect_true "all are listed, but: $(cat unknown)" [ ! -s unknown ]
