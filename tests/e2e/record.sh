# augur record and the plain half of augur replay, with a program that plays the runtime
# (tests/programs/fake_child.c); real programs are in record_real.sh.
. "$(dirname "$0")/../e2e/lib.sh"
FAKE=$(dirname "$AUGUR")/tests/programs/fake_child
cp "$FAKE" fake

check "a run is recorded into PROGRAM.trace"
run "$AUGUR" record ./fake exit 0
expect_status 0
expect_no_out
expect_err "^augur: 1 thread, 1 events in [0-9.]+ s$"
expect_err "^augur: 'fake.trace': [0-9]+ bytes, .* bytes a hook"
expect_file fake.trace
expect_true "nothing else is left" test "$(ls -d fake.trace* | wc -l)" -eq 1

check "--quiet says nothing"
run "$AUGUR" record -q -o q ./fake exit 0
expect_status 0
expect_no_out
expect_no_err

check "the same run gives the same bytes"
run "$AUGUR" record -o same1 ./fake exit 0
run "$AUGUR" record -o same2 ./fake exit 0
expect_same same1 same2

check "a program's own status is told, and is status 1"
run "$AUGUR" record -o s3 ./fake exit 3
expect_status 1
expect_err "'./fake' exited with status 3"
expect_file s3

check "a killed program leaves what it had not published"
run "$AUGUR" record -o killed ./fake kill
expect_status 1
expect_err "'./fake' was killed by signal 9"
expect_true "its note is there" grep -qa hello killed

check "a crash is told"
run "$AUGUR" record -o crashed ./fake crash
expect_status 1
expect_err "'./fake' was killed by signal 6"
expect_file crashed

check "a deadlock is told with the runtime's words"
run "$AUGUR" record -o dead ./fake end 3 0
expect_status 1
expect_err "'./fake' deadlocked"

check "a failed assertion is told"
run "$AUGUR" record -o assert ./fake end 2 6
expect_status 1
expect_err "an assertion failed in './fake'"

check "the runtime's message is passed on, without tricks on the terminal"
run "$AUGUR" record -o message ./fake message "$(printf 'more than 4096 threads\033[31m')"
expect_status 0
expect_err '^augur: more than 4096 threads\\x1b\[31m$'

check "a program whose runtime never starts"
run "$AUGUR" record -o silent ./fake silent
expect_status 2
expect_err "nothing of './fake' was recorded"
expect_no_file silent

check "control memory that the program overwrote"
run "$AUGUR" record -o scribble ./fake scribble
expect_status 3
expect_err "overwrote the memory it shares with augur"
expect_file scribble

check "many chunks through the ring"
run "$AUGUR" record -o big ./fake fill 200 "some text"
expect_status 0
expect_err "1 thread, 1[0-9]{7} events"

# --- what cannot be recorded ---

check "a program that is not there"
run "$AUGUR" record ./nothing
expect_status 2
expect_err "^augur: cannot run './nothing': No such file or directory$"

check "a name that is not in PATH"
run "$AUGUR" record fake
expect_status 2
expect_err "there is no program 'fake' in PATH; did you mean './fake'?"

check "a directory"
mkdir -p somewhere
run "$AUGUR" record ./somewhere
expect_status 2
expect_err "'./somewhere': it is a directory"

check "a file that is not executable"
cp fake plain
chmod 600 plain
if [ "$(id -u)" -eq 0 ]; then
    chmod 000 plain
fi
run "$AUGUR" record ./plain
expect_status 2
expect_err "cannot run './plain': Permission denied"

check "a script"
printf '#!/bin/sh\necho hi\n' >script
chmod 755 script
run "$AUGUR" record ./script
expect_status 2
expect_err "'./script' is a script: name the program that it starts"

check "a text file"
echo "no program" >text
chmod 755 text
run "$AUGUR" record ./text
expect_status 2
expect_err "'./text' is not a program"

check "an empty file"
: >empty
chmod 755 empty
run "$AUGUR" record ./empty
expect_status 2
expect_err "'./empty' is not a program"

check "a 32-bit program"
{ printf '\177ELF\001\001\001'; head -c 200 /dev/zero; } >narrow
chmod 755 narrow
run "$AUGUR" record ./narrow
expect_status 2
expect_err "'./narrow' is a 32-bit program"

check "a program for another machine"
{ head -c 18 fake; printf '\267\000'; tail -c +21 fake; } >other
chmod 755 other
run "$AUGUR" record ./other
expect_status 2
expect_err "another kind of machine"

check "a truncated program"
head -c 3000 fake >short
chmod 755 short
run "$AUGUR" record ./short
expect_status 2
expect_no_file short.trace

