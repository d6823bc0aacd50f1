/* confirm/guide_priv.h: between the files of a guide.
 *
 *   guide.c        turn by turn
 *   guide_signs.c  steps of a schedule as what is to be seen of them
 *   guide_seen.c   a recording as what was seen, and whether that is it */
#ifndef AU_CONFIRM_GUIDE_PRIV_H
#define AU_CONFIRM_GUIDE_PRIV_H

#include "base/hash.h"
#include "confirm/guide.h"
#include "trace/tables.h"

typedef enum {
    AU_SIGN_ACCESS,
    AU_SIGN_ACQ,
    AU_SIGN_REL,
    AU_SIGN_WAIT,
    AU_SIGN_WAKE,
    AU_SIGN_SIGNAL,
    AU_SIGN_ARRIVE,
    AU_SIGN_LEAVE,
    AU_SIGN_FORK,
    AU_SIGN_JOIN,
    AU_SIGN_EXIT
} au_sign_kind;

/* An event that a thread of the model must be seen to execute. */
typedef struct {
    au_sign_kind kind;
    uint32_t thread, step;
    uint64_t place; /* module index << 32 | number of the instruction */
    size_t at;      /* step of the schedule */
    bool read, write;
    uint32_t var;   /* ACCESS; AU_NONE */
    uint32_t child; /* FORK: of the model, AU_NONE: one that the model does not follow */
} au_sign;
typedef AU_VEC(au_sign) au_signs;

/* Where a step stands; UINT64_MAX: not known. */
uint64_t au_sign_place(const au_source *s, uint32_t step);
/* Of one step, if it is seen at all. */
bool au_sign_of(const au_source *s, uint32_t step, size_t at, au_sign *m);
/* Of a schedule, in its order. */
void au_signs_of(const au_way *w, au_signs *signs);

/* ---- guide_seen.c ---- */

typedef struct {
    uint64_t place; /* UINT64_MAX: of no module of the model */
    uint64_t index, address, from, bytes;
    uint32_t thread, line;
    uint8_t op;
} au_seen;

/* What is known of a place. */
typedef struct {
    const char *callee; /* of a call, or NULL */
    bool call;          /* it has sites of a call only */
} au_seen_place;

struct au_seen_module {
    uint32_t first, n, tables; /* tables: AU_NONE none */
    uint32_t module;           /* of the model; AU_NONE */
};
struct au_seen_global {
    const char *name;
    uint64_t address, size;
};

typedef struct {
    const au_source *source;
    AU_VEC(au_tables *) tables;
    AU_VEC(struct au_seen_module) module;
    AU_VEC(struct au_seen_global) global;
    au_map places; /* place: index in place + 1 */
    AU_VEC(au_seen_place) place;
    AU_VEC(au_seen) event; /* of all threads, in order */
    AU_VEC(uint64_t) length;
    uint8_t end; /* AU_END_*; UINT8_MAX: none */
    uint32_t known_modules;
} au_sights;

au_status au_sights_read(au_sights *x, const au_source *s, const char *recording, au_error *err);
void au_sights_release(au_sights *x);
static inline uint64_t au_sights_length(const au_sights *x, uint32_t thread) {
    return thread < x->length.n ? x->length.at[thread] : 0;
}
/* Is the sign never seen, since its instruction has no hooks? */
bool au_sign_is_hidden(const au_sights *x, const au_sign *m);
/* The first event of the thread after 'after' that is the sign's, or NULL. *index: the last event that
 * belongs to it. */
const au_seen *au_sights_find(const au_sights *x, const au_sign *m, uint32_t thread, uint64_t after,
                              uint64_t *index);
const au_seen *au_sights_event(const au_sights *x, uint32_t thread, uint64_t index);
/* The events around an access that nothing comes between: a copy, a call of a memory function. */
void au_sights_unit(const au_sights *x, const au_seen *e, uint64_t *first, uint64_t *last);
/* Does this event do what the sign says? */
bool au_sign_matches(const au_sights *x, const au_sign *m, const au_seen *e);

#endif
