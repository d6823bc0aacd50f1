/* serve/answers.c: what can be asked, and what can be done.
 *
 *   GET   ""                     the page
 *         "api/findings"         all findings, their states; the runs
 *         "api/history/PRINT"    the runs that showed a finding
 *         "api/replay"           what the replay that was started last says so far
 *         "finding/PRINT"        the report of one finding, "run/N" of a run, "whole" of all of them
 *   POST  "api/triage"           {"fingerprint": …, "verdict": …, "note": …}
 *         "api/replay"           {"fingerprint": …}: executes it */
#include "serve/serve_priv.h"

#include "base/alloc.h"
#include "base/json.h"
#include "engine/gone.h"
#include "engine/whole.h"
#include "store/store.h"

#include <cjson/cJSON.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

typedef struct {
    au_serve *serve;
    const au_serve_request *q;
    au_serve_answer *a;
    au_store *store;
} job;

static void fail(job *j, unsigned status, const char *text) {
    au_json w;
    au_out_abandon(j->a->out);
    j->a->out = au_out_memory();
    j->a->status = status;
    j->a->type = "application/json";
    au_json_init(&w, j->a->out, false);
    au_json_object(&w);
    au_json_put_string(&w, "error", text);
    au_json_end_object(&w);
}

static void fail_with(job *j, const au_error *err) {
    fail(j, err->status == AU_EUSAGE ? 404 : 500, err->text);
}

/* ---- questions ---- */

static void put_finding(au_json *w, const au_store_row *r, const char *state, bool unseen) {
    au_json_object_inline(w);
    au_json_put_string(w, "fingerprint", r->fingerprint);
    au_json_put_string(w, "id", r->id);
    au_json_put_string(w, "kind", r->kind);
    au_json_put_string(w, "status", r->standing);
    au_json_put_string(w, "replay", r->replay);
    au_json_put_string(w, "message", r->message);
    au_json_put_string(w, "program", r->program);
    au_json_put_u64(w, "first_run", r->first_run);
    au_json_put_string(w, "first_seen", r->first_seen);
    au_json_put_u64(w, "last_run", r->last_run);
    au_json_put_string(w, "last_seen", r->last_seen);
    au_json_put_u64(w, "runs", r->times);
    au_json_put_string(w, "triage", *r->triage ? r->triage : "open");
    au_json_put_string(w, "note", r->note);
    au_json_put_bool(w, "baseline", r->baseline);
    au_json_put_string(w, "state", state);
    au_json_put_bool(w, "unseen", unseen);
    au_json_end_object(w);
}

static void findings(job *j) {
    au_error err = AU_ERROR_NONE;
    au_store_rows rows;
    au_store_runs past;
    au_json w;
    if (au_store_list(j->store, &rows, &err) != AU_OK) {
        fail_with(j, &err);
        return;
    }
    if (au_store_past_runs(j->store, &past, &err) != AU_OK) {
        au_store_rows_release(&rows);
        fail_with(j, &err);
        return;
    }
    au_json_init(&w, j->a->out, false);
    au_json_object(&w);
    au_json_put_string(&w, "store", j->serve->store);
    au_json_key(&w, "findings");
    au_json_array(&w);
    for (size_t i = 0; i < rows.at.n; i++) {
        au_finding_state is = au_finding_state_of(j->store, &past, &rows.at.at[i]);
        put_finding(&w, &rows.at.at[i], is.word, is.unseen);
    }
    au_json_end_array(&w);
    au_json_key(&w, "runs");
    au_json_array(&w);
    for (size_t i = 0; i < past.at.n; i++) {
        au_json_object_inline(&w);
        au_json_put_u64(&w, "run", past.at.at[i].number);
        au_json_put_string(&w, "program", past.at.at[i].program);
        au_json_put_string(&w, "began", past.at.at[i].began);
        au_json_put_u64(&w, "findings", past.at.at[i].findings);
        au_json_end_object(&w);
    }
    au_json_end_array(&w);
    au_json_end_object(&w);
    au_store_past_release(&past);
    au_store_rows_release(&rows);
}

static void history(job *j, const char *name) {
    char fingerprint[AU_FINGERPRINT + 1];
    au_error err = AU_ERROR_NONE;
    au_store_sightings h;
    au_dossier d;
    au_json w;
    if (au_store_find(j->store, name, fingerprint, &err) != AU_OK ||
        au_store_history(j->store, fingerprint, &h, &err) != AU_OK) {
        fail_with(j, &err);
        return;
    }
    au_dossier_init(&d);
    bool told = au_store_case(j->store, fingerprint, &d, &err) == AU_OK &&
                au_store_tests(j->store, fingerprint, &d, &d.at.at[0], &err) == AU_OK;
    au_json_init(&w, j->a->out, false);
    au_json_object(&w);
    au_json_key(&w, "tests");
    au_json_array(&w);
    for (size_t i = 0; told && i < d.at.at[0].test.n; i++)
        au_json_string(&w, d.at.at[0].test.at[i]);
    au_json_end_array(&w);
    au_json_key(&w, "sightings");
    au_json_array(&w);
    for (size_t i = 0; i < h.at.n; i++) {
        au_json_object_inline(&w);
        au_json_put_u64(&w, "run", h.at.at[i].run);
        au_json_put_string(&w, "when", h.at.at[i].when);
        au_json_put_string(&w, "program", h.at.at[i].program);
        au_json_put_string(&w, "id", h.at.at[i].id);
        au_json_put_string(&w, "status", h.at.at[i].standing);
        au_json_put_string(&w, "replay", h.at.at[i].replay);
        au_json_end_object(&w);
    }
    au_json_end_array(&w);
    au_json_end_object(&w);
    au_dossier_release(&d);
    au_store_history_release(&h);
}

