/* scale/shards.c: see shards.h. */
#include "scale/shards.h"

#include "base/alloc.h"
#include "base/in.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* A result of more bytes is refused. */
enum { MOST_BYTES = 1 << 30, HEX = 33, ROOM = 1 << 18 };

/* ---- what a check is about -------------------------------------------------------------- */

static void to_hex(XXH128_hash_t h, char hex[HEX]) {
    snprintf(hex, HEX, "%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64, (uint64_t)h.low64);
}

/* Of the bytes as they are stored. */
static au_status hash_file(const char *path, char hex[HEX], uint64_t *bytes, au_error *err) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st)) {
        au_error_errno(err, "cannot open '%s'", path);
        if (fd >= 0)
            close(fd);
        return err->status;
    }
    if (!S_ISREG(st.st_mode)) {
        close(fd);
        return au_error_set(err, AU_EUSAGE, "'%s' is no file that could be read twice", path);
    }
    XXH3_state_t *state = XXH3_createState();
    char *buf = au_alloc(ROOM);
    ssize_t k = 1;
    au_status status = AU_OK;
    *bytes = 0;
    XXH3_128bits_reset(state);
    while (k > 0) {
        do
            k = read(fd, buf, ROOM);
        while (k < 0 && errno == EINTR);
        if (k < 0)
            status = au_error_errno(err, "cannot read '%s'", path);
        if (k > 0) {
            XXH3_128bits_update(state, buf, (size_t)k);
            *bytes += (uint64_t)k;
        }
    }
    to_hex(XXH3_128bits_digest(state), hex);
    free(buf);
    XXH3_freeState(state);
    close(fd);
    return status;
}

static void add_text(XXH3_state_t *h, const char *s) {
    XXH3_128bits_update(h, s, strlen(s) + 1);
}

au_status au_shards_identify(au_dossier *d, char *const *option, size_t n_options,
                             const char *const *input, size_t n_inputs, au_error *err) {
    au_case_shard *s = &d->shard;
    char hex[HEX];
    au_status st = AU_OK;
    XXH3_state_t *all = XXH3_createState();
    XXH3_128bits_reset(all);
    add_text(all, AU_VERSION);
    for (size_t i = 0; i < n_options; i++) {
        add_text(all, option[i]);
        au_vec_push(&s->option, au_dossier_text_copy(d, option[i]));
    }
    add_text(all, "");
    for (size_t i = 0; i < n_inputs && st == AU_OK; i++) {
        au_case_input in = {.path = au_dossier_text_copy(d, input[i])};
        st = hash_file(input[i], hex, &in.bytes, err);
        if (st != AU_OK)
            break;
        in.hash = au_dossier_text_copy(d, hex);
        add_text(all, in.path);
        add_text(all, in.hash);
        au_vec_push(&s->input, in);
    }
    to_hex(XXH3_128bits_digest(all), hex);
    XXH3_freeState(all);
    if (st == AU_OK)
        d->shard.check = au_dossier_text_copy(d, hex);
    return st;
}

/* ---- results ------------------------------------------------------------------------------ */

au_status au_shards_load(au_dossier *d, const char *path, au_error *err) {
    char *text = NULL;
    size_t n;
    au_dossier_init(d);
    au_status st = au_in_whole(path, MOST_BYTES, "a result", &text, &n, err);
    if (st == AU_OK)
        st = au_dossier_read(d, text, n, path, err);
    free(text);
    if (st == AU_OK && !d->input.n)
        st =
            au_error_set(err, AU_EUSAGE,
                         "'%s' is of augur, but not what 'augur check --format json' writes", path);
    return st;
}

static bool same_texts(const char *const *a, size_t n, const char *const *b, size_t n_b) {
    bool same = n == n_b;
    for (size_t i = 0; i < n && same; i++)
        same = !strcmp(a[i], b[i]);
    return same;
}

static bool same_options(const au_case_shard *a, const au_case_shard *b) {
    return same_texts(a->option.at, a->option.n, b->option.at, b->option.n);
}

static bool same_inputs(const au_case_shard *a, const au_case_shard *b) {
    bool same = a->input.n == b->input.n;
    for (size_t i = 0; i < a->input.n && same; i++)
        same = !strcmp(a->input.at[i].path, b->input.at[i].path) &&
               !strcmp(a->input.at[i].hash, b->input.at[i].hash);
    return same;
}

/* Why they are not of one check. */
static au_status refuse(const au_case_shard *a, const char *into_name, const au_case_shard *b,
                        const char *name, au_error *err) {
    return au_error_set(err, AU_EUSAGE,
                        !same_inputs(a, b) ? "'%s' is about another input than '%s'"
                        : !same_options(a, b)
                            ? "'%s' was made with other options than '%s'"
                            : "'%s' was made by another version of augur than '%s'",
                        name, into_name);
}

/* What the stages before the exact one have left. */
static bool same_funnel(const au_case_funnel *a, const au_case_funnel *b) {
    return !strcmp(a->kind, b->kind) && !strcmp(a->unit, b->unit) &&
           !memcmp(a->left, b->left, AU_STAGE_SOLVER * sizeof *a->left);
}

