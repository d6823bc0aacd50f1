#!/usr/bin/env bash
# tools/source.sh PACKAGE DIRECTORY: unpacks the Debian source package there, for tests and
# benchmarks on real programs. The entries are made of the configured ones; all of apt's
# state stays in a directory of its own beside DIRECTORY. REAL_SOURCES=DIR names a directory that holds
# the packages (*.dsc and what belongs to it) already. Status 77 and the reason: not to be had.
set -uo pipefail
package=$1 into=$2
command -v dpkg-source >/dev/null || {
    echo "dpkg-dev is not installed"
    exit 77
}
home=$(dirname "$into")/apt-sources
mkdir -p "$home/parts" "$home/lists/partial" "$home/cache/archives/partial"
: >"$home/none"
in_home() {
    timeout 120 apt-get -q -o Dir::Etc::sourcelist="$home/none" -o Dir::Etc::sourceparts="$home/parts" \
        -o Dir::State::lists="$home/lists" -o Dir::Cache="$home/cache" \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::http::Timeout=20 -o Acquire::Retries=1 "$@"
}
if [ -n "${REAL_SOURCES:-}" ]; then
    cp "$REAL_SOURCES/${package}"_* "$home" 2>/dev/null
else
    if [ ! -f "$home/updated" ]; then
        for f in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
            [ -f "$f" ] && sed -n 's/^deb /deb-src /p' "$f" >"$home/parts/$(basename "$f" .list).list"
        done
        for f in /etc/apt/sources.list.d/*.sources; do
            [ -f "$f" ] && sed 's/^Types:.*/Types: deb-src/' "$f" >"$home/parts/$(basename "$f")"
        done
        in_home update >"$home/log" 2>&1 && : >"$home/updated"
    fi
    (cd "$home" && in_home source --download-only "$package" >>log 2>&1)
fi
dsc=$(find "$home" -maxdepth 1 -name "${package}_*.dsc" | head -n 1)
if [ -z "$dsc" ] || ! dpkg-source -x "$dsc" "$into" >"$home/unpack" 2>&1; then
    echo "the source of '$package' cannot be had: $(tail -n 1 "$home/log" 2>/dev/null)"
    exit 77
fi
