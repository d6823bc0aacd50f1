/* funnel/answers.c: see answers.h.
 *
 * As text an answer is its bytes, packed with zstd, in base64: schedules are long and repeat
 * themselves. */
#include "funnel/answers.h"

#include "base/alloc.h"
#include "base/base64.h"
#include "base/in.h"
#include "base/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 64 << 20 }; /* bytes of an answer; what au_in_peek gives at once */

void au_answers_init(au_answers *a, uint32_t shards) {
    AU_BUG_IF(!shards);
    *a = (au_answers){.shards = shards};
    a->cover = au_alloc_array(shards, sizeof *a->cover);
    au_arena_init(&a->arena);
    au_map_init(&a->at);
}

void au_answers_release(au_answers *a) {
    free(a->cover);
    au_vec_release(&a->kept);
    au_map_release(&a->at);
    au_arena_release(&a->arena);
}

void au_answers_cover(au_answers *a, uint32_t shard) {
    AU_BUG_IF(shard >= a->shards);
    a->cover[shard] = true;
}

bool au_answers_cover_all(const au_answers *a) {
    for (uint32_t i = 0; i < a->shards; i++)
        if (!a->cover[i])
            return false;
    return true;
}

uint32_t au_answers_call(au_answers *a, uint32_t batches, uint32_t *first) {
    *first = a->batches;
    a->batches += batches;
    return a->calls++;
}

bool au_answers_mine(const au_answers *a, uint32_t batch) {
    return a->cover[batch % a->shards];
}

static uint64_t key_of(uint32_t call, uint32_t question) {
    return au_key2(call, question);
}

const au_answer_kept *au_answers_find(const au_answers *a, uint32_t call, uint32_t question,
                                      uint64_t digest) {
    const uint64_t *at = au_map_find(&a->at, key_of(call, question));
    const au_answer_kept *k = at ? &a->kept.at[*at] : NULL;
    return k && k->digest == digest ? k : NULL;
}

/* Which of two answers to one question is kept must not depend on their order. */
static bool is_better(const au_answer_kept *a, const au_answer_kept *b) {
    if (a->open != b->open)
        return b->open;
    if (a->digest != b->digest)
        return a->digest < b->digest;
    if (a->size != b->size)
        return a->size < b->size;
    return memcmp(a->data, b->data, a->size) < 0;
}

void au_answers_keep(au_answers *a, const au_answer_kept *k) {
    bool fresh;
    uint64_t *at = au_map_put(&a->at, key_of(k->call, k->question), &fresh);
    if (!fresh && !is_better(k, &a->kept.at[*at]))
        return;
    au_answer_kept own = *k;
    own.data = au_arena_strndup(&a->arena, k->data, k->size);
    if (fresh) {
        *at = a->kept.n;
        au_vec_push(&a->kept, own);
    } else {
        a->kept.at[*at] = own;
    }
}

/* ---- texts ---------------------------------------------------------------------------------- */

typedef struct {
    AU_VEC(char) v;
} packed;

static bool into_memory(void *ctx, const void *p, size_t n) {
    packed *k = ctx;
    au_vec_append(&k->v, (const char *)p, n);
    return true;
}

static const char *text_of(const au_answer_kept *k, au_arena *arena) {
    au_error err = AU_ERROR_NONE;
    packed bytes = {0};
    au_packer *p = au_packer_new(AU_PACK_ZSTD);
    AU_BUG_IF(au_packer_run(p, k->data, k->size, true, into_memory, &bytes, &err) != AU_OK);
    au_packer_free(p);
    au_out *out = au_out_memory();
    size_t n;
    au_base64_put(out, bytes.v.at, bytes.v.n);
    const char *text = au_out_memory_data(out, &n);
    text = au_arena_strndup(arena, text, n);
    au_out_abandon(out);
    au_vec_release(&bytes.v);
    return text;
}

static int by_place(const void *x, const void *y) {
    const au_answer_kept *a = *(const au_answer_kept *const *)x,
                         *b = *(const au_answer_kept *const *)y;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return a->question < b->question ? -1 : a->question > b->question;
}

void au_answers_write(const au_answers *a, au_dossier *d) {
    const au_answer_kept **order = au_alloc_array(a->kept.n, sizeof *order);
    for (size_t i = 0; i < a->kept.n; i++)
        order[i] = &a->kept.at[i];
    if (a->kept.n)
        qsort(order, a->kept.n, sizeof *order, by_place);
    for (size_t i = 0; i < a->kept.n; i++) {
        char digest[20];
        snprintf(digest, sizeof digest, "%016" PRIx64, order[i]->digest);
        au_case_answer text = {order[i]->call, order[i]->question, au_dossier_text_copy(d, digest),
                               text_of(order[i], &d->arena)};
        au_vec_push(&d->shard.answer, text);
    }
    free(order);
}

/* Its bytes; false if the text is none of ours. The caller closes *in, which holds them. */
static bool unpack(const char *text, au_in **in, char **raw, au_answer_kept *k) {
    size_t n, have = 0;
    *in = NULL;
    *raw = au_base64_get(text, strlen(text), &n);
    if (!*raw)
        return false;
    *in = au_in_memory(*raw, n, "answer");
    if (!*in)
        return false;
    size_t want = 1 << 16;
    while ((k->data = au_in_peek(*in, want, &have, NULL)) && have >= want && want < LARGEST)
        want *= 2;
    k->size = have;
    return k->data && au_in_is_packed(*in) && have < LARGEST;
}

/* What exact.c writes first: the end, where 2 is one that does not know. */
static bool is_open(const au_answer_kept *k) {
    uint32_t end = 0;
    if (k->size >= sizeof end)
        memcpy(&end, k->data, sizeof end);
    return end >= 2;
}

au_status au_answers_read(au_answers *a, const au_dossier *d, const char *name, au_error *err) {
    au_status st = AU_OK;
    for (size_t i = 0; i < d->shard.answer.n && st == AU_OK; i++) {
        const au_case_answer *t = &d->shard.answer.at[i];
        char *end = NULL, *raw = NULL;
        au_in *in = NULL;
        errno = 0;
        au_answer_kept k = {.call = t->call, .question = t->question};
        k.digest = strtoull(t->digest, &end, 16);
        if (!*t->digest || *end || errno || !unpack(t->answer, &in, &raw, &k)) {
            st = au_error_set(err, AU_EFORMAT, "'%s': its answer number %zu cannot be read", name,
                              i + 1);
        } else {
            k.open = is_open(&k);
            au_answers_keep(a, &k);
        }
        if (in)
            au_in_close(in);
        free(raw);
    }
    return st;
}