/* The page that 'augur report --format html' writes. */
static void report(job *j, const char *finding, uint64_t run) {
    char fingerprint[AU_FINGERPRINT + 1];
    au_error err = AU_ERROR_NONE;
    au_dossier d;
    au_dossier_init(&d);
    au_status st = run ? au_store_load(j->store, run, &d, &err)
                       : au_whole_store(j->store, j->serve->store, &d, &err);
    if (st == AU_OK && *finding &&
        (st = au_store_find(j->store, finding, fingerprint, &err)) == AU_OK) {
        size_t all = d.at.n;
        for (size_t i = 0; i < all; i++)
            if (!strcmp(d.at.at[i].fingerprint, fingerprint))
                au_dossier_copy(&d, &d.at.at[i]);
        au_dossier_drop_first(&d, all);
    }
    if (st == AU_OK)
        st = au_store_mark(j->store, &d, false, &err);
    if (st == AU_OK) {
        j->a->type = "text/html; charset=utf-8";
        au_dossier_html(&d, j->a->out);
    } else {
        fail_with(j, &err);
    }
    au_dossier_release(&d);
}

static void replay_state(job *j) {
    au_serve_replay *r = &j->serve->replay;
    bool over = au_serve_replay_over(r);
    size_t n = 0;
    const char *text = r->text ? au_out_memory_data(r->text, &n) : "";
    au_json w;
    au_json_init(&w, j->a->out, false);
    au_json_object(&w);
    au_json_put_string(&w, "fingerprint", r->fingerprint);
    au_json_put_bool(&w, "over", over);
    au_json_key(&w, "output");
    au_json_string_n(&w, text, n);
    if (over && r->pid) {
        au_json_key(&w, "status"); /* 1: it happens */
        au_json_i64(&w, r->killed              ? -1
                        : WIFEXITED(r->status) ? WEXITSTATUS(r->status)
                                               : -WTERMSIG(r->status));
    }
    au_json_end_object(&w);
}

static void get(job *j) {
    const char *path = j->q->path;
    if (!*path) {
        j->a->type = "text/html; charset=utf-8";
        au_out_str(j->a->out, au_serve_page_before);
        au_out_str(j->a->out, au_serve_page_after);
    } else if (!strcmp(path, "api/findings")) {
        findings(j);
    } else if (!strncmp(path, "api/history/", 12)) {
        history(j, path + 12);
    } else if (!strcmp(path, "api/replay")) {
        replay_state(j);
    } else if (!strncmp(path, "finding/", 8) && path[8]) {
        report(j, path + 8, 0);
    } else if (!strncmp(path, "run/", 4) && strtoull(path + 4, NULL, 10)) {
        report(j, "", strtoull(path + 4, NULL, 10));
    } else if (!strcmp(path, "whole")) {
        report(j, "", 0);
    } else {
        fail(j, 404, "there is no such page");
    }
}

/* ---- what acts ---- */

static const char *text_of(const cJSON *o, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(v) ? v->valuestring : "";
}

static void triage(job *j, const cJSON *o) {
    static const char *const verdict[] = {"open", "false-positive", "wontfix", "fixed"};
    char fingerprint[AU_FINGERPRINT + 1];
    au_error err = AU_ERROR_NONE;
    const char *as = text_of(o, "verdict");
    bool known = false;
    for (size_t i = 0; i < sizeof verdict / sizeof *verdict; i++)
        known |= !strcmp(as, verdict[i]);
    if (!known)
        fail(j, 400, "a verdict is 'open', 'false-positive', 'wontfix' or 'fixed'");
    else if (au_store_find(j->store, text_of(o, "fingerprint"), fingerprint, &err) != AU_OK ||
             au_store_triage(j->store, fingerprint, strcmp(as, "open") ? as : "",
                             text_of(o, "note"), &err) != AU_OK)
        fail_with(j, &err);
    else
        au_out_str(j->a->out, "{}");
}

static void replay(job *j, const cJSON *o) {
    char fingerprint[AU_FINGERPRINT + 1];
    au_error err = AU_ERROR_NONE;
    if (au_store_find(j->store, text_of(o, "fingerprint"), fingerprint, &err) != AU_OK)
        fail_with(j, &err);
    else if (!au_serve_replay_start(&j->serve->replay, j->serve->store, fingerprint, &err))
        fail(j, 409, err.text);
    else
        au_out_str(j->a->out, "{}");
}

static void post(job *j) {
    cJSON *o = cJSON_Parse(j->q->body);
    if (!cJSON_IsObject(o))
        fail(j, 400, "the request is no JSON object");
    else if (!strcmp(j->q->path, "api/triage"))
        triage(j, o);
    else if (!strcmp(j->q->path, "api/replay"))
        replay(j, o);
    else
        fail(j, 404, "there is no such action");
    cJSON_Delete(o);
}

void au_serve_answer_to(void *serve, const au_serve_request *q, au_serve_answer *a) {
    au_error err = AU_ERROR_NONE;
    job j = {.serve = serve, .q = q, .a = a};
    j.store = au_store_open(j.serve->store, false, &err); /* others use it, too */
    if (!j.store)
        fail_with(&j, &err);
    else if (q->post)
        post(&j);
    else
        get(&j);
    au_store_close(j.store);
}
