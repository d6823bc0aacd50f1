/* report/schedule.c: see schedule.h. */
#include "report/schedule.h"

#include "base/in.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1 << 16, MAX_BYTES = 64 << 20 };

bool au_schedule_thread(const char *s, uint32_t *number) {
    if (*s == 'T' || *s == 't')
        s++;
    if (!isdigit((unsigned char)*s))
        return false;
    char *end;
    unsigned long v = strtoul(s, &end, 10);
    *number = (uint32_t)v;
    return v < MAX_THREADS && (!*end || *end == ' ' || *end == '(' || *end == ':');
}

au_status au_case_has_no_schedule(const au_case *c, au_error *err) {
    return au_error_set(err, AU_EUNSUPPORTED,
                        "finding '%s' has no schedule, so there is nothing to execute: it is "
                        "'%s'%s%s",
                        c->id, au_standing_name(c->standing), *c->why ? ": " : "", c->why);
}

static au_status parse_line(au_dossier *d, au_case *c, au_intern *threads, const char *line) {
    char thread[64], number[32], mark[16] = "", extra[2], *end;
    uint16_t m = AU_MARK_NONE;
    uint32_t ignored;
    uint64_t upto;
    int k = sscanf(line, "%63s %31s %15s %1s", thread, number, mark, extra);
    if (k < 2 || k > 3 || !au_schedule_thread(thread, &ignored) ||
        !isdigit((unsigned char)*number) || !(upto = strtoull(number, &end, 10)) || *end ||
        !au_mark_of(mark, &m))
        return AU_EFORMAT;
    au_case_add_turn(d, c, threads, thread, upto, (au_turn_mark)m);
    return AU_OK;
}

static au_status parse_text(au_dossier *d, const char *text, const char *name, au_error *err) {
    au_case *c = au_dossier_add(d, AU_KINDS);
    au_status st = AU_OK;
    unsigned line = 0;
    au_intern threads;
    au_intern_init(&threads);
    for (const char *s = text; *s && st == AU_OK;) {
        size_t n = strcspn(s, "\n");
        char buf[256];
        line++;
        if (n >= sizeof buf) {
            st = au_error_set(err, AU_EFORMAT, "%s:%u: the line is too long", name, line);
            break;
        }
        memcpy(buf, s, n);
        buf[n] = 0;
        buf[strcspn(buf, "#\r")] = 0;
        s += n + (s[n] == '\n');
        if (buf[strspn(buf, " \t")] && parse_line(d, c, &threads, buf) != AU_OK)
            st = au_error_set(err, AU_EFORMAT,
                              "%s:%u: a turn is a thread and the number of its last event, as "
                              "in 'T1 14', not '%s'",
                              name, line, buf);
    }
    au_intern_release(&threads);
    return st;
}

au_status au_schedule_parse(au_dossier *d, const char *text, size_t n, const char *name,
                            const char *id, au_error *err) {
    size_t blank = strspn(text, " \t\r\n");
    bool json = text[blank] == '[' || text[blank] == '{';
    au_status st = json ? au_schedule_json(d, text, n, name, id, err)
                   : id ? au_error_set(err, AU_EUSAGE, "'%s' holds no findings", name)
                        : parse_text(d, text, name, err);
    if (st == AU_OK && !d->at.at[0].schedule.n)
        st = au_error_set(err, AU_EFORMAT, "the schedule in '%s' is empty", name);
    return st;
}

au_status au_schedule_read(au_dossier *d, const char *path, const char *id, au_error *err) {
    char *text;
    size_t n;
    au_status st = au_in_whole(path, MAX_BYTES, "a schedule", &text, &n, err);
    if (st != AU_OK)
        return st;
    st = au_schedule_parse(d, text, n, path, id, err);
    free(text);
    return st;
}