check "a program that augur cc did not build"
run "$AUGUR" record -o ls.trace ls
expect_status 2
expect_err "was not built by 'augur cc' \(it has no hooks\)"
expect_no_file ls.trace

check "a statically linked program"
echo 'int main(void) { return 0; }' >static.c
if clang-19 -static static.c -o static 2>/dev/null || cc -static static.c -o static 2>/dev/null; then
    run "$AUGUR" record ./static
    expect_status 2
    expect_err "'./static' is statically linked"
else
    skip "no static C library"
fi

check "a shared object"
echo 'int f(void) { return 0; }' >so.c
if clang-19 -shared -fPIC -nostdlib so.c -o lib.so 2>/dev/null; then
    run "$AUGUR" record ./lib.so
    expect_status 2
    expect_err "'./lib.so' is not an executable"
else
    skip "no clang-19"
fi

check "a directory to start in that is not there"
run "$AUGUR" record --cwd nowhere ./fake exit 0
expect_status 2
expect_err "cannot change to 'nowhere'"

check "an output that cannot be written"
run "$AUGUR" record -o nowhere/t ./fake exit 0
expect_status 2
expect_err "cannot write 'nowhere/t'"
run "$AUGUR" record -o somewhere ./fake exit 0
expect_status 2
expect_err "cannot write 'somewhere': it is a directory"

check "a full disk: what is there stays, the program goes on"
(
    ulimit -f 40000
    "$AUGUR" record -o full ./fake noise 80 >full.out 2>full.err </dev/null
    echo $? >full.status
)
expect_true "status 2" test "$(cat full.status)" -eq 2
expect_true "it is said" grep -q "augur: cannot write 'full': File too large" full.err
expect_true "and what to do" grep -q "'full' holds the events before: read it with '--partial'" full.err
expect_true "the program ran to its end" grep -q "1 thread, [0-9]\{5,\} events" full.err
expect_file full
expect_true "of some size" test "$(stat -c %s full)" -gt 38000000
run "$AUGUR" record -o /dev/full ./fake exit 0
expect_status 2
expect_err "cannot write '/dev/full': No space left on device"
(
    ulimit -f 16
    "$AUGUR" record -o tiny ./fake exit 0 >tiny.out 2>tiny.err </dev/null
    echo $? >tiny.status
)
expect_true "no room for the ring: status 2" test "$(cat tiny.status)" -eq 2
expect_true "no room for the ring: said" grep -q "cannot make memory to share with the program: File too large" tiny.err

check "a limit on open files below the control descriptor"
(
    ulimit -S -n 100
    "$AUGUR" record -o few ./fake exit 0 >few.out 2>few.err </dev/null
    echo $? >few.status
)
expect_true "status 0" test "$(cat few.status)" -eq 0

# --- how it is started ---

check "arguments, environment and directory"
mkdir -p there
run "$AUGUR" record -o args --env FAKE=one,GONE --cwd there ./fake args "a b" ""
expect_status 0
expect_out "^argument 'a b'$"
expect_out "^argument ''$"
expect_out "^cwd .*/there$"
expect_out "^FAKE=one$"

check "they are replayed, whatever they are now"
cp "$TMP/.lib/out" first
export FAKE=two
cd somewhere || exit 1
run "$AUGUR" replay ../args
cd ..
unset FAKE
expect_status 0
expect_err "^augur: identical: 0 events"
expect_same "$TMP/.lib/out" first

check "open descriptors are the recorded ones"
exec 7</dev/null 8</dev/null
run "$AUGUR" record -o fds ./fake args
cp "$TMP/.lib/out" first
exec 7<&- 9</dev/null
run "$AUGUR" replay fds
exec 8<&- 9<&-
expect_same "$TMP/.lib/out" first
expect_out "^descriptor 7$"

check "the stack lies where it lay, whatever the limit"
run "$AUGUR" record -o stack ./fake args
cp "$TMP/.lib/out" first
(
    ulimit -s 4096
    "$AUGUR" replay stack >second 2>/dev/null </dev/null
)
expect_same first second

check "standard input from a file"
printf 'one\ntwo\n' >input
run_with input "$AUGUR" record -o in.file ./fake cat
expect_status 0
expect_out "^two$"
run "$AUGUR" replay in.file
expect_status 0
expect_same "$TMP/.lib/out" input

check "only what is left of it"
{ read -r _; "$AUGUR" record -q -o in.rest ./fake cat; } <input >rest
run "$AUGUR" replay in.rest
expect_true "the rest" test "$(cat rest)" = two
expect_same "$TMP/.lib/out" rest

check "standard input from a pipe"
head -c 300000 /dev/urandom >random
"$AUGUR" record -q -o in.pipe ./fake cat >first < <(cat random)
expect_same first random
run "$AUGUR" replay in.pipe
expect_status 0
expect_same "$TMP/.lib/out" random

