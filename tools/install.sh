#!/usr/bin/env bash
# tools/install.sh [--remove]: installs build/ below $DESTDIR$PREFIX (default /usr/local), or takes the same
# files away again, and the directories that are augur's own. Behind `make install` and `make uninstall`.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix=$(realpath -ms -- "${PREFIX:-/usr/local}")
destdir=${DESTDIR:+$(realpath -ms -- "$DESTDIR")}
meson configure build "-Dprefix=$prefix" >/dev/null
ninja -C build --quiet build.ninja >/dev/null # what is installed where follows from that

if [ "${1:-}" != --remove ]; then
    env DESTDIR="$destdir" meson install -C build --quiet
    echo "installed in '$destdir$prefix'"
else
    meson introspect --installed build |
        python3 -c 'import json, sys; print("\n".join(sorted(set(json.load(sys.stdin).values()))))' |
        while IFS= read -r path; do
            # Only what is a directory of ours (documents, examples) is taken away whole.
            case $path in
            "$prefix"/share/doc/augur/*) rm -rf -- "$destdir$path" ;;
            *) rm -f -- "$destdir$path" ;;
            esac
        done
    for dir in lib/augur include/augur share/doc/augur; do
        if [ -d "$destdir$prefix/$dir" ]; then
            rmdir -- "$destdir$prefix/$dir"
        fi
    done
    echo "removed from '$destdir$prefix'"
fi
# Who links with libaugur wants the loader to know it.
if [ -z "$destdir" ] && [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then
    ldconfig
fi
