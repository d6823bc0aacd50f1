# bench/record_real.sh: pbzip2, zstd -T2 and memcached beside the small programs (sourced by
# part_record.sh). Built five times through their own build systems from Debian's sources;
# a program whose sources or libraries cannot be had is skipped, visibly.
real=$record_dir/real
mkdir -p "$real"
input_bytes=4000000
[ -z "$small" ] || input_bytes=500000
awk -v n=$input_bytes 'BEGIN { s = 7
    while (k < n) { s = (s * 1103515245 + 12345) % 2147483648
        line = "event " int(s / 65536) " of thread " s % 13 " at line " s % 977
        print line; k += length(line) + 1 } }' >"$real/input"
# variant: native, clang, tsan, tsan-clang, augur; sets cc, cxx
compilers() {
    case $1 in
    native) cc="gcc -O2 -g" cxx="g++ -O2 -g" ;;
    clang) cc="clang-19 -O2 -g" cxx="clang++-19 -O2 -g -w -Wno-reserved-user-defined-literal" ;;
    tsan) cc="gcc -O2 -g -fsanitize=thread" cxx="g++ -O2 -g -fsanitize=thread" ;;
    tsan-clang) cc="clang-19 -O2 -g -fsanitize=thread" cxx="clang++-19 -O2 -g -w -Wno-reserved-user-defined-literal -fsanitize=thread" ;;
    augur) cc="$(realpath "$AUGUR") cc -O2 -g" cxx="$(realpath "$AUGUR") c++ -O2 -g -w -Wno-reserved-user-defined-literal" ;;
    esac
}
# real_program NAME PACKAGE HEADER BUILD-FUNCTION ARGS: BUILD-FUNCTION makes ./program
real_program() {
    local name=$1 package=$2 header=$3 build=$4 args=$5 why variant cc cxx
    if [ -n "$header" ] && ! echo "#include <$header>" | gcc -x c -fsyntax-only - 2>/dev/null; then
        record_skipped+=("$name: <$header> is not installed")
        return 0
    fi
    if ! why=$(tools/source.sh "$package" "$real/$name.source"); then
        record_skipped+=("$name: $why")
        return 0
    fi
    for variant in native clang tsan tsan-clang augur; do
        compilers $variant
        cp -r "$real/$name.source" "$real/$name.$variant"
        if ! (cd "$real/$name.$variant" && $build) >"$real/$name.$variant.log" 2>&1; then
            echo "bench: '$name' ($variant) cannot be built: $(tail -n 1 "$real/$name.$variant.log")" >&2
            exit 1
        fi
        cp "$real/$name.$variant/program" "$record_dir/$name.$variant"
    done
    record_args[$name]=$args
    record_names+=("$name")
}
build_pbzip2() { make -j2 CC="$cc" CXX="$cxx" pbzip2 && cp pbzip2 program; }
build_zstd() { make -C programs -j2 CC="$cc" MOREFLAGS= CFLAGS= zstd && cp programs/zstd program; }
build_memcached() { ./configure CC="$cc" CFLAGS= && make -j2 memcached && cp memcached program; }
real_program pbzip2 pbzip2 bzlib.h build_pbzip2 "-q -k -c -p2 -1 $real/input"
real_program zstd libzstd '' build_zstd "-q -T2 -c $real/input"
real_program memcached memcached event.h build_memcached memcached
gcc -O2 bench/programs/memload.c -o "$record_dir/memload"
memrounds=1000
[ -z "$small" ] || memrounds=100
# serve COMMAND...: starts the server, loads it, stops it; its time is the load's and the start.
cat >"$record_dir/serve" <<END
#!/usr/bin/env bash
port=\$((20000 + \$\$ % 20000))
# Under valgrind it may only ask for as many descriptors as valgrind leaves it.
ulimit -n 2000
"\$@" -u "\$(id -un)" -l 127.0.0.1 -p \$port -t 2 -c 1988 >/dev/null 2>&1 &
server=\$!
"$record_dir/memload" \$port $memrounds || exit 1
kill -TERM \$server
# it looks for the signal when something happens, or once a second
(exec 8<>/dev/tcp/127.0.0.1/\$port) 2>/dev/null
wait \$server
true
END
chmod +x "$record_dir/serve"
