/* cli/cmd_merge.c: augur merge.
 *
 * Shards say what the exact stage answered; the check is done once more with all answers at hand
 * (funnel/answers.h), in the directory where its input is. So the command is what 'augur check'
 * would have been, with another way to get at answers. */
#include "base/clock.h"
#include "base/in.h"
#include "cli/check_job.h"
#include "cli/dossier_out.h"
#include "engine/check_options.h"
#include "engine/inputs.h"
#include "scale/shards.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that do not decide what is found: they are of the one who asks, not of the check. */
static const char ASIDE[] = "output|format|most|stats|jobs|dump|shard|on|nodes|retries|work-dir|"
                            "slurm-options|node-augur";

typedef AU_VEC(char *) words;

static void release(words *w) {
    for (size_t i = 0; i < w->n; i++)
        free(w->at[i]);
    au_vec_release(w);
}

static words words_of(const au_opts *o) {
    words w = {0};
    size_t n;
    char **word = au_opts_words(o, ASIDE, &n);
    for (size_t i = 0; i < n; i++)
        au_vec_push(&w, word[i]);
    free(word);
    return w;
}

au_status au_cli_identify(const au_opts *o, au_dossier *d, au_error *err) {
    words w = words_of(o);
    const char **input = au_input_names(o);
    au_status st = au_shards_identify(d, w.at, w.n, input, au_operands(o), err);
    free(input);
    release(&w);
    return st;
}

au_status au_cli_can_shard(const au_opts *o, const char *option, au_error *err) {
    if (au_opt_flag(o, "first"))
        return au_error_set(err, AU_EUSAGE,
                            "--first and %s do not go together: which finding is the first one "
                            "would depend on the shards",
                            option);
    struct stat st;
    for (size_t i = 0; i < au_operands(o); i++)
        if (!strcmp(au_operand(o, i), "-") ||
            (!stat(au_operand(o, i), &st) && !S_ISREG(st.st_mode)))
            return au_error_set(err, AU_EUSAGE,
                                "%s needs files: every shard reads all of the input", option);
    return AU_OK;
}

/* ---- the check ---------------------------------------------------------------------------- */

/* The command line of the check that the shards are of. Its strings are in *argv. */
static au_opts *check_line(const au_opts *o, const au_dossier *merged, words *argv, au_error *err) {
    const au_case_shard *s = &merged->shard;
    const char *output = au_opt_str(o, "output");
    char here[PATH_MAX] = ".";
    for (size_t i = 0; i < s->option.n; i++)
        au_vec_push(argv, au_strdup(s->option.at[i]));
    size_t own = argv->n;
    au_vec_push(argv, au_sprintf("--format=%s", au_opt_str(o, "format")));
    au_vec_push(argv, au_sprintf("--most=%" PRId64, au_opt_int(o, "most")));
    if (!au_opt_flag(o, "stats"))
        au_vec_push(argv, au_strdup("--no-stats"));
    if (*output == '/' || !strcmp(output, "-") || !getcwd(here, sizeof here))
        au_vec_push(argv, au_sprintf("--output=%s", output));
    else
        au_vec_push(argv, au_sprintf("--output=%s/%s", here, output));
    au_vec_push(argv, au_strdup("--"));
    for (size_t i = 0; i < s->input.n; i++)
        au_vec_push(argv, au_strdup(s->input.at[i].path));
    au_opts *check = au_opts_parse(au_command_by_name("check"), (int)argv->n, argv->at, err);
    words same = {0};
    if (check)
        same = words_of(check);
    bool good = check && same.n == own;
    for (size_t i = 0; i < own && good; i++)
        good = !strcmp(same.at[i], argv->at[i]);
    release(&same);
    if (good) {
        au_opts_inherit(check, o);
        return check;
    }
    au_opts_free(check);
    au_error_set(err, AU_EFORMAT, "the options in the results are none of 'augur check'");
    return NULL;
}

