#include "confirm/wanted.h"

#include "base/in.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

/* A schedule beyond these is refused. */
enum { MAX_THREADS = 1 << 16, MAX_BYTES = 64 << 20 };

bool au_wanted_thread(const char *s, uint32_t *number) {
    if (*s == 'T' || *s == 't')
        s++;
    if (!isdigit((unsigned char)*s))
        return false;
    char *end;
    unsigned long v = strtoul(s, &end, 10);
    *number = (uint32_t)v;
    return v < MAX_THREADS && (!*end || *end == ' ' || *end == '(' || *end == ':');
}

static bool mark_of(const char *s, uint16_t *mark) {
    return *s && au_mark_of(s, mark);
}

/* ---- text ---- */

static au_status parse_text(au_wanted *w, const char *text, const char *name, au_error *err) {
    unsigned line = 0;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        char buf[256], thread[64], flag[16] = "", extra[2];
        line++;
        if (n >= sizeof buf)
            return au_error_set(err, AU_EFORMAT, "%s:%u: the line is too long", name, line);
        memcpy(buf, s, n);
        buf[n] = 0;
        buf[strcspn(buf, "#\r")] = 0;
        s += n + (s[n] == '\n');
        if (!buf[strspn(buf, " \t")])
            continue;
        au_turn t = {0};
        char number[32], *end;
        int k = sscanf(buf, "%63s %31s %15s %1s", thread, number, flag, extra);
        if (k < 2 || k > 3 || !au_wanted_thread(thread, &t.thread) ||
            !isdigit((unsigned char)*number) || !(t.upto = strtoull(number, &end, 10)) || *end ||
            (*flag && !mark_of(flag, &t.mark)))
            return au_error_set(err, AU_EFORMAT,
                                "%s:%u: a turn is a thread and the number of its last event, as "
                                "in 'T1 14', not '%s'",
                                name, line, buf);
        au_vec_push(&w->turns, t);
    }
    return AU_OK;
}

/* ---- JSON ---- */

static bool event_number(const cJSON *x, uint64_t *v) {
    if (!cJSON_IsNumber(x) || x->valuedouble < 1 || x->valuedouble > 9e15)
        return false;
    *v = (uint64_t)x->valuedouble;
    return true;
}

static bool json_thread(const cJSON *x, uint32_t *thread) {
    if (cJSON_IsString(x))
        return au_wanted_thread(x->valuestring, thread);
    if (!cJSON_IsNumber(x) || x->valuedouble < 0 || x->valuedouble >= MAX_THREADS)
        return false;
    *thread = (uint32_t)x->valuedouble;
    return true;
}

static au_status parse_turns(au_wanted *w, const cJSON *list, const char *name, au_error *err) {
    const cJSON *x;
    unsigned k = 0;
    cJSON_ArrayForEach(x, list) {
        au_turn t = {0};
        const cJSON *flag = cJSON_GetArrayItem(x, 2);
        k++;
        if (!cJSON_IsArray(x) || !json_thread(cJSON_GetArrayItem(x, 0), &t.thread) ||
            !event_number(cJSON_GetArrayItem(x, 1), &t.upto) ||
            (flag && (!cJSON_IsString(flag) || !mark_of(flag->valuestring, &t.mark))))
            return au_error_set(err, AU_EFORMAT,
                                "%s: turn %u of the schedule is not a pair like [\"T1\",14]", name,
                                k);
        au_vec_push(&w->turns, t);
    }
    return AU_OK;
}

static const char *text_of(const cJSON *x, const char *key) {
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(x, key);
    return cJSON_IsString(v) ? v->valuestring : "";
}

static au_status parse_events(au_wanted *w, const cJSON *list, const char *name, au_error *err) {
    const cJSON *x;
    cJSON_ArrayForEach(x, list) {
        au_wanted_event e = {0};
        if (!json_thread(cJSON_GetObjectItemCaseSensitive(x, "thread"), &e.thread) ||
            !event_number(cJSON_GetObjectItemCaseSensitive(x, "index"), &e.index))
            return au_error_set(err, AU_EFORMAT,
                                "%s: an event of the finding has no thread and index", name);
        if (!event_number(cJSON_GetObjectItemCaseSensitive(x, "until"), &e.until) ||
            e.until < e.index)
            e.until = e.index;
        const cJSON *line = cJSON_GetObjectItemCaseSensitive(x, "line");
        e.op = au_strdup(text_of(x, "op"));
        e.object = au_strdup(text_of(x, "object"));
        e.place = cJSON_IsNumber(line)
                      ? au_sprintf("%s:%.0f", text_of(x, "file"), line->valuedouble)
                      : au_strdup(text_of(x, "location"));
        au_vec_push(&w->event, e);
    }
    return AU_OK;
}

static au_status parse_finding(au_wanted *w, const cJSON *f, const char *name, au_error *err) {
    const char *kind = text_of(f, "kind");
    w->id = au_strdup(*text_of(f, "id") ? text_of(f, "id") : "?");
    w->what = au_strdup(text_of(f, *text_of(f, "pattern") ? "pattern" : "what"));
    w->message = au_strdup(text_of(f, "message"));
    w->kind = AU_KINDS;
    for (int k = 0; k < AU_KINDS; k++)
        if (!strcmp(kind, au_kind_name((au_kind)k)))
            w->kind = (au_kind)k;
    if (w->kind == AU_KINDS)
        return au_error_set(err, AU_EFORMAT, "%s: finding '%s' has unknown kind '%s'", name, w->id,
                            kind);
    au_status st = parse_turns(w, cJSON_GetObjectItemCaseSensitive(f, "schedule"), name, err);
    if (st == AU_OK)
        st = parse_events(w, cJSON_GetObjectItemCaseSensitive(f, "events"), name, err);
    if (st == AU_OK && (!w->turns.n || !w->event.n))
        return au_error_set(err, AU_EUNSUPPORTED,
                            "finding '%s' has no schedule, so there is nothing to execute: it is "
                            "'%s'%s%s",
                            w->id, text_of(f, "status"), *text_of(f, "reason") ? ": " : "",
                            text_of(f, "reason"));
    return st;
}

