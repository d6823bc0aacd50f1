/* linear/race.c: what the race predictors share, and all of them on a whole trace. */
#include "linear/race.h"

#include "base/deadline.h"
#include "base/limits.h"
#include "linear/race_apart.h"

void au_race_seen_init(au_race_seen *s) {
    au_map_init(&s->pair);
    au_map_init(&s->seen);
}

void au_race_seen_release(au_race_seen *s) {
    au_map_release(&s->pair);
    au_map_release(&s->seen);
}

static uint64_t pair_key(uint32_t loc1, uint32_t loc2) {
    return loc1 < loc2 ? au_key2(loc1, loc2) : au_key2(loc2, loc1);
}

/* of the variable and the pair of locations number 'pair' */
static uint64_t seen_key(uint32_t var, uint64_t pair, unsigned blank) {
    return au_key2(var, (uint32_t)(pair * 3 + blank));
}

bool au_race_seen_has(const au_race_seen *s, uint32_t var, uint32_t loc1, uint32_t loc2,
                      unsigned blank) {
    const uint64_t *pair = au_map_find(&s->pair, pair_key(loc1, loc2));
    return pair && au_map_find(&s->seen, seen_key(var, *pair, blank));
}

bool au_race_seen_add(au_race_seen *s, uint32_t var, uint32_t loc1, uint32_t loc2, unsigned blank) {
    uint64_t *pair = au_map_put(&s->pair, pair_key(loc1, loc2), NULL);
    if (!*pair)
        *pair = s->pair.n;
    bool fresh;
    au_map_put(&s->seen, seen_key(var, *pair, blank), &fresh);
    return fresh;
}

const char *au_race_detail(au_op first, au_op second) {
    bool r1 = first == AU_OP_READ || first == AU_OP_AREAD;
    bool r2 = second == AU_OP_READ || second == AU_OP_AREAD;
    return r1 ? "RW" : r2 ? "WR" : "WW";
}

au_status au_races(const au_trace *t, const au_race_options *o, au_findings *out, au_funnel *funnel,
                   au_race_stats *stats, au_error *err) {
    au_race_stats own;
    au_findings hb;
    size_t begin = out->finding.n;
    au_findings_init(&hb);
    au_syncp *s = au_races_list(t, o, out, &hb, &own, err);
    if (!s) {
        au_findings_release(&hb);
        return au_deadline_over() ? AU_OK : AU_EUNSUPPORTED;
    }
    size_t end = out->finding.n;

    /* what happens-before has beyond: its first example of a pair of locations may be
     * ordered where another is not, so pairs of locations that are known are left out */
    au_race_seen seen;
    au_race_seen_init(&seen);
    for (size_t k = begin; k < end; k++) {
        const au_event_ref *e = out->finding.at[k].event;
        au_race_seen_add(&seen, e[0].obj, e[0].loc, e[1].loc, 0);
    }
    uint64_t budget = o->budget ? o->budget : AU_LIMIT_RACE_BUDGET;
    au_race_prober *prober = au_race_prober_new(s);
    for (size_t k = 0; k < hb.finding.n && !au_deadline_over(); k++) {
        const au_finding *x = &hb.finding.at[k];
        if (au_race_seen_has(&seen, x->obj, x->event[0].loc, x->event[1].loc, 0))
            continue;
        au_finding *f = au_findings_add(out, AU_KIND_RACE, 2);
        f->obj = x->obj;
        f->detail = x->detail;
        f->event[0] = x->event[0];
        f->event[1] = x->event[1];
        bool affordable = budget > x->event[1].number;
        if (!au_race_probe(prober, x->event[0].number, x->event[1].number, f, &out->arena,
                           affordable, o->max_turns ? o->max_turns : AU_LIMIT_RACE_TURNS))
            au_finding_because(f, au_deadline_over() ? AU_WHY_TIME
                                  : au_syncp_before_next(s, x->event[0].number, x->event[1].number)
                                      ? AU_WHY_READS
                                      : AU_WHY_ORDERED);
        else if (affordable)
            budget -= x->event[1].number + 1;
        if (o->found)
            o->found(o->ctx, f);
    }
    if (funnel) {
        funnel->unit = "variables";
        funnel->left[AU_STAGE_CANDIDATES] = own.candidates;
        funnel->left[AU_STAGE_MUST_HB] = own.must_hb;
        funnel->left[AU_STAGE_LOCKSET] = own.lockset;
    }
    if (stats)
        *stats = own;
    au_race_prober_free(prober);
    au_race_seen_release(&seen);
    au_findings_release(&hb);
    au_syncp_free(s);
    return AU_OK;
}
