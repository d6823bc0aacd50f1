#include "small_trace.h"

#include "base/error.h"

#include <string.h>

static au_trace *make(const char *text, uint32_t first) {
    au_trace *t = AU_NEW(au_trace);
    au_names_init(&t->names);
    au_columns_init(&t->events);
    char *copy = au_strdup(text), *save = NULL;
    for (char *e = strtok_r(copy, ";", &save); e; e = strtok_r(NULL, ";", &save)) {
        char *inner = NULL;
        char *who = strtok_r(e, " ", &inner), *op = strtok_r(NULL, " ", &inner);
        char *name = strtok_r(NULL, " ", &inner), *value = strtok_r(NULL, " ", &inner);
        au_op o = au_op_by_name(op, strlen(op));
        AU_BUG_IF(o == AU_OPS);
        au_intern *space = au_names_space(&t->names, au_op_space(o));
        uint32_t obj = name && space ? au_intern_add(space, name, strlen(name)) : AU_NONE;
        int64_t v = value ? strtoll(value, NULL, 10) : 0;
        uint32_t thread = au_intern_add(&t->names.thread, who, strlen(who));
        au_columns_push(&t->events, o, (uint16_t)thread, obj,
                        first == AU_NONE ? AU_NONE : first + (uint32_t)t->events.n,
                        value ? &v : NULL);
    }
    free(copy);
    return t;
}

au_trace *au_small_trace(const char *text) {
    return make(text, AU_NONE);
}

au_trace *au_small_trace_at(const char *text, uint32_t first) {
    return make(text, first);
}

void au_small_trace_kind(au_trace *t, const char *lock, uint8_t kind, int32_t init) {
    au_names_set_sync(&t->names, au_intern_find(&t->names.lock, lock, strlen(lock)), kind, init);
}
