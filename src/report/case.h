/* report/case.h: a finding as it is kept, shown and compared: self-contained, with names instead of
 * numbers, so that findings of several recordings stand beside each other and outlive the trace.
 *
 * A *dossier* is what one command found: its cases and what they were found in. It is made of a
 * check's outcome (report/dossier.h), written as the JSON of docs/reports.md (case_json.c),
 * read back from that JSON (case_read.c), and every other form is made from it: HTML,
 * SARIF, JUnit. All strings are in the dossier's arena, UTF-8 or not, never NULL ("" if not known). */
#ifndef AU_REPORT_CASE_H
#define AU_REPORT_CASE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/out.h"
#include "base/vec.h"
#include "graph/nondet.h"
#include "trace/finding.h"

/* A call that a thread was in. */
typedef struct {
    const char *function, *file;
    uint32_t line; /* of the call; 0: not known */
} au_case_frame;

/* An event of a run, real or predicted. */
typedef struct {
    const char *thread;   /* "T1" */
    const char *called;   /* what the program calls that thread, "" */
    uint64_t index;       /* of the event, within its thread, from 1 */
    const char *op;       /* "write", "acquire", …, as in the JSON */
    const char *object;   /* variable or lock */
    const char *label;    /* of a model's statement */
    const char *location; /* as the trace has it: "bank.c:12", "17" */
    const char *file, *function;
    uint32_t line; /* 0: not known */
    const char
        *text; /* that line of source, without the blanks around it; only of decisive events */
    uint64_t number; /* in the trace, from 1; 0: none */
    uint64_t until;  /* recordings: the program cannot stop between it and this one; 0: it can */
    bool has_value;
    int64_t value;           /* read or written */
    const char *const *held; /* locks, in the order taken; only of decisive events */
    uint32_t n_held;
    const au_case_frame *caller; /* innermost first; only of a case's events, of recordings */
    uint32_t n_callers;
    /* Only while fingerprints are made (case_cause.c), not kept: the line of the user's code that it happens in, if it is
     * in a library's, and which of its function's lines with this text it is, from 0. */
    const char *from_text;
    uint32_t nth;
    uint32_t decisive; /* which of the case's events this is, from 1; 0: none */
    bool frees;        /* it frees the memory that the object is in; told as a write of it */
    uint64_t skipped;  /* of an order: so many events before this one are left out */
} au_case_event;
typedef AU_VEC(au_case_event) au_case_events;

/* What an event of the schedule reads or writes, where values are known. */
typedef struct {
    const char *thread, *var;
    uint64_t index;
    int64_t value;
    bool write;
} au_case_value;

/* Of an execution under a memory model: a read and the write that it sees (by "": the initial value), and a write
 * in its place among those of its variable. */
typedef struct {
    const char *thread, *var, *by;
    uint64_t index, by_index;
} au_case_sees;
typedef struct {
    const char *thread, *var;
    uint64_t index;
} au_case_wrote;

/* What became of the attempt to execute it on the program. */
typedef enum {
    AU_REPLAY_NOT_TRIED, /* no program, no schedule, no time left: replay_text says which */
    AU_REPLAY_CONFIRMED,
    AU_REPLAY_NOT_SHOWN, /* the schedule was executed, but this did not come of it */
    AU_REPLAY_DIVERGED
} au_case_replay;

