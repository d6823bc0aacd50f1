/* engine/merge.c: see merge.h. */
#include "engine/merge.h"

#include "base/in.h"
#include "engine/check_job.h"
#include "engine/check_options.h"
#include "scale/shards.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- results, from files ------------------------------------------------------------------ */

/* Of several whole results the same one is taken whatever their order. */
static au_status keep_whole(au_merge *g, const char *path, au_error *err) {
    char *text = NULL;
    size_t n;
    au_status st = au_in_whole(path, SIZE_MAX >> 1, "a result", &text, &n, err);
    if (st == AU_OK && (!g->whole || strcmp(text, g->whole) < 0)) {
        char *other = g->whole;
        g->whole = text;
        g->whole_size = n;
        g->whole_name = path;
        text = other;
    }
    free(text);
    return st;
}

static au_status add_shards(au_merge *g, const au_dossier *d, const char *path, au_error *err) {
    if (d->shard.of > AU_MOST_SHARDS)
        return au_error_set(err, AU_EFORMAT, "'%s' is of %u shards", path, d->shard.of);
    if (!g->counted)
        au_answers_init(&g->answers, d->shard.of);
    g->counted = true;
    for (size_t i = 0; i < d->shard.part.n; i++)
        au_answers_cover(&g->answers, d->shard.part.at[i].number - 1);
    return au_answers_read(&g->answers, d, path, err);
}

static au_status add_result(au_merge *g, const au_dossier *d, const char *path, au_error *err) {
    if (!d->shard.of)
        return keep_whole(g, path, err);
    if (!g->shard)
        g->shard = path;
    au_status st = au_shards_join(&g->merged, g->shard, d, path, err);
    return st == AU_OK ? add_shards(g, d, path, err) : st;
}

static au_status gather(au_merge *g, const au_opts *o, au_error *err) {
    const char *first = au_operand(o, 0);
    au_status st = au_shards_load(&g->first, first, err);
    if (st == AU_OK)
        st = add_result(g, &g->first, first, err);
    for (size_t i = 1; i < au_operands(o) && st == AU_OK; i++) {
        const char *path = au_operand(o, i);
        au_dossier d;
        st = au_shards_load(&d, path, err);
        bool whole = !d.shard.of || !g->first.shard.of;
        if (st == AU_OK && whole && !au_shards_alike(&g->first, &d))
            st = au_error_set(err, AU_EUSAGE, "'%s' and '%s' are not of one check", path, first);
        if (st == AU_OK)
            st = add_result(g, &d, path, err);
        au_dossier_release(&d);
    }
    return st;
}

au_status au_merge_read(au_merge *g, const au_opts *o, au_error *err) {
    *g = (au_merge){0};
    au_dossier_init(&g->merged);
    au_status st = gather(g, o, err);
    char *missing = st == AU_OK && !g->whole ? au_shards_missing(&g->merged.shard) : NULL;
    if (missing && !au_opt_flag(o, "partial"))
        st = au_error_set(err, AU_EUSAGE,
                          "of %u shards these are missing: %s (--partial merges the others)",
                          g->merged.shard.of, missing);
    free(missing);
    return st;
}

void au_merge_release(au_merge *g) {
    if (g->counted)
        au_answers_release(&g->answers);
    au_dossier_release(&g->first);
    au_dossier_release(&g->merged);
    free(g->whole);
}

/* ---- the check that shards are of --------------------------------------------------------- */

/* Are the first n words of argv what the options would be typed as? */
static bool typed_alike(const au_opts *check, char *const *argv, size_t n) {
    size_t k;
    char **word = au_opts_words(check, au_check_job_aside, &k);
    bool good = k == n;
    for (size_t i = 0; i < n && good; i++)
        good = !strcmp(word[i], argv[i]);
    for (size_t i = 0; i < k; i++)
        free(word[i]);
    free(word);
    return good;
}

/* The command line of the check that the shards are of. */
static au_status read_line(au_merged_check *c, const au_opts *o, const au_dossier *merged,
                           au_error *err) {
    const au_case_shard *s = &merged->shard;
    const char *output = au_opt_str(o, "output");
    char here[PATH_MAX] = ".";
    for (size_t i = 0; i < s->option.n; i++)
        au_vec_push(&c->argv, au_strdup(s->option.at[i]));
    size_t own = c->argv.n;
    au_vec_push(&c->argv, au_sprintf("--format=%s", au_opt_str(o, "format")));
    au_vec_push(&c->argv, au_sprintf("--most=%" PRId64, au_opt_int(o, "most")));
    if (!au_opt_flag(o, "stats"))
        au_vec_push(&c->argv, au_strdup("--no-stats"));
    if (*output == '/' || !strcmp(output, "-") || !getcwd(here, sizeof here))
        au_vec_push(&c->argv, au_sprintf("--output=%s", output));
    else
        au_vec_push(&c->argv, au_sprintf("--output=%s/%s", here, output));
    au_vec_push(&c->argv, au_strdup("--"));
    for (size_t i = 0; i < s->input.n; i++)
        au_vec_push(&c->argv, au_strdup(s->input.at[i].path));
    c->o = au_opts_parse(au_command_by_name("check"), (int)c->argv.n, c->argv.at, err);
    if (!c->o || !typed_alike(c->o, c->argv.at, own))
        return au_error_set(err, AU_EFORMAT,
                            "the results have options that 'augur check' does not know");
    au_opts_inherit(c->o, o);
    return AU_OK;
}

au_status au_merged_check_open(au_merged_check *c, const au_opts *o, const au_dossier *merged,
                               au_error *err) {
    *c = (au_merged_check){0};
    const char *directory = au_shards_directory(&merged->shard, err);
    au_status st = directory ? read_line(c, o, merged, err) : err->status;
    if (st == AU_OK && *directory && chdir(directory))
        st = au_error_errno(err, "cannot change to '%s'", directory);
    return st;
}

void au_merged_check_release(au_merged_check *c) {
    au_opts_free(c->o);
    for (size_t i = 0; i < c->argv.n; i++)
        free(c->argv.at[i]);
    au_vec_release(&c->argv);
}
