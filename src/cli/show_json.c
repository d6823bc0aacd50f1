/* cli/show_json.c: the events of a trace as JSON lines: the keys of 'augur
 * convert --to jsonl' (docs/formats.md) and the event's number in the trace, which
 * a filter would otherwise hide. Each name is quoted once, when it is first seen. */
#include "base/arena.h"
#include "base/json.h"
#include "cli/show.h"

#include <stdlib.h>

typedef struct {
    const char *s;
    size_t len;
} quoted;
typedef AU_VEC(quoted) quoted_names;

typedef struct {
    au_viewer v;
    AU_VEC(uint64_t) count; /* events of each thread so far */
    quoted_names space[AU_WIRE_SPACES];
    au_arena arena;
} view;

static void quote_new_names(view *w, quoted_names *q, const au_intern *t) {
    size_t known = q->n;
    if (known == t->n)
        return;
    au_out *o = au_out_memory();
    while (q->n < t->n) {
        uint32_t id = (uint32_t)q->n;
        uint64_t start = au_out_bytes(o);
        au_json j;
        au_json_init(&j, o, false);
        au_json_string_n(&j, au_intern_str(t, id), au_intern_len(t, id));
        au_vec_push(q, ((quoted){.len = au_out_bytes(o) - start}));
    }
    size_t len;
    const char *text = au_out_memory_data(o, &len);
    const char *s = au_arena_strndup(&w->arena, text, len);
    for (; known < q->n; s += q->at[known++].len)
        q->at[known].s = s;
    au_out_abandon(o);
}

static void grow(view *w, const au_names *names) {
    for (uint8_t k = AU_WIRE_SPACE_THREAD; k < AU_WIRE_SPACES; k++)
        quote_new_names(w, &w->space[k], au_names_space_const(names, k));
    while (w->count.n < names->thread.n)
        au_vec_push(&w->count, 0);
}

#define LITERAL(out, s) au_out_write((out), "" s, sizeof(s) - 1)

static void put_name(au_out *out, const quoted_names *q, uint32_t id) {
    au_out_write(out, q->at[id].s, q->at[id].len);
}

static void put_event(const view *w, const au_block *b, size_t i, uint64_t index) {
    au_out *out = w->v.out;
    uint8_t space = au_op_space(b->op[i]);
    uint32_t loc = b->loc[i];
    LITERAL(out, "{\"number\":");
    au_out_u64(out, b->first + i + 1);
    LITERAL(out, ",\"thread\":");
    put_name(out, &w->space[AU_WIRE_SPACE_THREAD], b->thread[i]);
    LITERAL(out, ",\"index\":");
    au_out_u64(out, index);
    LITERAL(out, ",\"op\":\"");
    au_out_str(out, au_op_name(b->op[i]));
    LITERAL(out, "\"");
    if (space != AU_WIRE_SPACE_NONE && b->obj[i] != AU_NONE) {
        LITERAL(out, ",\"obj\":");
        put_name(out, &w->space[space], b->obj[i]);
    }
    if (loc != AU_NONE)
        LITERAL(out, ",\"loc\":");
    if (loc < AU_LOC_NAMED)
        au_out_u64(out, loc);
    else if (loc != AU_NONE)
        put_name(out, &w->space[AU_WIRE_SPACE_LOC], loc - AU_LOC_NAMED);
    if (au_block_has_value(b, i)) {
        LITERAL(out, ",\"value\":");
        au_out_i64(out, b->value[i]);
    }
    LITERAL(out, "}\n");
}

static void view_block(au_viewer *v, const au_block *b, const au_names *names) {
    view *w = (view *)v;
    grow(w, names);
    for (size_t i = 0; i < b->n; i++) {
        uint64_t index = ++w->count.at[b->thread[i]];
        if (!v->filter->any || au_filter_keep(v->filter, b, i))
            put_event(w, b, i, au_viewer_index(v, b->thread[i], index));
    }
}

static void view_end(au_viewer *v, const au_reader *r) {
    (void)v, (void)r;
}

static void view_free(au_viewer *v) {
    view *w = (view *)v;
    for (size_t k = 0; k < AU_WIRE_SPACES; k++)
        au_vec_release(&w->space[k]);
    au_vec_release(&w->count);
    au_arena_release(&w->arena);
    free(w);
}

au_viewer *au_view_events_json(void) {
    view *w = AU_NEW(view);
    w->v = (au_viewer){.block = view_block, .end = view_end, .free = view_free};
    au_arena_init(&w->arena);
    return &w->v;
}