typedef struct au_case au_case;
struct au_case {
    const char *id;   /* "R1"; within its dossier */
    au_kind kind;     /* AU_KINDS: no finding, a bare schedule (report/schedule.h) */
    au_narrow narrow; /* what it is in particular (case_narrow.c) */
    au_standing standing;
    const char *var;     /* variable or lock it is about */
    const char *what;    /* "RWR", "assertion 'x == 2' fails with …" */
    const char *why;     /* why it is not more than possible */
    const char *message; /* one line */
    const char
        *fingerprint; /* 16 hex digits: kind, object, functions and the text of the source lines:
                              * the same after lines were moved, and in every run. Of a program's finding, from
                              * au_dossier_causes on: of its cause */
    const char *
        earlier; /* then: what the fingerprint was before; baselines and triage may know it by that. "" */
    au_case_events event;        /* the decisive ones, in the order of witness/check.h */
    AU_VEC(const char *) thread; /* names of the schedule's threads … */
    au_turns schedule;           /* … by which its turns number them */
    AU_VEC(au_case_value) value;
    bool spurious; /* the schedule needs a wake-up without a signal */
    /* "tso", "rc11": no interleaving shows it, but this execution, of whose events the schedule is an order; "" */
    const char *memory;
    au_on_x86 x86;      /* of "rc11" */
    const char *remedy; /* which stronger orders would forbid that; "" */
    AU_VEC(au_case_sees) sees;
    AU_VEC(au_case_wrote) wrote; /* by variable, those of one in their order */
    /* The order in which it happens, and the order that was observed, both around the decisive
     * events. Of longer ones something is left out: before every event that many (skipped), the
     * largest part before step 'cut', 'left_out' in all. */
    au_case_events witness, observed;
    uint32_t witness_cut, observed_cut;
    uint64_t witness_left_out, observed_left_out;
    const char *recording; /* path of the recording that the schedule is of; "" */
    au_case_replay replay;
    const char *replay_text; /* how it diverged, or why it was not tried */
    bool
        disagrees; /* it was proved, and the program contradicted it: no more than possible now, and alone no
                     * reason to fail */
    const char *replay_command; /* "augur replay bank.trace --finding R1"; "" */
    /* From the store (or empty): what people said of it. */
    const char *triage, *note; /* "false-positive", "wontfix", "fixed", "" */
    const char
        *state; /* of a report about the whole store: "new", "open", "fixed" or "known"; "" */
    bool known; /* in the baseline or suppressed: does not count for the exit status */
    bool
        aside; /* shown, and does not count for the exit status: nobody asked for it, and nothing fails by it */
    /* Of a confirmed race or lost update: what it does, "fails", "output", "state" or "none-seen", and that in words
     * ("": nobody has looked). */
    const char *harm, *harm_text;
    AU_VEC(const char *) test; /* 'augur test': names of the cases of the suite that show it */
    /* Findings with the same cause, told here once (case_fold.c); they have none themselves. */
    AU_VEC(au_case) variant;
};

/* Lines of a source file that cases speak of. */
typedef struct {
    const char *file; /* as in the events */
    uint32_t first;   /* number of the first line */
    uint32_t n;
    const char *const *line; /* without the newline */
} au_case_source;

typedef struct {
    const char *kind; /* as in the JSON: "race", "assert", … */
    const char *unit;
    uint64_t left[AU_STAGES]; /* AU_STAGE_UNKNOWN */
} au_case_funnel;

typedef struct {
    const char *name, *svg; /* "causality graph" */
    const char *finding;    /* fingerprint of the case that it is of; "": of everything */
} au_case_graph;

typedef struct {
    const char *name; /* static */
    double value;
} au_case_number;

/* ---- a check in shards (funnel/answers.h, src/scale) ---- */

/* What the exact stage answered to question number 'question' of its call number 'call'. */
typedef struct {
    uint32_t call, question;
    const char *digest, *answer; /* texts of funnel/answers.h */
} au_case_answer;

/* One of the shards that went into a result. */
typedef struct {
    uint32_t number;       /* from 1 */
    const char *directory; /* in which it was run */
    double seconds;
    uint64_t peak_kib;
} au_case_part;

typedef struct {
    const char *path, *hash; /* as it was given; of its bytes */
    uint64_t bytes;
} au_case_input;

typedef struct {
    uint32_t of; /* so many shards; 0: the check was not in shards, or all of them are in it */
    const char *check;             /* the same for every check of these inputs with these options */
    AU_VEC(au_case_part) part;     /* by number, each once */
    AU_VEC(const char *) option;   /* that decide what is found: "--prop=race" */
    AU_VEC(au_case_input) input;   /* in the order given */
    AU_VEC(au_case_answer) answer; /* by call and question, each once */
} au_case_shard;

