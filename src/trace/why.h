/* trace/why.h: why a finding has the standing it has: of what is only possible why it is not more, of
 * what was refuted why, of some that are proved what the proof rests on.
 *
 * One row a reason: its name and its text. A text has up to two holes, "%s", for what differs from
 * finding to finding. Stages compare names, reports print texts; both are here and nowhere else. */
#ifndef AU_TRACE_WHY_H
#define AU_TRACE_WHY_H

#define AU_WHYS(X)                                                                                 \
    X(NONE, "")                                                                                    \
    /* predictors on a whole trace (src/linear) */                                                 \
    X(UNCHECKED, "its schedule has not been executed")                                             \
    X(LONG, "its schedule is too long to be kept")                                                 \
    X(RUN_LONG, "it happened in the recorded run itself, which has too many turns to be kept as "  \
                "a schedule")                                                                      \
    X(READ_LONG, "it was executed, but its schedule has too many turns to be kept")                \
    X(READS, "not ordered by synchronisation, but a read before it saw what came after the other " \
             "access")                                                                             \
    X(ORDERED, "not ordered in the run, but no reordering that keeps every read and the order of " \
               "critical sections brings the two together")                                        \
    X(LOCKSETS, "predicted from locksets and acquisition histories alone")                         \
    X(NOT_NESTED, "thread '%s' does not release its locks in the reverse order of acquisition "    \
                  "(first at event %s of the trace)")                                              \
    X(NO_SCHEDULE, "%s") /* what was in the way of one */                                          \
    X(SPURIOUS, "the schedule needs a wake-up without a signal")                                   \
    X(CYCLE, "a cycle of lock requests; whether the data allows it is not known")                  \
    X(CYCLE_SEEN, "the trace ends with it")                                                        \
    X(CYCLE_LIMIT, "a cycle of lock requests; the search for a schedule ended at its limit")       \
    X(CYCLE_ORDERED, "a cycle of lock requests; no reordering that keeps every read's write and "  \
                     "the order of critical sections reaches it")                                  \
    X(HAPPENED, "it happened in the run; its schedule has not been executed")                      \
    X(RECURSIVE, "the trace does not say whether the lock is recursive")                           \
    /* … in one pass */                                                                          \
    X(HB, "not ordered in the run, but reads before it may depend on earlier races")               \
    X(HB_FIRST, "the first race of the run; no schedule was made")                                 \
    /* the checker of schedules (src/witness) */                                                   \
    X(CHECKER, "%s") /* its own words */                                                           \
    X(OTHER_WRITE, "a schedule respects all synchronisation, but on it a read before the "         \
                   "decisive events sees another write than in the run")                           \
    X(BUDGET, "no schedule was made: the budget for schedules is used up (--schedules)")           \
    X(SEEN, "it is in the run itself; the checker has no rule for it")                             \
    X(SPLIT, "the schedule stops inside of an access that is one step of the program, where "      \
             "another thread would see it")                                                        \
    X(RECORDED, "it happened in the recorded run itself")                                          \
    /* the causality graph (src/graph) */                                                          \
    X(GRAPH_VALUES, "no interleaving in which every read sees the value it saw shows it: a cycle " \
                    "in the causality graph")                                                      \
    X(GRAPH_ORDER, "no interleaving shows it: synchronisation alone closes a cycle in the "        \
                   "causality graph")                                                              \
    X(GRAPH_OPEN, "the search gave it up (too many combinations of choices, or synchronisation "   \
                  "that the graph does not know exactly)")                                         \
    X(GRAPH_BUDGET, "it was executed, but the budget for schedules is used up (--schedules)")      \
    X(GRAPH_REFUSED, "its schedule was refused")                                                   \
    /* the exact stage (src/solve) */                                                              \
    X(SAME_WAY, "reads on the way may see other values than in the run, with which the program "   \
                "goes the same way")                                                               \
    X(SAME_VALUES, "every read on the way sees the value it saw in the run, though not always of " \
                   "the same write")                                                               \
    X(NOT_SAME_WAY, "no interleaving in which every thread goes the way it went shows it")         \
    X(NOT_SAME_VALUES, "no interleaving in which every read sees the value it saw shows it")       \
    X(OTHER_SHARD, "the exact stage is asked about it in another shard")                           \
    X(NOT_ASKED, "no exact stage was asked (--stages)")                                            \
    X(NO_VALUES, "values are ignored (--model cam)")                                               \
    X(LOCKS_ONLY, "everything but locks is ignored (--model locks)")                               \
    X(LOCKS_ORDERED, "everything but locks is ignored (--model locks); fork and join rule it out") \
    X(OTHER_WAY, "a thread that goes a way that none of the runs went could end it")               \
    /* the static half (src/scan), and what the program did */                                     \
    X(UNDECIDED, "%s") /* why, and the locks held */                                               \
    X(INEXACT, "its schedule leads through code that is modelled by more than it can do")          \
    X(DID_IT, "the program did it, in %s turns: %s")                                               \
    X(NOT_SHOWN, "%sexecuted, but it did not show: %s")                                            \
    X(DIVERGED, "%snot executed to its end: %s")

#define AU_WHY_NAME(name, text) AU_WHY_##name,
typedef enum { AU_WHYS(AU_WHY_NAME) AU_WHY_COUNT } au_why;
#undef AU_WHY_NAME

/* The row's text, with its holes. */
const char *au_why_text(au_why why);

#endif
