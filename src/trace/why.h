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
    X(RUN_LONG,                                                                                    \
      "it happened in the recorded run itself, which is too long to be kept as a schedule")        \
    X(READ_LONG, "it was executed, but its schedule is too long to be kept")                       \
    X(READS, "not ordered by synchronisation, but an earlier read saw a write that follows the "   \
             "other access")                                                                       \
    X(ORDERED, "not ordered in the run, but no reordering that keeps every read and the order of " \
               "critical sections makes the two adjacent")                                         \
    X(LOCKSETS, "predicted from locksets and acquisition histories alone")                         \
    X(NOT_NESTED, "thread '%s' does not release its locks in the reverse order of acquisition "    \
                  "(first at event %s of the trace)")                                              \
    X(NO_SCHEDULE, "%s") /* what was in the way of one */                                          \
    X(SPURIOUS, "the schedule needs a wake-up without a signal")                                   \
    X(CYCLE, "a cycle of lock requests; data flow was not checked")                                \
    X(CYCLE_SEEN, "the trace ends with it")                                                        \
    X(CYCLE_LIMIT, "a cycle of lock requests; search limit reached before a schedule was found")   \
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
    X(TIME, "no time was left to check its schedule (--budget)")                                   \
    X(SEEN, "it happened in the run itself; the checker has no rule for it")                       \
    X(ANSWERS,                                                                                     \
      "on its schedule the program asks for the time, for descriptors or for the state of a "      \
      "semaphore or robust mutex in another order than in the run, and may get other answers")     \
    X(FOREIGN, "on its schedule a function without hooks is called in another order than in the "  \
               "run, or finds other memory, and may do something else")                            \
    X(FIRST, "a thread waits for an initialisation that may not have begun: then it would begin "  \
             "it itself")                                                                          \
    X(SPLIT, "the schedule stops inside an access that is one step of the program")                \
    X(THINNED,                                                                                     \
      "accesses that repeat others were left out of the long run: on its schedule one of "         \
      "them may see another value")                                                                \
    X(RECORDED, "it happened in the recorded run itself")                                          \
    /* the causality graph (src/graph) */                                                          \
    X(GRAPH_VALUES,                                                                                \
      "unreachable while every read sees its recorded value: a cycle in the causality graph")      \
    X(GRAPH_ORDER, "unreachable: synchronisation alone closes a cycle in the causality graph")     \
    X(GRAPH_OPEN, "undecided by the graph (too many combinations of choices, or synchronisation "  \
                  "that it approximates)")                                                         \
    X(GRAPH_BUDGET, "it was executed, but the budget for schedules is used up (--schedules)")      \
    X(GRAPH_REFUSED, "its schedule was refused")                                                   \
    /* the exact stage (src/solve) */                                                              \
    X(SAME_WAY,                                                                                    \
      "reads may see other values than in the run, but every thread takes its recorded path")      \
    X(SAME_VALUES, "every read sees its recorded value, though not always from the same write")    \
    X(SUCCEEDS, "on its schedule a compare-and-exchange succeeds that failed in the run")          \
    X(NOT_SAME_WAY, "unreachable while every thread takes its recorded path")                      \
    X(NOT_SAME_VALUES, "unreachable while every read sees its recorded value")                     \
    X(OTHER_SHARD, "another shard decides it")                                                     \
    X(NOT_ASKED, "the exact stage was left out (--stages)")                                        \
    X(NO_VALUES, "values are ignored (--model cam)")                                               \
    X(LOCKS_ONLY, "everything but locks is ignored (--model locks)")                               \
    X(LOCKS_ORDERED, "everything but locks is ignored (--model locks); fork and join rule it out") \
    X(AFTER_RACE, "only after a race: C11 does not say what the program does then")                \
    X(AFTER_RACES, "after a race, as far as was looked: C11 does not say what the program does "   \
                   "then")                                                                         \
    X(OTHER_WAY, "a thread on a path that no run took could end it")                               \
    /* the static half (src/scan), and what the program did */                                     \
    X(UNDECIDED, "%s") /* why, and the locks held */                                               \
    X(INEXACT, "its schedule leads through over-approximated code%s") /* ; missing: … */         \
    X(RESTS_OUTSIDE,                                                                               \
      "executed with recorded input from outside, which what the program had sent by then may "    \
      "have caused; in this order it had sent something else")                                     \
    X(RESTS_TERMINAL, "executed with what was typed in the recorded run")                          \
    X(RESTS_TIMED,                                                                                 \
      "executed, but through a timer or a connection by TCP, which take their own time")           \
    X(CROSSES, "in its schedule others move between __VERIFIER_atomic_begin and its end")          \
    X(DID_IT, "the program did it, in %s turns: %s")                                               \
    X(NOT_SHOWN, "%sexecuted, but it did not happen: %s")                                          \
    X(DIVERGED, "%snot executed to its end: %s")                                                   \
    X(DISAGREES, "model and program disagree: it was proved, but the program went another way")

#define AU_WHY_NAME(name, text) AU_WHY_##name,
typedef enum { AU_WHYS(AU_WHY_NAME) AU_WHY_COUNT } au_why;
#undef AU_WHY_NAME

/* The row's text, with its holes. */
const char *au_why_text(au_why why);

#endif