typedef struct {
    au_arena arena;
    AU_VEC(const char *) input;
    const char *program, *cwd; /* of recordings: the executable */
    bool
        recorded; /* names of files come from a recording: only those below are read by their path … */
    AU_VEC(const char *) compiled; /* … that the program names, which the compiler read */
    AU_VEC(const char *) arg;
    const char *when; /* ISO 8601, UTC; "" */
    uint64_t threads, events, locks, vars;
    AU_VEC(au_case_funnel) funnel;
    bool has_nondet;
    au_nondet_counts nondet;
    AU_VEC(au_case) at;
    AU_VEC(const char *) inconclusive, note;
    AU_VEC(const char *) suite; /* 'augur test': names of all cases that were analysed */
    uint64_t disagreements;     /* executions that went another way than was proved */
    AU_VEC(au_case_source) source;
    AU_VEC(au_case_graph) graph;
    const char *explored;      /* what the exploration did, in sentences; "" */
    const char *claim;         /* what it covered, a sentence; "": nobody has looked (coverage.c) */
    bool covered;              /* … every interleaving of the input */
    AU_VEC(const char *) open; /* … or why not */
    const char *memory;        /* of models: the memory model that was looked at; "" */
    /* Where nobody explored (claim is ""): every question that the input raises was asked, so that answers are all;
     * or what they would not be about, "". */
    bool complete;
    const char *beyond;
    AU_VEC(au_case_number)
    number; /* more of what the JSON calls stats; not read back, not joined */
    double seconds;
    uint64_t peak_kib;
    bool timeless; /* seconds and memory are not told: the same check gives the same bytes */
    au_case_shard shard;
} au_dossier;

/* Nothing is left to ask: every interleaving was covered (of a model: every question was asked), and no question about it
 * is undecided. */
bool au_dossier_is_exhaustive(const au_dossier *d);
/* Each question that is undecided: why not every interleaving was covered, what is inconclusive, findings that
 * are only possible. text lives until the next call. */
void au_dossier_each_open(const au_dossier *d, void (*each)(void *ctx, const char *text),
                          void *ctx);
/* What was covered, a sentence: the claim, unless a question is undecided beside it. The caller frees it. */
char *au_dossier_coverage(const au_dossier *d);
/* What may help against what is inconclusive: "a larger --timeout". */
const char *au_dossier_hint(const au_dossier *d);
/* Not every interleaving was covered, for this reason alone. */
void au_dossier_not_covered(au_dossier *d, const char *why, const char *try_this);

/* What it holds, but for what lies in its dossier's arena. */
void au_case_release(au_case *c);
void au_dossier_init(au_dossier *d);
void au_dossier_release(au_dossier *d);
/* A copy in the arena; NULL gives "". */
const char *au_dossier_text_copy(au_dossier *d, const char *s);
/* A new case with all its texts "" and nothing in it; valid until the next one is added. */
au_case *au_dossier_add(au_dossier *d, au_kind kind);
void au_dossier_drop_last(au_dossier *d);
/* The first n of them. */
void au_dossier_drop_first(au_dossier *d, size_t n);
/* A deep copy of another dossier's case, appended as it is. */
au_case *au_dossier_copy(au_dossier *into, const au_case *c);
/* A turn more for its schedule. 'threads' are the names of those that it has so far, and no others. */
void au_case_add_turn(au_dossier *d, au_case *c, au_intern *threads, const char *thread,
                      uint64_t upto, au_turn_mark mark);
/* Of a finding of kind 'memory': "null", "div", "bounds"; of one of use after free that no race and no crash told: "uaf"; "". */
const char *au_case_detail(const au_case *c);
/* The worse it is, the larger. */
unsigned au_case_harm_rank(const au_case *c);
static inline bool au_case_is_finding(const au_case *c) {
    return c->kind != AU_KINDS;
}
/* The program was executed on its schedule and went another way: what was proved is possible now. */
void au_case_contradict(au_dossier *d, au_case *c);
/* It is no more than possible because the program, executed on its schedule, went another way: alone no reason to
 * fail. Either it was proved, or it rested on answers that the program did not get (AU_WHY_ANSWERS). */
