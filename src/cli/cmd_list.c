/* cli/cmd_list.c: augur list. */
#include "base/json.h"
#include "base/printable.h"
#include "cli/cli.h"
#include "engine/gone.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool fits(const au_opts *o, const char *option, const char *word) {
    return !au_opt_given(o, option) || au_opt_has(o, option, word);
}

static bool is_wanted(const au_opts *o, const au_store_row *r, uint64_t last) {
    return fits(o, "kind", r->kind) && fits(o, "status", r->standing) &&
           fits(o, "triage", *r->triage ? r->triage : "open") &&
           (!au_opt_flag(o, "last") || r->last_run == last) &&
           (!au_opt_flag(o, "new") || r->first_run == last);
}

static void put(au_out *out, const char *s) {
    char text[512];
    au_out_write(out, text, au_printable(text, sizeof text, s, strlen(s), NULL));
}

static void row_text(const au_store_row *r, au_finding_state is, bool color, au_out *out) {
    bool sure = !strcmp(r->standing, "confirmed") || !strcmp(r->standing, "proved");
    au_out_printf(out, "%.8s  %s%-9s%s  ", r->fingerprint,
                  !color       ? ""
                  : *r->triage ? "\033[2m"
                  : sure       ? "\033[1;31m"
                               : "\033[33m",
                  r->standing, color ? "\033[0m" : "");
    put(out, r->message);
    au_out_printf(out,
                  "\n          %s of run %" PRIu64 "; seen in %" PRIu64 " run%s since run %" PRIu64,
                  r->id, r->last_run, r->times, r->times == 1 ? "" : "s", r->first_run);
    au_out_printf(out, "; %s", is.word);
    if (is.unseen)
        au_out_str(out, ", not seen since");
    if (r->baseline)
        au_out_str(out, "; in the baseline");
    if (*r->triage) {
        au_out_printf(out, "; %s", r->triage);
        if (*r->note)
            au_out_str(out, ": ");
        put(out, r->note);
    }
    au_out_char(out, '\n');
}

static void row_json(const au_store_row *r, au_finding_state is, au_json *j) {
    au_json_object_inline(j);
    au_json_put_string(j, "fingerprint", r->fingerprint);
    au_json_put_string(j, "id", r->id);
    au_json_put_string(j, "kind", r->kind);
    au_json_put_string(j, "status", r->standing);
    au_json_put_string(j, "replay", r->replay);
    au_json_put_string(j, "message", r->message);
    au_json_put_string(j, "program", r->program);
    au_json_put_u64(j, "first_run", r->first_run);
    au_json_put_string(j, "first_seen", r->first_seen);
    au_json_put_u64(j, "last_run", r->last_run);
    au_json_put_string(j, "last_seen", r->last_seen);
    au_json_put_u64(j, "runs", r->times);
    au_json_put_bool(j, "baseline", r->baseline);
    au_json_put_string(j, "triage", *r->triage ? r->triage : "open");
    au_json_put_string(j, "note", r->note);
    au_json_put_string(j, "state", is.word);
    au_json_end_object(j);
}

static void findings(const au_opts *o, const au_store_rows *rows, const au_finding_state *is,
                     uint64_t last, au_out *out) {
    bool json = !strcmp(au_opt_str(o, "format"), "json");
    size_t n = 0;
    au_json j;
    au_json_init(&j, out, true);
    if (json) {
        au_json_object(&j);
        au_json_key(&j, "findings");
        au_json_array(&j);
    }
    for (size_t i = 0; i < rows->at.n; i++) {
        if (!is_wanted(o, &rows->at.at[i], last))
            continue;
        n++;
        if (json)
            row_json(&rows->at.at[i], is[i], &j);
        else
            row_text(&rows->at.at[i], is[i], au_cli_color(o, STDOUT_FILENO), out);
    }
    if (json) {
        au_json_end_array(&j);
        au_json_end_object(&j);
        au_out_char(out, '\n');
    } else if (!n && !au_opt_flag(o, "quiet")) {
        au_out_str(out, rows->at.n ? "no such findings\n" : "no findings\n");
    }
}

static void runs(const au_opts *o, const au_store_runs *all, au_out *out) {
    bool json = !strcmp(au_opt_str(o, "format"), "json");
    au_json j;
    au_json_init(&j, out, true);
    if (json) {
        au_json_object(&j);
        au_json_key(&j, "runs");
        au_json_array(&j);
    }
    for (size_t i = 0; i < all->at.n; i++) {
        const au_store_past *r = &all->at.at[i];
        if (json) {
            au_json_object_inline(&j);
            au_json_put_u64(&j, "run", r->number);
            au_json_put_string(&j, "program", r->program);
            au_json_put_string(&j, "began", r->began);
            au_json_key(&j, "seconds");
            au_json_double(&j, r->seconds);
            au_json_put_u64(&j, "findings", r->findings);
            au_json_end_object(&j);
        } else {
            au_out_printf(out, "%4" PRIu64 "  %s  %7.2f s  %3" PRIu64 " finding%s  ", r->number,
                          r->began, r->seconds, r->findings, r->findings == 1 ? " " : "s");
            put(out, r->program);
            au_out_char(out, '\n');
        }
    }
    if (json) {
        au_json_end_array(&j);
        au_json_end_object(&j);
        au_out_char(out, '\n');
    }
}

int au_cmd_list(const au_opts *o) {
    au_error err = AU_ERROR_NONE;
    au_store_rows rows = {0};
    au_store_runs past = {0};
    uint64_t last = 0;
    bool of_runs = au_opt_flag(o, "stored-runs");
    au_store *s = au_store_open(au_opt_str(o, "store"), false, &err);
    au_status st = s ? au_store_last_run(s, &last, &err) : err.status;
    if (st == AU_OK)
        st = au_store_past_runs(s, &past, &err);
    if (st == AU_OK && !of_runs)
        st = au_store_list(s, &rows, &err);
    au_finding_state *is = au_alloc_array(rows.at.n, sizeof *is);
    for (size_t i = 0; i < rows.at.n && st == AU_OK; i++)
        is[i] = au_finding_state_of(s, &past, &rows.at.at[i]);
    au_store_close(s);
    if (st != AU_OK) {
        free(is);
        return au_cli_fail(&err);
    }
    au_out *out = au_out_fd(STDOUT_FILENO, "<stdout>");
    if (of_runs)
        runs(o, &past, out);
    else
        findings(o, &rows, is, last, out);
    st = au_out_commit(out, &err);
    free(is);
    au_store_rows_release(&rows);
    au_store_past_release(&past);
    return st == AU_OK ? AU_EXIT_NOTHING : au_cli_fail(&err);
}
