#!/usr/bin/env bash
# tools/build.sh KIND [TARGET...]: configures (if needed) and builds one of
#   release   build/        gcc, -O2 -g, assertions on
#   asan      build-asan/   clang-19, AddressSanitizer and UBSan, any report is fatal; the fuzz harnesses with it
# WERROR=false lets warnings pass (for compilers other than Debian 12's).
# JOBS=N limits parallel compilations.
set -euo pipefail
cd "$(dirname "$0")/.."

kind=${1:?usage: tools/build.sh release|asan [TARGET...]}
shift
options=("-Dwerror=${WERROR:-true}")
san="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
case $kind in
release)
    dir=build
    options+=(-Dbuildtype=debugoptimized)
    # `make` alone does not need the libraries of the tests.
    pkg-config --exists cmocka 2>/dev/null || options+=(-Dtests=false)
    ;;
asan)
    dir=build-asan
    export CC=clang-19
    # The coverage counters are for the fuzz harnesses, which are linked from the same objects.
    # libaugur.so leaves the sanitizer's functions to the program. lld, if it is there, links more than a
    # hundred programs in a quarter of the time.
    cover="-fsanitize=fuzzer-no-link -fsanitize-coverage-ignorelist=$PWD/fuzz/uncovered.txt"
    ! command -v ld.lld >/dev/null || link=-fuse-ld=lld
    options+=(-Doptimization=1 -Ddebug=true -Db_lundef=false -Dfuzz=true
        "-Dc_args=$cover $san" "-Dc_link_args=$san ${link:-}")
    ;;
*)
    echo "build: unknown kind '$kind'" >&2
    exit 2
    ;;
esac

# A directory configured with other options, or left half-configured, starts afresh.
stamp="${CC:-default} ${options[*]}"
if [ ! -f $dir/build.ninja ] || [ "$(cat $dir/.configured 2>/dev/null)" != "$stamp" ]; then
    rm -rf "$dir"
    mkdir "$dir"
    if ! meson setup "$dir" "${options[@]}" >$dir/setup.log 2>&1; then
        cat $dir/setup.log >&2
        exit 1
    fi
    echo "$stamp" >$dir/.configured
fi
exec ninja -C "$dir" -j "${JOBS:-$(nproc)}" ${QUIET:+--quiet} "$@"
