# tests/explore: in each program an assertion fails in another interleaving than the first, through something
# that is hard to follow: a pipe, a state inside libc, an address, who was the last at a barrier, ….
# Exploration finds it, or at least does not say that every interleaving was covered.
. "$(dirname "$0")/../e2e/lib.sh"

printf ab >input
for source in "$SRC"/tests/explore/*.c; do
    name=$(basename "$source" .c)
    # The sanitizers make it ten times slower: what is claimed does not depend on them.
    [ -z "$SANITIZED" ] || [[ " copied main_ends pipe_order serial " = *" $name "* ]] || continue
    check "$name: found, or not claimed to be covered"
    "$AUGUR" cc -w -g -O1 -pthread "$source" -o "$name" || fail "does not compile"
    run_with input timeout 60 "$AUGUR" explore --quiet --no-check --first --budget 2 "./$name"
    case $status in
    1) expect_out "^[A-Z]1 +confirmed" ;;
    0 | 3) expect_out "Not every interleaving of this input was covered" ;;
    *) expect_status 1 ;;
    esac
    rm -rf "$name" "$name.explored"
done
