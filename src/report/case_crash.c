/* report/case_crash.c: a crash that is the use or the second free of freed memory (au_case_after_free in case_words.h).
 *
 * The order says it: the line that crashes touched a block that another thread had freed. A free that aborts has no event of
 * its own, only the call of abort in its line: then another thread has freed memory at the same place before, or there is one
 * block only that was freed. */
#include "report/case_slice.h"
#include "report/case_words.h"

static bool same_block(const char *a, const char *b) {
    size_t n = au_case_block_name(a);
    return n && n == au_case_block_name(b) && !strncmp(a, b, n);
}

static const au_case_event *freed_before(const au_case_events *v, size_t end, const char *object,
                                         const char *not_by) {
    for (size_t i = end; i-- > 0;)
        if (v->at[i].frees && strcmp(v->at[i].thread, not_by) &&
            same_block(v->at[i].object, object))
            return &v->at[i];
    return NULL;
}

/* The block that was freed at this place, or the only one that was freed at all. */
static const au_case_event *freed_at(const au_case_events *v, size_t end, const au_case_event *e) {
    const au_case_event *only = NULL;
    bool many = false;
    for (size_t i = end; i-- > 0;) {
        const au_case_event *x = &v->at[i];
        if (!x->frees || !strcmp(x->thread, e->thread) || !au_case_block_name(x->object))
            continue;
        if (!strcmp(x->location, e->location))
            return x;
        many |= only && !same_block(only->object, x->object);
        only = x;
    }
    return many ? NULL : only;
}

static bool is_free_call(const char *line) {
    return strstr(line, "free(") || strstr(line, "delete ") || strstr(line, "delete[]");
}

bool au_case_is_delete(const au_case_event *e) {
    const char *at = strstr(e->text, "delete");
    size_t n = strlen(e->object);
    return at && !memmem(e->text, (size_t)(at - e->text), "->", 2) && n > 7 &&
           !strcmp(e->object + n - 7, ".vtable");
}

bool au_case_after_free(const au_case *c, const au_case_event **frees, const au_case_event **uses,
                        bool *again) {
    const au_case_events *v = &c->witness;
    size_t p = 0;
    while (p < v->n && !(v->at[p].decisive && !strcmp(v->at[p].op, "crash")))
        p++;
    if (c->kind != AU_KIND_ASSERTION || p == v->n || c->event.n != 1 || !*v->at[p].location)
        return false;
    const au_case_event *crash = &v->at[p];
    bool aborts = false;
    *frees = NULL;
    *uses = crash;
    for (size_t i = p; i-- > 0 && !*frees;) {
        const au_case_event *e = &v->at[i];
        if (strcmp(e->thread, crash->thread) || strcmp(e->location, crash->location))
            break;
        aborts |= !strcmp(e->op, "call-outside") && !strcmp(e->object, "abort");
        if (au_case_is_access(e) && (*frees = freed_before(v, i, e->object, e->thread)))
            *uses = e;
    }
    *again = (*uses)->frees;
    if (!*frees && aborts && is_free_call(c->event.at[0].text)) {
        *frees = freed_at(v, p, crash);
        *again = true;
    }
    return *frees;
}
