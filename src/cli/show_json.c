/* cli/show_json.c: the events of a trace as JSON lines: the keys of 'augur
 * convert --to jsonl' (docs/formats.md) and the event's number in the trace, which
 * a filter would otherwise hide. */
#include "base/json.h"
#include "cli/show.h"

#include <stdlib.h>

typedef struct {
    au_viewer v;
    AU_VEC(uint64_t) count; /* events of each thread so far */
} view;

static void put_name(au_json *j, const char *key, const au_intern *names, uint32_t id) {
    au_json_key(j, key);
    au_json_string_n(j, au_intern_str(names, id), au_intern_len(names, id));
}

static void put_event(au_out *out, const au_block *b, size_t i, uint64_t index,
                      const au_names *names) {
    au_json j;
    au_json_init(&j, out, false);
    au_json_object(&j);
    au_json_put_u64(&j, "number", b->first + i + 1);
    put_name(&j, "thread", &names->thread, b->thread[i]);
    au_json_put_u64(&j, "index", index);
    au_json_put_string(&j, "op", au_op_name(b->op[i]));
    const au_intern *space = au_names_space_const(names, au_op_space(b->op[i]));
    if (space && b->obj[i] != AU_NO_OBJ)
        put_name(&j, "obj", space, b->obj[i]);
    if (b->loc[i] < AU_LOC_NAMED)
        au_json_put_u64(&j, "loc", b->loc[i]);
    else if (b->loc[i] != AU_NO_LOC)
        put_name(&j, "loc", &names->loc, b->loc[i] - AU_LOC_NAMED);
    if (au_block_has_value(b, i))
        au_json_put_i64(&j, "value", b->value[i]);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}

static void view_block(au_viewer *v, const au_block *b, const au_names *names) {
    view *w = (view *)v;
    while (w->count.n < names->thread.n)
        au_vec_push(&w->count, 0);
    for (size_t i = 0; i < b->n; i++) {
        uint64_t index = ++w->count.at[b->thread[i]];
        if (!v->filter->any || au_filter_keep(v->filter, b, i))
            put_event(v->out, b, i, index, names);
    }
}

static void view_end(au_viewer *v, const au_reader *r) {
    (void)v, (void)r;
}

static void view_free(au_viewer *v) {
    view *w = (view *)v;
    au_vec_release(&w->count);
    free(w);
}

au_viewer *au_view_events_json(void) {
    view *w = AU_NEW(view);
    w->v = (au_viewer){.block = view_block, .end = view_end, .free = view_free};
    return &w->v;
}
