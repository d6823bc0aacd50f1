#!/usr/bin/env bash
# tools/deps.sh STAGE...: makes sure that the Debian packages of these stages
# (packages.txt) are there. As root it installs what is missing, otherwise it
# prints the one command that does and fails.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then
    echo "usage: tools/deps.sh build|check|bench|deb ..." >&2
    exit 2
fi
for stage in "$@"; do
    if ! grep -q "^$stage " packages.txt; then
        echo "deps: unknown stage '$stage'" >&2
        exit 2
    fi
done

# Packages of the stages asked for.
wanted() {
    local stage
    for stage in "$@"; do
        awk -v s="$stage" '$1 == s { print $2 }' packages.txt
    done
}

# Itself, or another package that provides it (some build of nodejs brings npm along).
is_installed() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed && return
    dpkg-query -W -f '${db:Status-Status} ${Provides}\n' |
        awk -v p="$1" '$1 == "installed" { gsub(/[,(]/, " "); for (i = 2; i <= NF; i++) if ($i == p) found = 1 } END { exit !found }'
}

if ! command -v dpkg-query >/dev/null; then
    echo "deps: not a Debian system, packages are not checked; see packages.txt" >&2
    exit 0
fi

missing=()
for package in $(wanted "$@"); do
    is_installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" -ne 0 ]; then
    echo "augur needs packages that are not installed. As root:" >&2
    echo "$install" >&2
    exit 1
fi
echo "installing: ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
# Package lists may be old or absent; installing is tried even if they cannot be refreshed.
apt-get update -q || echo "deps: package lists could not be refreshed" >&2
$install
