#!/usr/bin/env bash
# tools/exports.sh ARCHIVE: the dynamic list (for ld, gold and lld) of what the runtime
# defines for everybody: its hooks and the functions of the C library that it stands
# before. Hidden symbols are its own matter and stay out, and so do GLib's: a library that is loaded
# later may bring a GLib that the runtime does not know.
set -euo pipefail

archive=${1:?usage: tools/exports.sh ARCHIVE}
names=$(LC_ALL=C readelf -sW "$archive" |
    awk '($5 == "GLOBAL" || $5 == "WEAK") && $6 == "DEFAULT" && $7 != "UND" { print $8 }' |
    grep -v '^g_' | LC_ALL=C sort -u)
if ! grep -q '^__augur_' <<<"$names"; then
    echo "exports: no hook is defined in '$archive'" >&2
    exit 1
fi
echo "{"
sed 's/.*/  &;/' <<<"$names"
echo "};"
