/* report/case_perfetto.c: the witness of a finding for ui.perfetto.dev: it becomes a small trace
 * again, and trace/perfetto_write.c draws that. */
#include "report/case.h"
#include "report/common.h"
#include "trace/writer.h"

/* The operation that reports call so; AU_OPS: it is none of a trace. */
static au_op op_of(const char *name) {
    for (au_op op = 0; op < AU_OPS; op++)
        if (!strcmp(au_report_op(op), name))
            return op;
    return AU_OPS;
}

static uint32_t id_of(au_intern *t, const char *name) {
    return t && *name ? au_intern_add(t, name, strlen(name)) : AU_NONE;
}

static void put_event(au_columns *to, au_names *names, const au_case *c, const au_case_event *e) {
    uint32_t thread = id_of(&names->thread, *e->thread ? e->thread : "?");
    uint32_t loc = id_of(&names->loc, e->location);
    au_op op = op_of(e->op);
    const char *object = e->object;
    if (thread >= AU_MAX_THREADS)
        return;
    if (c->kind == AU_KIND_DEADLOCK && e->decisive && op < AU_OPS &&
        au_op_space(op) == AU_WIRE_SPACE_LOCK)
        op = AU_OP_REQ; /* it never gets it */
    if (op == AU_OPS) {
        op = AU_OP_XCALL; /* a statement with a name of its own: "assert" */
        object = e->op;
    }
    uint32_t obj = id_of(au_names_space(names, au_op_space(op)), object);
    if (obj == AU_NONE && au_op_space(op) != AU_WIRE_SPACE_NONE && op != AU_OP_BEGIN &&
        op != AU_OP_END)
        obj = id_of(au_names_space(names, au_op_space(op)), "?");
    au_columns_push(to, op, (uint16_t)thread, obj, loc == AU_NONE ? AU_NONE : AU_LOC_NAMED + loc,
                    e->has_value ? &e->value : NULL);
}

void au_case_perfetto(const au_case *c, au_out *out) {
    const au_case_events *v = c->witness.n ? &c->witness : &c->event;
    au_names names;
    au_columns events;
    au_names_init(&names);
    au_columns_init(&events);
    for (size_t i = 0; i < v->n; i++)
        put_event(&events, &names, c, &v->at[i]);
    char *title = au_sprintf("%s: %s", c->id, c->message);
    au_writer *w = au_writer_to(
        out, &(au_write_options){.format = AU_FORMAT_PERFETTO, .title = title}, &names);
    au_block b = au_columns_block(&events, 0, events.n);
    au_writer_put(w, &b, NULL);
    au_writer_finish(w, NULL);
    free(title);
    au_columns_release(&events);
    au_names_release(&names);
}
