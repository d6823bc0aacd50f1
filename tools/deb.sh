#!/usr/bin/env bash
# tools/deb.sh: the Debian packages of this tree, in build/deb: built from a copy, without network, and looked
# at by lintian, whose errors count. Behind `make deb`; debian/ says what goes where.
set -euo pipefail
cd "$(dirname "$0")/.."

out=$PWD/build/deb
version=$(dpkg-parsechangelog -S Version)
told=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
if [ "$version" != "$told" ]; then
    echo "deb: debian/changelog says version $version, meson.build $told" >&2
    exit 1
fi
rm -rf "$out"
mkdir -p "$out/src"
# What is tracked or new, not what was built; without git everything but that.
if git rev-parse --git-dir >/dev/null 2>&1; then
    git ls-files -coz --exclude-standard | while IFS= read -r -d '' f; do
        [ ! -e "$f" ] || printf '%s\0' "$f"
    done | tar -c --null -T - | tar -x -C "$out/src"
else
    tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$out/src"
fi

# debhelper moves HOME; the cache of the compiler stays where it is.
if command -v ccache >/dev/null; then
    CCACHE_DIR=${CCACHE_DIR:-$(ccache -k cache_dir)}
    export CCACHE_DIR
fi
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} noautodbgsym parallel=${JOBS:-$(nproc)}"
cd "$out/src"
if ! dpkg-buildpackage -us -uc -b >"$out/build.log" 2>&1; then
    tail -n 60 "$out/build.log" >&2
    echo "deb: the build failed; all of it is in '$out/build.log'" >&2
    exit 1
fi
cd "$out"
rm -rf src
if command -v lintian >/dev/null; then
    # Root in a container is fine here.
    lintian --allow-root --fail-on error --tag-display-limit 0 ./*.changes | tee lintian.log
else
    echo "deb: lintian is not installed, the packages were not looked at" >&2
fi
ls -1 "$out"/*.deb
