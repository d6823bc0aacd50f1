/* Traces for the tests of race predictors, written as "T1 w x, T2 acq m, …": thread,
 * operation, operand. An event's location is its number. Objects whose name starts with
 * 's' are semaphores of count 0, with 'b' barriers of two. */
#ifndef TEST_RACE_TEXT_H
#define TEST_RACE_TEXT_H

#include "trace/trace.h"

static inline au_trace *trace_of(const char *text) {
    au_trace *t = AU_NEW(au_trace);
    au_columns_init(&t->events);
    au_names_init(&t->names);
    char *copy = au_strdup(text), *save = NULL;
    for (char *p = strtok_r(copy, ",", &save); p; p = strtok_r(NULL, ",", &save)) {
        char thread[32], op[32], obj[32] = "";
        assert_true(sscanf(p, " %31s %31s %31s", thread, op, obj) >= 2);
        au_op o = au_op_by_name(op, strlen(op));
        assert_int_not_equal(o, AU_OPS);
        uint32_t id = AU_NONE;
        if (*obj)
            id = au_intern_add(au_names_space(&t->names, au_op_space(o)), obj, strlen(obj));
        if (au_op_space(o) == AU_WIRE_SPACE_LOCK && *obj == 's')
            au_names_set_sync(&t->names, id, AU_WIRE_OBJ_SEM, 0);
        if (au_op_space(o) == AU_WIRE_SPACE_LOCK && *obj == 'b' && o != AU_OP_ACQ && o != AU_OP_REL)
            au_names_set_sync(&t->names, id, AU_WIRE_OBJ_BARRIER, 2);
        uint32_t who = au_intern_add(&t->names.thread, thread, strlen(thread));
        au_columns_push(&t->events, o, (uint16_t)who, id, (uint32_t)t->events.n, NULL);
    }
    free(copy);
    return t;
}

#endif
