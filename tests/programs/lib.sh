# tests/programs/lib.sh: reading the expectations that stand in the head of every program of
# this directory, and the events of its recording. Sourced after tests/e2e/lib.sh.
#
#     EXIT n           exit status, recorded or not
#     ONLY recorded    not run without the recorder (it does what libc leaves undefined)
#     ENDS word        how the recording ends, if not by itself: deadlock, assert
#     IN text          its standard input (with \n)
#     OUT text         its whole standard output
#     Tn regex         the synchronisation events of thread n, all of them: 'op object' or
#                      'op object=value' (a value that is not 0), joined by ', '
#
#     SHOWS regex      a line that `augur show` must print (any number of these)
#
# A file without an EXIT line is not one of these programs.
PROGRAMS=$SRC/tests/programs

# expectation NAME WORD: what follows WORD in the head of that program
expectation() {
    sed -n '/\*\//q; p' "$(source_of "$1")" | sed -n "s/^ \* $2 //p" | head -n 1
    # the line that ends the comment
    sed -n '/\*\//{p;q;}' "$(source_of "$1")" | sed -n "s/^ \* $2 //p" | sed 's/ *\*\/$//'
}
shows() {
    sed -n '/^#include/q; s/^ \* SHOWS //p' "$(source_of "$1")" | sed 's/ *\*\/$//'
}
source_of() {
    if [ -e "$PROGRAMS/$1.c" ]; then
        echo "$PROGRAMS/$1.c"
    else
        echo "$PROGRAMS/$1.cc"
    fi
}
all_programs() {
    grep -lE '^ \* EXIT [0-9]' "$PROGRAMS"/*.c "$PROGRAMS"/*.cc | sed 's|.*/||; s|\.[^.]*$||' | sort
}
# compile NAME: ./NAME, built by augur
compile() {
    case $(source_of "$1") in
    *.cc) augur_cxx -O1 -g -pthread "$(source_of "$1")" -o "$1" ;;
    *) augur_cc -O1 -g -pthread -D_GNU_SOURCE -Wno-atomic-alignment "$(source_of "$1")" -o "$1" ;;
    esac
}
# sync_events TRACE: one line a thread, 'Tn op object, op object=value, …'
sync_events() {
    "$AUGUR" show --format json --op=acq,rel,fork,join,begin,end,req,rdacq,wracq,tryfail \
        --op=wait,wake,signal,broadcast,down,up,arrive,leave,once,detach,exit,init,destroy,lockerr \
        "$1" | awk '
        function field(name,   s) {
            if (!match($0, "\"" name "\":(\"[^\"]*\"|-?[0-9]+)"))
                return ""
            s = substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
            gsub(/"/, "", s)
            return s
        }
        {
            t = field("thread"); o = field("obj"); v = field("value"); s = field("op")
            if (o != "") s = s " " o
            if (v != "" && v != "0") s = s "=" v
            line[t] = line[t] (t in line && line[t] != "" ? ", " : "") s
        }
        END { for (t in line) print t " " line[t] }' | sort -V
}
