#!/usr/bin/env bash
# tools/install-docs.sh AUGUR: run by `meson install`; asks the program for its
# manual pages and its bash completion and puts them in place.
set -euo pipefail
augur=$1
share=${MESON_INSTALL_DESTDIR_PREFIX:?is set by meson install}/share

man=$share/man/man1
mkdir -p "$man"
"$augur" help --man >"$man/augur.1"
for name in $("$augur" help --names); do
    "$augur" help --man "$name" >"$man/augur-$name.1"
done

completions=$share/bash-completion/completions
mkdir -p "$completions"
"$augur" help --completion >"$completions/augur"