bool au_shards_alike(const au_dossier *a, const au_dossier *b) {
    bool same = same_texts(a->input.at, a->input.n, b->input.at, b->input.n) &&
                a->threads == b->threads && a->events == b->events && a->locks == b->locks &&
                a->vars == b->vars && a->funnel.n == b->funnel.n;
    for (size_t i = 0; i < a->funnel.n && same; i++)
        same = same_funnel(&a->funnel.at[i], &b->funnel.at[i]);
    return same;
}

/* Of two runs of one shard the same one is kept whatever their order. */
static bool goes_before(const au_case_part *a, const au_case_part *b) {
    if (a->number != b->number)
        return a->number < b->number;
    if (a->seconds < b->seconds || a->seconds > b->seconds)
        return a->seconds < b->seconds;
    if (a->peak_kib != b->peak_kib)
        return a->peak_kib < b->peak_kib;
    return strcmp(a->directory, b->directory) < 0;
}

static void add_part(au_dossier *into, const au_case_part *p) {
    au_case_shard *s = &into->shard;
    size_t at = 0;
    while (at < s->part.n && s->part.at[at].number < p->number)
        at++;
    bool there = at < s->part.n && s->part.at[at].number == p->number;
    if (there && !goes_before(p, &s->part.at[at]))
        return;
    if (!there) {
        au_vec_push(&s->part, *p);
        memmove(&s->part.at[at + 1], &s->part.at[at], (s->part.n - 1 - at) * sizeof *s->part.at);
    }
    s->part.at[at] = *p;
    s->part.at[at].directory = au_dossier_text_copy(into, p->directory);
}

static void adopt(au_dossier *into, const au_dossier *from) {
    into->shard.check = au_dossier_text_copy(into, from->shard.check);
    for (size_t i = 0; i < from->shard.option.n; i++)
        au_vec_push(&into->shard.option, au_dossier_text_copy(into, from->shard.option.at[i]));
    for (size_t i = 0; i < from->shard.input.n; i++) {
        au_case_input in = from->shard.input.at[i];
        in.path = au_dossier_text_copy(into, in.path);
        in.hash = au_dossier_text_copy(into, in.hash);
        au_vec_push(&into->shard.input, in);
    }
    into->shard.of = from->shard.of;
}

au_status au_shards_join(au_dossier *into, const char *into_name, const au_dossier *from,
                         const char *name, au_error *err) {
    bool first = !*into->shard.check;
    if (!first && strcmp(into->shard.check, from->shard.check))
        return refuse(&into->shard, into_name, &from->shard, name, err);
    if (first)
        adopt(into, from);
    else if (into->shard.of != from->shard.of)
        return au_error_set(err, AU_EUSAGE, "'%s' is of %u shards, '%s' of %u", name,
                            from->shard.of, into_name, into->shard.of);
    into->timeless |= from->timeless;
    for (size_t i = 0; i < from->shard.part.n; i++)
        add_part(into, &from->shard.part.at[i]);
    return AU_OK;
}

char *au_shards_missing(const au_case_shard *s) {
    au_out *out = au_out_memory();
    size_t n, at = 0;
    for (uint32_t i = 1; i <= s->of;) {
        while (at < s->part.n && s->part.at[at].number < i)
            at++;
        uint32_t next = at < s->part.n ? s->part.at[at].number : s->of + 1;
        if (next > i) {
            au_out_printf(out, au_out_bytes(out) ? ", %u" : "%u", i);
            if (next - 1 > i)
                au_out_printf(out, "-%u", next - 1);
        }
        i = next + 1;
    }
    const char *text = au_out_memory_data(out, &n);
    char *missing = n ? au_strndup(text, n) : NULL;
    au_out_abandon(out);
    return missing;
}

/* ---- where the inputs are ------------------------------------------------------------------ */

static bool are_there(const au_case_shard *s, const char *directory, au_error *err) {
    for (size_t i = 0; i < s->input.n; i++) {
        const au_case_input *in = &s->input.at[i];
        char hex[HEX];
        uint64_t bytes;
        char *path = *directory && in->path[0] != '/' ? au_sprintf("%s/%s", directory, in->path)
                                                      : au_strdup(in->path);
        au_error why = AU_ERROR_NONE;
        au_status st = hash_file(path, hex, &bytes, &why);
        bool same = st == AU_OK && bytes == in->bytes && !strcmp(hex, in->hash);
        if (err->status == AU_OK && st != AU_OK)
            au_error_set(err, st, "the input of the shards is needed: %s", why.text);
        else if (err->status == AU_OK && !same)
            au_error_set(err, AU_EUSAGE, "'%s' is not what it was when the shards were made", path);
        free(path);
        if (!same)
            return false;
    }
    return true;
}

const char *au_shards_directory(const au_case_shard *s, au_error *err) {
    au_error why = AU_ERROR_NONE;
    if (are_there(s, "", &why))
        return "";
    for (size_t i = 0; i < s->part.n; i++) {
        size_t k = 0;
        while (k < i && strcmp(s->part.at[k].directory, s->part.at[i].directory))
            k++;
        if (k == i && are_there(s, s->part.at[i].directory, &(au_error)AU_ERROR_NONE))
            return s->part.at[i].directory;
    }
    *err = why;
    return NULL;
}