bool au_case_is_contradicted(const au_case *c);
/* Some case that is not known is. */
bool au_dossier_is_contradicted(const au_dossier *d);
/* An event with all its texts "". */
au_case_event au_case_event_none(void);

/* Takes over what another one found: cases that it already has (the same fingerprint) are
 * kept once, the more certain one; ids are given anew. */
void au_dossier_join(au_dossier *into, const au_dossier *from);
/* Ids in the order of kind and certainty. */
void au_dossier_number(au_dossier *d);
/* The case or variant ("R1.2") with this id; NULL: there is none. */
const au_case *au_dossier_called(const au_dossier *d, const char *id);
/* c->fingerprint, from what c says (case_mark.c); its events' texts are to be there. */
void au_case_mark(au_dossier *d, au_case *c);

/* What a finding is called: its narrow kind if it has one. */
static inline const char *au_case_kind_name(const au_case *c) {
    return c->narrow ? au_narrow_name(c->narrow) : au_kind_name(c->kind);
}
/* Fills in what a program's findings are in particular, and says so in their messages (case_narrow.c). */
void au_dossier_narrow(au_dossier *d);
/* Of a program's findings: c->fingerprint becomes that of the cause, c->earlier what it was. Callers and texts are to
 * be there (case_cause.c). */
void au_dossier_causes(au_dossier *d);
/* Of a program's findings those with one cause become one, with the others as its variants; ids are given anew. What is known
 * and what is not stay apart (case_fold.c). */
void au_dossier_fold(au_dossier *d);
/* Names as the user wrote them, without the inside of library types (case_name.c). The last step of au_dossier_fold. */
void au_dossier_plain(au_dossier *d);
/* Is a decisive event in code of a library, so that who called it matters? */
bool au_dossier_is_in_library(const au_dossier *d);

/* Lines around every place that cases speak of, from the files as they are now, and the texts of
 * decisive events. A file is looked for below each of the directories, unless its name leads out of
 * them; "" stands for any file by its name alone, NULL is passed over. Before au_case_mark.
 * (case_source.c) */
void au_dossier_sources(au_dossier *d, const char *const *dir, size_t n_dirs);

/* ---- writing and reading ---- */
void au_dossier_json(const au_dossier *d, au_out *out);
/* name: for messages. AU_EFORMAT with what is wrong. */
au_status au_dossier_read(au_dossier *d, const char *text, size_t n, const char *name,
                          au_error *err);
/* Of all answers: what is lost or changed is noticed. */
uint64_t au_case_shard_sum(const au_case_shard *s);
/* One case as JSON and back: what the store keeps. */
void au_case_json(const au_case *c, au_out *out);
au_status au_case_read(au_dossier *into, const char *text, size_t n, au_error *err);

void au_dossier_sarif(const au_dossier *d, au_out *out); /* 2.1.0 */
void au_dossier_junit(const au_dossier *d, au_out *out);
void au_dossier_github(const au_dossier *d, au_out *out);   /* annotations of a workflow */
void au_dossier_markdown(const au_dossier *d, au_out *out); /* a comment for people */
/* The witness of a case as a Chrome trace, for ui.perfetto.dev (case_perfetto.c). */
void au_case_perfetto(const au_case *c, au_out *out);
void au_dossier_html(const au_dossier *d, au_out *out); /* one self-contained file */

/* ---- for a person (case_text.c): what every command prints ---- */
typedef struct {
    bool color;
    size_t most; /* cases of a kind, 0: all */
    bool
        brief; /* `augur check` and `scan`: numbers of events and turns instead of lines of source */
    bool verbose; /* each variant of a finding, too, and all callers */
    size_t width; /* of the terminal: longer lines are broken; 0: they are not */
} au_case_look;
void au_dossier_text(const au_dossier *d, const au_case_look *look, au_out *out);
/* One of its cases. */
void au_case_text(const au_dossier *d, const au_case *c, const au_case_look *look, au_out *out);

#endif
