/* linear/atomicity_priv.h: what the two phases share. Only for atomicity*.c. */
#ifndef AU_LINEAR_ATOMICITY_PRIV_H
#define AU_LINEAR_ATOMICITY_PRIV_H

#include "base/hash.h"
#include "linear/atomicity.h"
#include "linear/lockctx.h"

/* What a witness is of; numbers are part of the keys below. */
enum { AU_WIT_R, AU_WIT_W, AU_WIT_AA, AU_WIT_WW, AU_WITS };

/* An access, without what its slot knows (thread, variable). */
typedef struct {
    uint64_t number, index;
    uint32_t loc;
    au_op op;
} au_access_place;

/* A witness: that a position with this key is (R, W) right after an access, or
 * (AA, WW) between two accesses of one block. */
typedef struct {
    uint32_t slot;
    uint32_t key : 30, kind : 2;
    uint32_t first, second; /* R, W: place in 'single'; else e1 and e2 in 'pair' */
} au_witness;

/* A position of a thread, as far as other threads can tell. */
typedef struct {
    uint32_t ctx, segment;
    uint32_t bit, bits; /* its bit in the masks of au_known, if 'bits' is the thread's */
    /* the list of keys of the current block, last seen first (valid if block is the current) */
    uint64_t tick;
    uint32_t block, newer, older;
} au_key;

typedef struct {
    au_access_place at;
    uint32_t rec; /* its place in 'pair', once a witness needed it */
} au_prev;

/* 'all': an e1 of the current block */
typedef struct {
    au_access_place at;
    uint64_t tick;
    bool write;
} au_block_open;

/* One variable of one thread: there can be millions. */
typedef struct {
    uint32_t var;
    uint32_t live; /* its place in 'live', if that is about this slot */
} au_slot;

/* … in the current block. */
typedef struct {
    uint32_t slot;
    bool wrote;              /* in this block */
    uint64_t a_done, w_done; /* keys up to this tick are validated */
    au_prev access, write;   /* the last of this block (or one with the same key) */
} au_live;

/* 'all': the same */
typedef struct {
    uint32_t block; /* that 'at' is about */
    AU_VEC(au_block_open) at;
} au_openers;

typedef struct {
    au_lockwalk walk;
    uint32_t key;
    bool ended;      /* a critical section has ended; whether by a wait, the next event tells */
    bool after_wait; /* the section goes on when the lock is taken again: it is none */
    bool unnested;
    uint32_t bits;      /* how often bits were given out anew, from 1 */
    uint32_t bits_used; /* of AU_FEW */
    uint64_t bits_at;   /* event at which they were */
    uint32_t depth;     /* of marked blocks */
    uint32_t calls;     /* functions entered and not left */
    uint32_t block;     /* number of the current or last block, from 1 */
    uint64_t tick;      /* key changes in this block */
    uint32_t newest;    /* key list of the block */
    uint32_t rec_mark;  /* pair.n when the block began */
    AU_VEC(au_key) keys;
    AU_VEC(au_slot) slot;
    AU_VEC(au_live) live;       /* slots of the current block */
    AU_VEC(au_openers) openers; /* 'all': by slot */
    AU_VEC(au_witness) wit[2];  /* R and W; AA and WW … */
    size_t sure;                /* … of which those behind so many are pending */
    AU_VEC(au_access_place) single, pair;
    au_map key_of;  /* ctx << 32 | segment */
    au_keyset have; /* slot << 32 | key << 2 | kind: of 'wit' */
    au_map locs;    /* 'all': interned pairs of numbers */
} au_athread;

/* Fast path: what is known about a variable of a thread, so that most accesses need
 * no more than a look here. Two ways to know that an access tells nothing new:
 *   - the epoch: a number that changes with the thread's key and block. An access like
 *     this one was seen in this epoch, and another before it;
 *   - masks of up to AU_FEW keys, the newest ones of the thread: this variable has been accessed (written) in this
 *     block, its witnesses R (W) have the thread's key, its AA (and WW) have all keys
 *     that the block has had so far. */
enum { AU_FEW = 16 };
typedef struct {
    uint32_t block, wblock; /* the last block in which it was accessed, written */
    uint32_t epoch[2];      /* of reads, of writes */
    uint16_t has[AU_WITS];
    uint32_t slot; /* + 1; 0 none */
    uint32_t pad;
} au_known;

typedef struct {
    au_known at[64];
} au_vpage;

typedef struct {
    uint64_t index; /* events so far */
    au_vpage **page;
    uint32_t n_pages;
    uint32_t epoch;
    uint32_t block;     /* 0: not in one; else its number, from 1 */
    uint32_t key_bit;   /* of the key in masks; 1 << AU_FEW if it has none */
    uint32_t block_has; /* keys of the block, as bits */
} au_hot;

typedef struct au_online au_online;
void au_online_free(au_online *o);

struct au_atomicity {
    au_atomicity_options o;
    au_block_kind mode; /* MARKED, CRITICAL, NONE */
    const au_names *names;
    au_must *must;
    au_lockctx *ctx;
    AU_VEC(au_hot) hot;        /* by thread */
    AU_VEC(au_athread) thread; /* by thread */
    AU_VEC(au_not_nested) not_nested;
    AU_VEC(bool) first;      /* of each finding: of its (thread pair, variable, class) */
    AU_VEC(uint64_t) combos; /* 'all': (key, loc) and (key, pair of locs), unpacked */
    uint64_t truncated;
    uint32_t vars;
    uint32_t restarts; /* times that AA and WW were forgotten */
    au_online *online; /* NULL if nobody polls */
};

/* Adds a finding: e is an AA (WW) of thread t, f a W (R) of thread u. */
const au_finding *au_atomicity_tell(const au_atomicity *a, au_findings *out, uint16_t t,
                                    const au_witness *e, uint16_t u, const au_witness *f);

/* The same of its events e1, f, e2, which this analysis need not have seen. */
const au_finding *au_atomicity_tell_events(const au_atomicity *a, au_findings *out,
                                           const au_event_ref event[3], bool wrw);

/* Gives back what au_atomicity_finish has used: findings can still be told by their events. */
void au_atomicity_forget(au_atomicity *a);

void au_atomicity_pairs(au_atomicity *a, au_findings *out, au_atomicity_result *r,
                        au_found_fn *found, void *ctx);

#endif