check "a program that does not read its input"
run bash -c "yes | '$AUGUR' record -q -o in.unread ./fake exit 0"
expect_status 0

check "several runs, each with the input"
run_with input "$AUGUR" record --runs 3 -o many ./fake cat
expect_status 0
expect_file many.1
expect_file many.3
expect_no_file many.4
expect_true "three times" test "$(grep -c two "$TMP/.lib/out")" -eq 3
run "$AUGUR" replay many.3
expect_same "$TMP/.lib/out" input
cat input | "$AUGUR" record -q --runs 2 -o piped ./fake cat >twice
expect_true "through a pipe, too" test "$(grep -c two twice)" -eq 2

check "--measure tells the slowdown, and the output is there once"
run_with input "$AUGUR" record --measure -o measured ./fake cat
expect_status 0
expect_err "events in [0-9.]+ s, [0-9.]+ times the [0-9.]+ s of a run without recording"
expect_true "once" test "$(grep -c two "$TMP/.lib/out")" -eq 1

check "--native: measured against another build of the program"
printf '#!/bin/sh\necho "$*" >native.ran\n' >native
chmod +x native
run_with input "$AUGUR" record --native ./native -o against ./fake cat
expect_status 0
expect_err "events in [0-9.]+ s, [0-9.]+ times the [0-9.]+ s of ./native"
expect_true "it got the same arguments" test "$(cat native.ran)" = cat

check "a signal to augur reaches the program, and the recording is closed"
"$AUGUR" record -o signalled ./fake wait >pid 2>signal.err </dev/null &
recorder=$!
wait_for test -s pid
kill -TERM $recorder
wait $recorder
signal_status=$?
expect_true "status 1, not 143: $signal_status" test $signal_status -eq 1
expect_true "its own status" grep -q "exited with status 40" signal.err
expect_file signalled

check "a recorder that is killed takes the program with it"
: >pid
"$AUGUR" record -o orphan ./fake wait >pid 2>/dev/null </dev/null &
recorder=$!
wait_for test -s pid
kill -KILL $recorder
wait $recorder 2>/dev/null
wait_for eval '! kill -0 "$(cat pid)" 2>/dev/null' || fail "the program still runs"

check "terminals are what they were"
if command -v script >/dev/null; then
    script -qec "'$AUGUR' record -q -o tty ./fake args" /dev/null </dev/null >tty.out 2>&1
    expect_true "recorded on a terminal" grep -q "terminals . 1" tty.out
    run "$AUGUR" replay tty
    expect_out "^terminals . 1$"
    run "$AUGUR" record -q -o notty ./fake args
    expect_out "^terminals 0 0$"
    script -qec "'$AUGUR' replay notty" /dev/null </dev/null >tty.out 2>&1
    expect_true "recorded without one" grep -q "terminals 0 0" tty.out
else
    skip "no 'script'"
fi

# --- bad recordings ---

check "a replay of something else"
run "$AUGUR" replay text
expect_status 2
expect_err "text"
"$AUGUR" gen --events 100 -o gen.trace
run "$AUGUR" replay gen.trace
expect_status 2
expect_err "'gen.trace' is a trace, but no recording of a program"
run "$AUGUR" replay nothing.trace
expect_status 2

check "a replay of a program that has changed"
cp fake changing
run "$AUGUR" record -o changing.trace ./changing exit 0
printf x >>changing
run "$AUGUR" replay changing.trace
expect_status 2
expect_err "changing' has changed since it was recorded: record it again"

check "a replay of a program that has gone"
rm changing
run "$AUGUR" replay changing.trace
expect_status 2
expect_err "No such file"

check "bad schedules"
for bad in "T1" "T1 0" "T1 x" "T1 5 6" "one 5" "T1 -5" "T1 5 spurious x"; do
    echo "$bad" >bad.txt
    run "$AUGUR" replay fake.trace --schedule bad.txt
    expect_status 2
    expect_err "^bad.txt:1: a turn is a thread"
done
: >bad.txt
run "$AUGUR" replay fake.trace --schedule bad.txt
expect_status 2
expect_err "the schedule in 'bad.txt' is empty"
for bad in '[' '[["T1"]]' '[["T1",0]]' '[["T1",1,"x"]]' '{"a":1}' '{"findings":[]}'; do
    echo "$bad" >bad.txt
    run "$AUGUR" replay fake.trace --schedule bad.txt
    expect_status 2
done
run "$AUGUR" replay fake.trace --schedule bad.txt --finding R1
expect_status 2
expect_err "give one"
run "$AUGUR" replay fake.trace --gdb-command bt
expect_status 2
