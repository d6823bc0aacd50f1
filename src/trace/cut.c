/* trace/cut.c: the turns of a schedule that keeps the order of the trace. */
#include "trace/cut.h"

#include "base/none.h"
#include "base/vec.h"

#include <string.h>

static uint32_t in_place(const au_cut *c, uint32_t thread) {
    return thread == c->late ? c->kept : c->upto[thread];
}

uint64_t au_cut_events(const au_cut *c) {
    uint64_t n = 0;
    for (uint32_t t = 0; t < c->threads; t++)
        n += c->upto[t];
    return n;
}

void au_cut_begin(au_cut_walk *w, const au_cut *c, const au_columns *events) {
    *w = (au_cut_walk){.cut = c, .events = events};
    w->done = au_alloc_array(c->threads, sizeof *w->done);
    for (uint32_t t = 0; t < c->threads; t++)
        w->left += in_place(c, t);
}

/* The late events, after all others; false: there are none, or not any more. */
static bool late_turn(au_cut_walk *w, au_turn *turn) {
    const au_cut *c = w->cut;
    if (w->ended || c->late == AU_NONE || c->upto[c->late] <= c->kept)
        return false;
    w->ended = true;
    *turn = (au_turn){.upto = c->upto[c->late], .thread = c->late};
    return true;
}

bool au_cut_turn(au_cut_walk *w, au_turn *turn) {
    const uint16_t *thread = w->events->thread;
    bool begun = false;
    for (; w->left; w->at++) {
        uint32_t t = thread[w->at];
        if (w->done[t] >= in_place(w->cut, t))
            continue;
        if (begun && turn->thread != t)
            return true;
        if (!begun)
            *turn = (au_turn){.thread = t};
        begun = true;
        turn->upto = ++w->done[t];
        w->left--;
    }
    if (!begun)
        return late_turn(w, turn);
    au_turn late;
    if (turn->thread == w->cut->late && late_turn(w, &late))
        turn->upto = late.upto; /* it goes on */
    return true;
}

void au_cut_end(au_cut_walk *w) {
    free(w->done);
    w->done = NULL;
}

au_schedule au_cut_schedule(const au_cut *c, const au_columns *events, au_arena *arena,
                            uint64_t max_turns) {
    AU_VEC(au_turn) turn = {0};
    au_cut_walk w;
    au_turn next;
    bool fits = true;
    au_cut_begin(&w, c, events);
    while (fits && au_cut_turn(&w, &next)) {
        fits = turn.n < UINT32_MAX - 1 && (!max_turns || turn.n < max_turns);
        au_vec_push(&turn, next);
    }
    au_cut_end(&w);
    au_schedule s = {0};
    if (fits) {
        s = (au_schedule){AU_ARENA_ARRAY(arena, au_turn, turn.n), (uint32_t)turn.n};
        if (turn.n)
            memcpy(s.turn, turn.at, turn.n * sizeof *turn.at);
    }
    au_vec_release(&turn);
    return s;
}

const au_cut *au_cut_copy(const au_cut *c, au_arena *arena) {
    uint32_t *upto = AU_ARENA_ARRAY(arena, uint32_t, c->threads + 1);
    if (c->threads)
        memcpy(upto, c->upto, c->threads * sizeof *upto);
    au_cut *copy = AU_ARENA_ARRAY(arena, au_cut, 1);
    *copy = *c;
    copy->upto = upto;
    return copy;
}
