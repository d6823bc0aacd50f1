#!/usr/bin/env bash
# What `make install` puts in place works from there.
. "$(dirname "$0")/../e2e/lib.sh"

check "the program, its manual pages and its completion are installed"
run meson install -C "$SRC/build" --no-rebuild --destdir "$TMP/root"
expect_status 0
bin=$(find root -path '*/bin/augur')
man=$(find root -path '*/man/man1/augur.1')
completion=$(find root -path '*/bash-completion/completions/augur')
expect_true "a program" [ -n "$bin" ]
expect_true "a manual page" [ -n "$man" ]
expect_true "a completion" [ -n "$completion" ]

check "the installed program runs"
run "$bin" --version
expect_status 0
expect_out "^augur [0-9]"

check "every command has a manual page"
for name in $("$bin" help --names); do
    expect_file "$(dirname "$man")/augur-$name.1"
done

check "the manual pages are well-formed"
for page in root/*/man/man1/*.1 $(dirname "$man")/*.1; do
    [ -e "$page" ] || continue
    run env MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l "$page"
    expect_status 0
    expect_no_err
done

check "the completion is a shell script"
run bash -n "$completion"
expect_status 0
