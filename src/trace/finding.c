#include "trace/finding.h"

#include "base/error.h"

#include <string.h>

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
                      .n_events = n_events};
    x->event = AU_ARENA_ARRAY(&f->arena, au_event_ref, n_events);
    return x;
}

const char *au_why_text(au_why why) {
#define AU_WHY_TEXT(name, text) text,
    static const char *const row[] = {AU_WHYS(AU_WHY_TEXT)};
#undef AU_WHY_TEXT
    return row[why];
}

void au_finding_because(au_finding *f, au_why why) {
    AU_BUG_IF(strstr(au_why_text(why), "%s"));
    f->why = why;
    f->why_said = NULL;
}

void au_finding_because_of(au_finding *f, au_arena *into, au_why why, const char *first,
                           const char *second) {
    const char *fill[] = {first, second, NULL}, *text = au_why_text(why), *hole = text;
    size_t n = strlen(text), used = 0;
    for (int i = 0; fill[i]; i++)
        n += strlen(fill[i]);
    char *said = AU_ARENA_ARRAY(into, char, n + 1), *end = said;
    for (; (hole = strstr(text, "%s")); text = hole + 2, used++) {
        AU_BUG_IF(!fill[used]);
        end = mempcpy(end, text, (size_t)(hole - text));
        end = stpcpy(end, fill[used]);
    }
    AU_BUG_IF(fill[used]);
    strcpy(end, text);
    f->why = why;
    f->why_said = said;
}

const char *au_finding_why(const au_finding *f) {
    return f->why_said ? f->why_said : au_why_text(f->why);
}

void au_funnel_init(au_funnel *f) {
    for (int i = 0; i < AU_STAGES; i++)
        f->left[i] = AU_STAGE_UNKNOWN;
    f->unit = "";
}

static const struct {
    const char *name, *prop;
} kinds[AU_KINDS] = {
#define KIND_NAMES(id, name, prop) {name, prop},
    AU_KIND_TABLE(KIND_NAMES)};

const char *au_kind_name(au_kind k) {
    return kinds[k].name;
}

const char *au_kind_prop_name(au_kind k) {
    return kinds[k].prop;
}

bool au_kind_by_name(const char *name, au_kind *k) {
    for (int i = 0; i < AU_KINDS; i++)
        if (!strcmp(name, kinds[i].name) || !strcmp(name, kinds[i].prop)) {
            *k = (au_kind)i;
            return true;
        }
    return false;
}

static const struct {
    const char *name;
    au_kind kind;
} narrows[AU_NARROWS] = {{"", AU_KINDS},
#define NARROW_NAMES(id, name, kind) {name, AU_KIND_##kind},
                         AU_NARROW_TABLE(NARROW_NAMES)};

const char *au_narrow_name(au_narrow n) {
    return narrows[n].name;
}

au_narrow au_narrow_by_name(const char *name, au_kind *k) {
    for (int i = AU_NARROW_NONE + 1; i < AU_NARROWS; i++)
        if (!strcmp(name, narrows[i].name)) {
            *k = narrows[i].kind;
            return (au_narrow)i;
        }
    return AU_NARROW_NONE;
}

const char *au_standing_name(au_standing s) {
    static const char *const name[] = {"confirmed", "proved", "possible", "refuted"};
    return name[s];
}

static const char *const mark_name[AU_MARKS] = {"", "spurious", "timeout"};

const char *au_mark_name(au_turn_mark m) {
    return mark_name[m];
}

bool au_mark_of(const char *name, uint16_t *mark) {
    for (uint16_t m = 0; m < AU_MARKS; m++)
        if (!strcmp(name, mark_name[m])) {
            *mark = m;
            return true;
        }
    return false;
}

const char *au_stage_name(int stage) {
    static const char *const name[AU_STAGES] = {"candidates", "must-hb",  "lockset",
                                                "graph",      "interval", "solver"};
    return name[stage];
}
