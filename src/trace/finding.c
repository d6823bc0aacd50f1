#include "trace/finding.h"

void au_findings_init(au_findings *f) {
    *f = (au_findings){0};
    au_arena_init(&f->arena);
}

void au_findings_release(au_findings *f) {
    au_vec_release(&f->finding);
    au_arena_release(&f->arena);
}

au_finding *au_findings_add(au_findings *f, au_kind kind, uint32_t n_events) {
    au_finding *x = au_vec_add(&f->finding);
    *x = (au_finding){.kind = kind,
                      .standing = AU_IS_POSSIBLE,
                      .obj = AU_NONE,
                      .detail = "",
                      .why = "",
                      .n_events = n_events};
    x->event = AU_ARENA_ARRAY(&f->arena, au_event_ref, n_events);
    return x;
}

void au_funnel_init(au_funnel *f) {
    for (int i = 0; i < AU_STAGES; i++)
        f->left[i] = AU_STAGE_UNKNOWN;
    f->unit = "";
}

const char *au_kind_name(au_kind k) {
    static const char *const name[AU_KINDS] = {"race",      "atomicity",      "deadlock",
                                               "assertion", "nondeterminism", "lock-misuse"};
    return name[k];
}

const char *au_standing_name(au_standing s) {
    static const char *const name[] = {"confirmed", "proved", "possible", "refuted"};
    return name[s];
}

const char *au_stage_name(int stage) {
    static const char *const name[AU_STAGES] = {"candidates", "must-hb",  "lockset",
                                                "graph",      "interval", "solver"};
    return name[stage];
}
