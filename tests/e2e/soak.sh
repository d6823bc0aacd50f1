#!/usr/bin/env bash
# A short soak (docs/testing.md) with fixed programs and faults. Those after the first line were failures once.
. "$(dirname "$0")/../e2e/lib.sh"

soak=$(dirname "$AUGUR")/tests/soak/soak
# soak_again ROUND PROGRAM FAULT…
soak_again() {
    local round=$1 program=$2 options=()
    shift 2
    for fault; do
        options+=(--fault "$fault")
    done
    run env TMPDIR="$TMP" SANITIZED="$SANITIZED" "$soak" --round "$round" --program "$program" --keep "$TMP/kept" "${options[@]}"
    expect_status 0
    expect_out "^programs 1, findings [0-9]+, confirmed [0-9]+, .*divergences 0, lost 0$"
}

check "what is not a fault is refused"
run "$soak" --round 1 --fault check/tool/write/ENOSUCH/1
expect_status 2
expect_err "no such fault"

check "a program, and system calls that fail while it is recorded and checked"
soak_again 101 0 record/tool/write/ENOSPC/2+ record/tool/write/SHORT/3 record/program/futex/EINTR/2 \
    check/tool/write/EINTR/1 check/tool/rename/EIO/1 check/worker/write/KILL/1 check/tool/fsync/EINTR/1
expect_out "faults 7 "

check "threads that cannot be made: of the tool, and of the program, whose replay has none, too"
soak_again 102 4 record/tool/clone3/EAGAIN/1 record/program/clone3/EAGAIN/1 record/program/clone3/EAGAIN/2

check "a program, or what its compiler says, that cannot be read: no recording without names, no program without hooks"
soak_again 103 3 record/tool/newfstatat/EIO/7 record/tool/newfstatat/EIO/10+ record/tool/openat/EMFILE/6 \
    record/tool/pipe2/EMFILE/1 record/tool/clone/EAGAIN/1 cc/tool/read/EIO/2+ cc/tool/read/EIO/3 cc/program/write/KILL/2 \
    cc/program/openat/KILL/200 cc/worker/read/KILL/3

check "a store that is killed, or full"
soak_again 100 1 run/tool/pwrite64/KILL/3 run/tool/pwrite64/ENOSPC/4+ run/program/write/KILL/1 run/tool/poll/ENOMEM/1+

check "traces that are cut or damaged"
soak_again 107 5 check/trace/cut/BYTE/900 check/trace/flip/BIT/9001 replay/trace/cut/BYTE/1500 replay/tool/rename/EIO/1

check "answers that are interrupted, sources that cannot be read"
soak_again 103 3 confirm/tool/write/EINTR/10 confirm/tool/write/ENOSPC/10 check/tool/openat/EMFILE/57+ check/tool/openat/EMFILE/56+ \
    check/tool/openat/EACCES/55

check "no memory"
if [ -n "$SANITIZED" ]; then
    skip "memory does not fail in the sanitized build"
else
    soak_again 105 0 check/tool/malloc/NULL/3138 check/tool/malloc/NULL/8151 check/tool/malloc/NULL/1883+ \
        check/tool/memory/MIB/50 run/tool/malloc/NULL/4981+ confirm/tool/malloc/NULL/400 \
        scan/tool/malloc/NULL/786+ scan/tool/malloc/NULL/150+
fi

check "C++, explored and scanned"
soak_again 103 2 explore/worker/write/KILL/1 explore/worker/mmap/KILL/3 explore/tool/write/ENOSPC/5+ scan/worker/read/KILL/2 scan/tool/openat/EMFILE/30+

check "told to stop at any moment, there is a whole report"
soak_again 101 0 check/tool/term/MS/1 check/tool/term/MS/30 run/tool/term/MS/1 run/tool/term/MS/40 run/tool/term/MS/150 \
    explore/tool/term/MS/20 explore/tool/term/MS/200 scan/tool/term/MS/1 scan/tool/term/MS/100

check "threads of threads, and once, without any fault"
soak_again 105 3 -
