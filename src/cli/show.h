/* cli/show.h: the parts of 'augur show'. Only for cmd_show.c and show_*.c. */
#ifndef AU_CLI_SHOW_H
#define AU_CLI_SHOW_H

#include "base/json.h"
#include "base/out.h"
#include "base/vec.h"
#include "cli/cli.h"
#include "model/model.h"
#include "trace/recording.h"

/* The names asked for in one space and, for each id read so far, whether it is
 * one of them. */
typedef struct {
    char *const *want;
    size_t n;
    AU_VEC(uint8_t) keep;
    uint64_t found; /* bit i: want[i] was met (for the first 64) */
} au_name_filter;

/* Which events are wanted. */
typedef struct {
    bool any;             /* some filter is on */
    bool by_obj;          /* --var or --lock */
    uint64_t first, last; /* numbers from 0, both included */
    uint64_t ops;         /* bit op */
    au_name_filter thread, var, lock;
} au_filter;
_Static_assert(AU_OPS <= 64, "operations fit a word");

au_status au_filter_init(au_filter *f, const au_opts *o, au_error *err);
void au_filter_release(au_filter *f);
/* Call it for every block before au_filter_keep: looks at the names that are new. */
void au_filter_grow(au_filter *f, const au_names *names);
/* At the end of the trace: a name that never came is the user's slip. */
au_status au_filter_check(const au_filter *f, const au_names *names, const char *file,
                          au_error *err);

static inline bool au_filter_keep(const au_filter *f, const au_block *b, size_t i) {
    uint64_t number = b->first + i;
    au_op op = b->op[i];
    if (number < f->first || number > f->last || !(f->ops >> op & 1))
        return false;
    if (f->thread.n && !f->thread.keep.at[b->thread[i]])
        return false;
    if (!f->by_obj)
        return true;
    uint8_t space = au_op_space(op);
    uint32_t obj = b->obj[i];
    if (obj == AU_NONE)
        return false;
    return (space == AU_WIRE_SPACE_VAR && f->var.n && f->var.keep.at[obj]) ||
           (space == AU_WIRE_SPACE_LOCK && f->lock.n && f->lock.keep.at[obj]);
}

/* The ways to show a trace. They stream; none keeps more than names and counts. */
typedef struct au_viewer au_viewer;
struct au_viewer {
    void (*block)(au_viewer *v, const au_block *b, const au_names *names);
    /* The trace has been read as far as it was wanted. */
    void (*end)(au_viewer *v, const au_reader *r);
    void (*free)(au_viewer *v);
    const au_hooks *hooks; /* borrowed; NULL: an event's index is its own */
    au_filter *filter;     /* borrowed */
    au_out *out;           /* borrowed */
};

/* What the index of an event is called in schedules. */
static inline uint64_t au_viewer_index(const au_viewer *v, uint16_t thread, uint64_t index) {
    return v->hooks ? au_hooks_of(v->hooks, thread, index) : index;
}

au_viewer *au_view_events_text(const au_opts *o);
au_viewer *au_view_events_json(void);
au_viewer *au_view_summary(const au_opts *o);

/* show_recording.c: nothing for other traces. */
void au_show_recording_text(const au_reader *r, au_out *out);
void au_show_recording_json(const au_reader *r, au_json *j);

/* show_knowledge.c: --as-ctp, --slice, --pinned, --tsg of traces: the whole job, with the exit status. */
bool au_show_wants_knowledge(const au_opts *o);
int au_show_knowledge(const au_opts *o);

/* A .ctp model: the whole job, with the exit status. */
int au_show_model(const au_opts *o);
/* --tsg: options that do not go together; the graph of a model, within --timeout and --memory. */
au_status au_show_tsg_usage(const au_opts *o, au_error *err);
au_status au_show_tsg(const au_opts *o, const au_model *m, au_out *out, au_error *err);

#endif