int au_cli_check_merged(const au_opts *o, const au_dossier *merged, au_answers *answers) {
    au_error err = AU_ERROR_NONE;
    double begun = au_now();
    words argv = {0};
    int status = AU_EXIT_USAGE;
    const char *directory = au_shards_directory(&merged->shard, &err);
    au_opts *check = directory ? check_line(o, merged, &argv, &err) : NULL;
    if (check && *directory && chdir(directory))
        au_error_errno(&err, "cannot go to '%s'", directory);
    if (err.status != AU_OK)
        status = au_cli_fail(&err);
    else
        status = au_cli_check(
            check, &(au_check_job){.begun = begun, .answers = answers, .merged = merged});
    au_opts_free(check);
    release(&argv);
    return status;
}

/* ---- results that are whole already --------------------------------------------------------- */

/* What augur wrote is written again, byte for byte; other forms are made of it. */
static int tell_whole(const au_opts *o, const char *text, size_t n, const char *name) {
    au_error err = AU_ERROR_NONE;
    const char *format = au_opt_str(o, "format"), *output = au_opt_str(o, "output");
    au_dossier d;
    au_dossier_init(&d);
    au_status st = au_dossier_read(&d, text, n, name, &err);
    bool found = d.at.n, open = d.inconclusive.n;
    d.timeless |= !au_opt_flag(o, "stats");
    if (st == AU_OK && !strcmp(format, "json") && au_opt_flag(o, "stats")) {
        au_out *out = au_out_open(output, &err);
        if (out)
            au_out_write(out, text, n);
        st = out ? au_out_commit(out, &err) : err.status;
    } else if (st == AU_OK) {
        st = au_cli_dossier(o, &d, format, output, &err);
    }
    au_dossier_release(&d);
    if (st != AU_OK)
        return au_cli_fail(&err);
    return found ? AU_EXIT_FOUND : open ? AU_EXIT_INTERNAL : AU_EXIT_NOTHING;
}

/* ---- the command ----------------------------------------------------------------------------- */

typedef struct {
    au_dossier first;  /* of the results, as it was read */
    const char *shard; /* the first that is of shards; NULL: none yet */
    au_dossier merged;
    au_answers answers;
    bool counted; /* answers is there */
    char *whole;  /* the first by its bytes of the results that lack nothing; or NULL */
    size_t whole_size;
    const char *whole_name;
} gathered;

/* Of several whole results the same one is taken whatever their order. */
static au_status keep_whole(gathered *g, const char *path, au_error *err) {
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

static au_status add_shards(gathered *g, const au_dossier *d, const char *path, au_error *err) {
    if (d->shard.of > AU_MOST_SHARDS)
        return au_error_set(err, AU_EFORMAT, "'%s' is of %u shards", path, d->shard.of);
    if (!g->counted)
        au_answers_init(&g->answers, d->shard.of);
    g->counted = true;
    for (size_t i = 0; i < d->shard.part.n; i++)
        au_answers_cover(&g->answers, d->shard.part.at[i].number - 1);
    return au_answers_read(&g->answers, d, path, err);
}

static au_status add_result(gathered *g, const au_dossier *d, const char *path, au_error *err) {
    if (!d->shard.of)
        return keep_whole(g, path, err);
    if (!g->shard)
        g->shard = path;
    au_status st = au_shards_join(&g->merged, g->shard, d, path, err);
    return st == AU_OK ? add_shards(g, d, path, err) : st;
}

static au_status gather(gathered *g, const au_opts *o, au_error *err) {
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

int au_cmd_merge(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    gathered g = {0};
    au_dossier_init(&g.merged);
    au_status st = gather(&g, o, &err);
    char *missing = st == AU_OK && !g.whole ? au_shards_missing(&g.merged.shard) : NULL;
    if (missing && !au_opt_flag(o, "partial"))
        st = au_error_set(&err, AU_EUSAGE,
                          "of %u shards these are missing: %s (--partial does without)",
                          g.merged.shard.of, missing);
    int status = st != AU_OK ? au_cli_fail(&err)
                 : g.whole   ? tell_whole(o, g.whole, g.whole_size, g.whole_name)
                             : au_cli_check_merged(o, &g.merged, &g.answers);
    if (g.counted)
        au_answers_release(&g.answers);
    au_dossier_release(&g.first);
    au_dossier_release(&g.merged);
    free(g.whole);
    free(missing);
    return status;
}
