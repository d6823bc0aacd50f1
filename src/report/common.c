#include "report/common.h"

#include "base/printable.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *au_report_op(au_op op) {
    static const char *const name[AU_OPS] = {
        [AU_OP_ACQ] = "acquire",         [AU_OP_REL] = "release",
        [AU_OP_READ] = "read",           [AU_OP_WRITE] = "write",
        [AU_OP_RDACQ] = "read-acquire",  [AU_OP_WRACQ] = "write-acquire",
        [AU_OP_REQ] = "request",         [AU_OP_AREAD] = "atomic-read",
        [AU_OP_AWRITE] = "atomic-write", [AU_OP_RMW] = "atomic-update",
        [AU_OP_RET] = "return",          [AU_OP_XCALL] = "call-outside",
        [AU_OP_XRET] = "return-outside", [AU_OP_LOCKERR] = "lock-error",
    };
    return op < AU_OPS && name[op] ? name[op] : au_op_name(op);
}

const char *au_report_verb(au_op op) {
    switch (op) {
    case AU_OP_READ:
    case AU_OP_AREAD:
        return "reads";
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
        return "writes";
    case AU_OP_RMW:
        return "updates";
    case AU_OP_ACQ:
    case AU_OP_REQ:
    case AU_OP_RDACQ:
    case AU_OP_WRACQ:
        return "wants";
    default:
        return au_op_name(op);
    }
}

const char *au_report_name(const au_names *n, uint8_t space, uint32_t id) {
    const au_intern *t = au_names_space_const(n, space);
    return t && id < t->n ? au_intern_str(t, id) : "?";
}

void au_report_put_name(au_out *out, const au_names *n, uint8_t space, uint32_t id) {
    const au_intern *t = au_names_space_const(n, space);
    char text[256];
    if (!t || id >= t->n)
        au_out_char(out, '?');
    else
        au_out_write(
            out, text,
            au_printable(text, sizeof text, au_intern_str(t, id), au_intern_len(t, id), NULL));
}

const char *au_report_place(const au_names *n, const au_event_ref *e, const au_event_text *t,
                            char *buf, size_t size) {
    if (!t || !t->place || !*t->place)
        return au_report_loc(n, e->loc, buf, size);
    snprintf(buf, size, "%s", t->place);
    return buf;
}

const char *au_report_loc(const au_names *n, uint32_t loc, char *buf, size_t size) {
    if (loc == AU_NONE)
        buf[0] = 0;
    else if (loc < AU_LOC_NAMED)
        snprintf(buf, size, "%" PRIu32, loc);
    else
        snprintf(buf, size, "%s", au_report_name(n, AU_WIRE_SPACE_LOC, loc - AU_LOC_NAMED));
    return buf;
}

/* The digits that end at s[n], if a ':' stands before them. */
static bool number_before(const char *s, size_t n, size_t *colon, uint64_t *v) {
    size_t i = n;
    uint64_t scale = 1;
    *v = 0;
    while (i && s[i - 1] >= '0' && s[i - 1] <= '9' && n - i < 10) {
        *v += (uint64_t)(s[i - 1] - '0') * scale;
        scale *= 10;
        i--;
    }
    if (i == n || i < 2 || s[i - 1] != ':')
        return false;
    *colon = i - 1;
    return true;
}

bool au_report_split_loc(const char *text, size_t *file_length, uint64_t *line) {
    size_t n = strlen(text), colon, before;
    uint64_t further;
    if (!number_before(text, n, &colon, line))
        return false;
    if (number_before(text, colon, &before, &further)) { /* file:line:column */
        *line = further;
        colon = before;
    }
    *file_length = colon;
    return true;
}

void au_finding_id(au_kind kind, size_t number, char *id, size_t size) {
    static const char letter[AU_KINDS] = {'R', 'V', 'D', 'A', 'N', 'L', 'U', 'O'};
    snprintf(id, size, "%c%zu", letter[kind], number);
}

/* "T1 writes at bank.c:12" */
static void side(const au_names *n, const au_event_ref *e, const au_event_text *t, bool with_object,
                 au_out *out) {
    char loc[160], safe[256];
    const char *called = au_names_called(n, e->thread);
    if (*called)
        au_out_printf(out, "%.*s (", (int)au_printable(safe, 60, called, strlen(called), NULL),
                      safe);
    au_report_put_name(out, n, AU_WIRE_SPACE_THREAD, e->thread);
    au_out_str(out, *called ? ") " : " ");
    if (t && *t->op)
        au_out_printf(out, "%s%s", t->op, !strcmp(t->op, "crash") ? "es" : "s");
    else
        au_out_str(out, au_report_verb(e->op));
    if (with_object && e->obj != AU_NONE) {
        au_out_str(out, " '");
        au_report_put_name(out, n, au_op_space(e->op), e->obj);
        au_out_char(out, '\'');
    }
    if (t && *t->label)
        au_out_printf(out, " at %s", t->label);
    if (*au_report_place(n, e, t, loc, sizeof loc)) {
        au_out_str(out, t && *t->label ? " (" : " at ");
        au_out_write(out, safe, au_printable(safe, sizeof safe, loc, strlen(loc), NULL));
        au_out_str(out, t && *t->label ? ")" : "");
    }
}

void au_finding_message(const au_names *n, const au_finding *f, au_out *out) {
    static const char *const before[AU_KINDS] = {[AU_KIND_RACE] = "race on '",
                                                 [AU_KIND_ATOMICITY] = "atomic block broken (",
                                                 [AU_KIND_DEADLOCK] = "deadlock: ",
                                                 [AU_KIND_ASSERTION] = "assertion fails: ",
                                                 [AU_KIND_NONDET] = "read of another write of '",
                                                 [AU_KIND_MISUSE] = "'",
                                                 [AU_KIND_LOST] = "lost update of '",
                                                 [AU_KIND_OUTPUT] = "different output on '"};
    if (f->kind == AU_KIND_ASSERTION && f->text && f->text[0].place && *f->detail)
        au_out_printf(out, "%s: ", f->detail); /* of a program: it says what fails */
    else if (f->kind == AU_KIND_ASSERTION && !strcmp(f->detail, "reached"))
        au_out_str(out, "can be reached: ");
    else
        au_out_str(out, before[f->kind]);
    if (f->kind == AU_KIND_ATOMICITY)
        au_out_printf(out, "%s on '", f->detail);
    if (f->kind != AU_KIND_DEADLOCK && f->kind != AU_KIND_ASSERTION) {
        bool lock = f->kind == AU_KIND_MISUSE;
        au_report_put_name(out, n, lock ? AU_WIRE_SPACE_LOCK : AU_WIRE_SPACE_VAR, f->obj);
        au_out_str(out, f->kind == AU_KIND_ATOMICITY ? "'): " : "': ");
    }
    if (f->kind == AU_KIND_MISUSE || (f->kind == AU_KIND_LOST && *f->detail))
        au_out_printf(out, "%s: ", f->detail);
    bool objects = f->kind == AU_KIND_DEADLOCK;
    for (uint32_t i = 0; i < f->n_events; i++) {
        bool ordered = f->kind == AU_KIND_ATOMICITY || f->kind == AU_KIND_LOST;
        au_out_str(out, !i ? "" : ordered ? ", then " : ", ");
        side(n, &f->event[i], f->text ? &f->text[i] : NULL, objects, out);
    }
    if (f->kind == AU_KIND_NONDET && *f->detail)
        au_out_printf(out, " (%s)", f->detail);
}
