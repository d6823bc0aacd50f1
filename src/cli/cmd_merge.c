/* cli/cmd_merge.c: augur merge. What it does: engine/merge.c.
 *
 * Shards say what the exact stage answered; the check is done once more with all answers at hand
 * (funnel/answers.h), in the directory where its input is. So the command is what 'augur check'
 * would have been, with another way to get at answers. */
#include "base/clock.h"
#include "cli/check.h"
#include "cli/dossier_out.h"
#include "engine/merge.h"
#include "engine/merge_stores.h"

#include <string.h>
#include <sys/stat.h>

int au_cli_check_merged(const au_opts *o, const au_dossier *merged, au_answers *answers) {
    au_error err = AU_ERROR_NONE;
    au_check_job job = {.begun = au_now(), .answers = answers, .merged = merged};
    au_merged_check check;
    au_status st = au_merged_check_open(&check, o, merged, &err);
    int status = st == AU_OK ? au_cli_check(check.o, &job) : au_cli_fail(&err);
    au_merged_check_release(&check);
    return status;
}

/* Results that are whole already. What augur wrote is written again, byte for byte; other forms are made of it. */
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

static int merge_stores(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_merged_stores m;
    if (au_merge_stores(o, &m, &err) != AU_OK)
        return au_cli_fail(&err);
    au_cli_note(o, "%zu run%s merged into '%s'", m.runs, m.runs == 1 ? "" : "s",
                au_opt_str(o, "store"));
    if (m.there)
        au_cli_note(o, "%zu run%s there already", m.there, m.there == 1 ? " was" : "s were");
    return AU_EXIT_NOTHING;
}

static bool is_directory(const char *path) {
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

int au_cmd_merge(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    if (is_directory(au_operand(o, 0)))
        return merge_stores(o);
    au_merge g;
    int status = au_merge_read(&g, o, &err) != AU_OK ? au_cli_fail(&err)
                 : g.whole ? tell_whole(o, g.whole, g.whole_size, g.whole_name)
                           : au_cli_check_merged(o, &g.merged, &g.answers);
    au_merge_release(&g);
    return status;
}