static au_status pick_finding(au_wanted *w, const cJSON *list, const char *name, const char *id,
                              au_error *err) {
    const cJSON *x, *found = NULL;
    unsigned n = 0;
    cJSON_ArrayForEach(x, list) {
        n++;
        if (!id || !strcmp(text_of(x, "id"), id))
            found = x;
    }
    if (!found)
        return id && n ? au_error_set(err, AU_EUSAGE, "there is no finding '%s' in '%s'", id, name)
                       : au_error_set(err, AU_EUSAGE, "there are no findings in '%s'", name);
    if (!id && n > 1)
        return au_error_set(err, AU_EUSAGE,
                            "'%s' holds %u findings: say which one with '--finding'", name, n);
    return parse_finding(w, found, name, err);
}

static au_status parse_json(au_wanted *w, const char *text, size_t n, const char *name,
                            const char *id, au_error *err) {
    cJSON *root = cJSON_ParseWithLength(text, n);
    if (!root)
        return au_error_set(err, AU_EFORMAT, "'%s' is not valid JSON", name);
    const cJSON *findings = cJSON_GetObjectItemCaseSensitive(root, "findings");
    w->by_order = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(root, "input")) > 1;
    au_status st;
    if (cJSON_IsArray(root))
        st = id ? au_error_set(err, AU_EUSAGE, "'%s' holds a schedule, no findings", name)
                : parse_turns(w, root, name, err);
    else if (cJSON_IsArray(findings))
        st = pick_finding(w, findings, name, id, err);
    else if (*text_of(root, "kind"))
        st = parse_finding(w, root, name, err);
    else if (cJSON_GetObjectItemCaseSensitive(root, "schedule"))
        st = parse_turns(w, cJSON_GetObjectItemCaseSensitive(root, "schedule"), name, err);
    else
        st = au_error_set(err, AU_EFORMAT, "'%s' holds neither findings nor a schedule", name);
    cJSON_Delete(root);
    return st;
}

/* ---- both ---- */

au_status au_wanted_parse(au_wanted *w, const char *text, size_t n, const char *name,
                          const char *id, au_error *err) {
    *w = (au_wanted){0};
    size_t blank = strspn(text, " \t\r\n");
    bool json = text[blank] == '[' || text[blank] == '{';
    au_status st = json ? parse_json(w, text, n, name, id, err)
                   : id ? au_error_set(err, AU_EUSAGE, "'%s' holds no findings", name)
                        : parse_text(w, text, name, err);
    if (st == AU_OK && !w->turns.n)
        st = au_error_set(err, AU_EFORMAT, "the schedule in '%s' is empty", name);
    w->given = (uint32_t)w->turns.n;
    if (st != AU_OK)
        au_wanted_release(w);
    return st;
}

au_status au_wanted_read(au_wanted *w, const char *path, const char *id, au_error *err) {
    char *text;
    size_t n;
    au_status st = au_in_whole(path, MAX_BYTES, "a schedule", &text, &n, err);
    if (st != AU_OK)
        return st;
    st = au_wanted_parse(w, text, n, path, id, err);
    free(text);
    return st;
}

void au_wanted_release(au_wanted *w) {
    for (size_t i = 0; i < w->event.n; i++) {
        free(w->event.at[i].op);
        free(w->event.at[i].place);
        free(w->event.at[i].object);
    }
    au_vec_release(&w->event);
    au_vec_release(&w->turns);
    free(w->id);
    free(w->message);
    free(w->what);
    *w = (au_wanted){0};
}

static uint64_t reached(const au_wanted *w, uint32_t thread) {
    uint64_t most = 0;
    for (size_t i = 0; i < w->turns.n; i++)
        if (w->turns.at[i].thread == thread && w->turns.at[i].upto > most)
            most = w->turns.at[i].upto;
    return most;
}

void au_wanted_complete(au_wanted *w) {
    bool reached_it = w->what && !strcmp(w->what, "reached");
    if (w->kind == AU_KIND_ASSERTION && !reached_it && w->turns.n &&
        au_vec_last(&w->turns).thread == w->event.at[0].thread)
        au_vec_last(&w->turns).upto += 2; /* the call that reports it, and that it failed */
    if (w->kind == AU_KIND_DEADLOCK || (w->kind == AU_KIND_ASSERTION && !reached_it))
        return;
    for (size_t i = 0; i < w->event.n; i++)
        if (reached(w, w->event.at[i].thread) < w->event.at[i].index)
            au_vec_push(&w->turns,
                        ((au_turn){.thread = w->event.at[i].thread, .upto = w->event.at[i].until}));
}

void au_wanted_stop_before(au_wanted *w) {
    const au_wanted_event *e = w->event.n ? &au_vec_last(&w->event) : NULL;
    if (e && w->turns.n > w->given)
        w->turns.n = w->given; /* a race stands before both of its accesses */
    for (size_t i = 0; e && i < w->turns.n; i++) {
        au_turn *t = &w->turns.at[i];
        if (t->thread != e->thread || t->upto < e->index)
            continue;
        t->upto = e->index - 1;
        w->turns.n = i + 1;
        /* Nothing is left of the turn? */
        w->turns.n = i;
        if (reached(w, e->thread) < e->index - 1)
            w->turns.n = i + 1;
        return;
    }
}
