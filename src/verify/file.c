/* verify/file.c: see file.h. Every line is words and numbers; '-' is AU_NONE. */
#include "verify/file.h"

#include "base/alloc.h"
#include "base/in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LARGEST ((size_t)4 << 30)

static const char *const stage_name[AU_BY_STAGES] = {"must-hb", "lockset", "graph", "interval",
                                                     "solver"};
static const char *const how_name[] = {"none", "proof", "path", "lock"};
static const char *const kind_name[AU_REF_KINDS] = {
    "assertion", "race", "atomicity", "deadlock", "misuse", "nondeterminism", "reach"};

const char *au_by_stage_name(au_by_stage s) {
    return stage_name[s];
}

/* --- writing ------------------------------------------------------------------------------ */

static void put(au_out *o, uint32_t v) {
    if (v == AU_NONE)
        au_out_str(o, " -");
    else
        au_out_printf(o, " %u", v);
}

static void put_question(au_out *o, const au_ref_question *q) {
    const uint32_t field[] = {q->step[0], q->step[1], q->step[2], q->var,   q->obj,
                              q->writer,  q->write,   q->at_end,  q->atomic};
    au_out_printf(o, " %s", kind_name[q->kind]);
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        put(o, field[i]);
}

static void put_list(const au_refuted_list *l, au_out *o) {
    au_out_str(o, "augur-refuted 2\n");
    for (size_t i = 0; i < l->model.n; i++)
        au_out_printf(o, "model %zu %u %" PRIu64 "\n", i + 1, l->model.at[i].whole,
                      l->model.at[i].hash);
    for (size_t i = 0; i < l->refuted.n; i++) {
        const au_refuted *x = &l->refuted.at[i];
        au_out_printf(o, "refuted %u %s", x->model, stage_name[x->stage]);
        put_question(o, &x->q);
        au_out_printf(o, " %s", how_name[x->how]);
        if (x->how == AU_HOW_PROOF || x->how == AU_HOW_LOCK)
            put(o, x->number);
        for (size_t k = 0; x->how == AU_HOW_PATH && k < x->path.n; k++)
            put(o, x->path.at[k]);
        if (x->how == AU_HOW_NONE)
            au_out_printf(o, " %s", x->why);
        au_out_char(o, '\n');
    }
    for (size_t i = 0; i < l->more.n; i++)
        au_out_printf(o, "counted %s %" PRIu64 " %s\n", stage_name[l->more.at[i].stage],
                      l->more.at[i].n, l->more.at[i].why);
    if (l->unfinished)
        au_out_str(o, "unfinished\n");
}

void au_refuted_list_write(const au_refuted_list *l, au_out *o) {
    au_out *text = au_out_memory();
    size_t n;
    put_list(l, text);
    const char *data = au_out_memory_data(text, &n);
    au_out_write(o, data, n);
    au_out_printf(o, "end %" PRIu64 "\n", au_hash_bytes(data, n));
    au_out_abandon(text);
}

void au_certificate_write(const au_certificate *c, au_out *o) {
    au_out_printf(o, "augur-certificate 1\nmodel %u\n", c->model);
    for (size_t i = 0; i < c->question.n; i++) {
        au_out_str(o, "question");
        put_question(o, &c->question.at[i]);
        au_out_char(o, '\n');
    }
    for (size_t i = 0; i < c->lock.n; i++)
        au_out_printf(o, "sections %u\n", c->lock.at[i]);
    for (size_t i = 0; i < c->fold.n; i++)
        au_out_printf(o, "commuting %u\n", c->fold.at[i]);
    for (size_t i = 0; i < c->lemma.n; i++) {
        const au_ref_lemma *l = &c->lemma.at[i];
        if (l->rule == AU_REF_TRANSITIVE)
            au_out_printf(o, "transitive %u %u %u\n", l->a, l->b, l->c);
        else
            au_out_printf(o, "between %u %u\n", l->a, l->b);
    }
    au_out_printf(o, "proof %" PRIu64 " %" PRIu64 "\nend\n", c->size, c->hash);
}

void au_cnf_write(const au_cnf *c, au_out *o) {
    au_out_printf(o, "p cnf %d %llu\n", c->n_vars, (unsigned long long)c->n_clauses);
    for (size_t i = 0; i < c->lit.n; i++) {
        au_out_i64(o, c->lit.at[i]);
        au_out_char(o, c->lit.at[i] ? ' ' : '\n');
    }
}

/* --- reading -------------------------------------------------------------------------------- */

typedef struct {
    const char *path;
    char *text, *at; /* at: the rest of the line at hand */
    char *next;      /* the line after it */
    uint32_t line;
    uint64_t hash; /* of all lines but the last one */
    bool bad;
} lines;

static bool next_line(lines *l) {
    if (!l->next || !*l->next)
        return false;
    l->at = l->next;
    char *end = strchr(l->at, '\n');
    l->next = end ? end + 1 : NULL;
    if (end)
        *end = '\0';
    else
        l->bad = true;
    l->line++;
    return true;
}

static const char *word(lines *l) {
    l->at += strspn(l->at, " ");
    char *w = l->at;
    l->at += strcspn(w, " ");
    if (*l->at)
        *l->at++ = '\0';
    return w;
}

static uint64_t big_number(lines *l, const char *w) {
    uint64_t v = 0;
    l->bad |= !*w || strlen(w) > 20;
    for (; *w; w++) {
        l->bad |= *w < '0' || *w > '9';
        v = v * 10 + (uint64_t)(*w - '0');
    }
    return v;
}

static uint32_t number(lines *l) {
    const char *w = word(l);
    if (!strcmp(w, "-"))
        return AU_NONE;
    uint64_t v = big_number(l, w);
    l->bad |= v >= AU_NONE;
    return (uint32_t)v;
}

static uint32_t one_of(lines *l, const char *const *name, uint32_t n) {
    const char *w = word(l);
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(w, name[i]))
            return i;
    l->bad = true;
    return 0;
}

static void get_question(lines *l, au_ref_question *q) {
    q->kind = (au_ref_ask)one_of(l, kind_name, AU_REF_KINDS);
    uint32_t *field[] = {&q->step[0], &q->step[1], &q->step[2], &q->var,   &q->obj,
                         &q->writer,  &q->write,   &q->at_end,  &q->atomic};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        *field[i] = number(l);
}

static uint64_t hash_before_last(const char *text, size_t n) {
    if (n)
        n--; /* the end of the last line */
    while (n && text[n - 1] != '\n')
        n--;
    return au_hash_bytes(text, n);
}

static au_status open_lines(lines *l, const char *path, const char *head, au_error *err) {
    size_t n;
    *l = (lines){.path = path};
    au_status st = au_in_whole(path, LARGEST, "certificate", &l->text, &n, err);
    if (st != AU_OK)
        return st;
    l->next = l->text;
    l->hash = hash_before_last(l->text, n);
    if (strlen(l->text) != n || !next_line(l) || strcmp(l->at, head)) {
        free(l->text);
        return au_error_set(err, AU_EFORMAT, "'%s' does not begin with '%s'", path, head);
    }
    return AU_OK;
}

/* ended: its last line was 'end'. */
static au_status close_lines(lines *l, bool ended, au_error *err) {
    free(l->text);
    if (l->bad || !ended)
        return au_error_set(err, AU_EFORMAT, "'%s', line %u: it is damaged", l->path, l->line);
    return AU_OK;
}

void au_refuted_list_init(au_refuted_list *l) {
    *l = (au_refuted_list){0};
    au_arena_init(&l->arena);
}

void au_refuted_list_release(au_refuted_list *l) {
    for (size_t i = 0; i < l->refuted.n; i++)
        au_vec_release(&l->refuted.at[i].path);
    au_vec_release(&l->refuted);
    au_vec_release(&l->more);
    au_vec_release(&l->model);
    au_arena_release(&l->arena);
}

static void get_refuted(lines *l, au_refuted_list *all) {
    au_refuted x = {.model = number(l), .why = "", .number = AU_NONE};
    x.stage = (au_by_stage)one_of(l, stage_name, AU_BY_STAGES);
    get_question(l, &x.q);
    x.how = (au_how)one_of(l, how_name, sizeof how_name / sizeof *how_name);
    if (x.how == AU_HOW_NONE)
        x.why = au_arena_strndup(&all->arena, l->at, strlen(l->at));
    else if (x.how == AU_HOW_PATH)
        while (*l->at && !l->bad)
            au_vec_push(&x.path, number(l));
    else
        x.number = number(l);
    l->bad |= x.model == 0 || x.model > all->model.n;
    au_vec_push(&all->refuted, x);
}

au_status au_refuted_list_read(au_refuted_list *all, const char *path, au_error *err) {
    lines l;
    bool ended = false;
    au_status st = open_lines(&l, path, "augur-refuted 2", err);
    if (st != AU_OK)
        return st;
    while (!l.bad && !ended && next_line(&l)) {
        const char *w = word(&l);
        if (!strcmp(w, "model")) {
            l.bad |= number(&l) != all->model.n + 1;
            uint32_t whole = number(&l);
            au_vec_push(&all->model, ((au_refuted_model){whole, big_number(&l, word(&l))}));
            l.bad |= whole > 1;
        } else if (!strcmp(w, "refuted")) {
            get_refuted(&l, all);
        } else if (!strcmp(w, "counted")) {
            au_refuted_more x = {.stage = (au_by_stage)one_of(&l, stage_name, AU_BY_STAGES)};
            x.n = big_number(&l, word(&l));
            x.why = au_arena_strndup(&all->arena, l.at, strlen(l.at));
            au_vec_push(&all->more, x);
        } else if (!strcmp(w, "unfinished")) {
            all->unfinished = true;
        } else {
            ended = !strcmp(w, "end");
            l.bad |= !ended;
            all->altered = big_number(&l, word(&l)) != l.hash;
        }
    }
    l.bad |= ended && l.next && *l.next; /* lines behind the last one */
    return close_lines(&l, ended, err);
}

void au_certificate_release(au_certificate *c) {
    au_vec_release(&c->question);
    au_vec_release(&c->lock);
    au_vec_release(&c->fold);
    au_vec_release(&c->lemma);
}

au_status au_certificate_read(au_certificate *c, const char *path, au_error *err) {
    lines l;
    bool ended = false;
    *c = (au_certificate){0};
    au_status st = open_lines(&l, path, "augur-certificate 1", err);
    if (st != AU_OK)
        return st;
    while (!l.bad && !ended && next_line(&l)) {
        const char *w = word(&l);
        if (!strcmp(w, "model")) {
            c->model = number(&l);
        } else if (!strcmp(w, "question")) {
            au_ref_question q;
            get_question(&l, &q);
            au_vec_push(&c->question, q);
        } else if (!strcmp(w, "sections")) {
            au_vec_push(&c->lock, number(&l));
        } else if (!strcmp(w, "commuting")) {
            au_vec_push(&c->fold, number(&l));
        } else if (!strcmp(w, "transitive") || !strcmp(w, "between")) {
            au_ref_lemma x = {*w == 't' ? AU_REF_TRANSITIVE : AU_REF_BETWEEN, 0, 0, 0};
            x.a = number(&l);
            x.b = number(&l);
            x.c = x.rule == AU_REF_TRANSITIVE ? number(&l) : 0;
            au_vec_push(&c->lemma, x);
        } else if (!strcmp(w, "proof")) {
            c->size = big_number(&l, word(&l));
            c->hash = big_number(&l, word(&l));
        } else {
            ended = !strcmp(w, "end");
            l.bad |= !ended;
        }
        l.bad |= *l.at != '\0';
    }
    return close_lines(&l, ended, err);
}

void au_certificate_rules(const au_ref *r, au_ref_list *lock, au_ref_list *fold) {
    for (uint32_t i = 0; i < r->m->obj.n; i++)
        if (r->lock[i])
            au_vec_push(lock, i);
    for (uint32_t v = 0; v < r->m->var.n; v++)
        if (r->fold[v])
            au_vec_push(fold, v);
}

au_status au_certificate_seal(au_certificate *c, const char *proof, au_error *err) {
    char *text;
    size_t n;
    au_status st = au_in_whole(proof, LARGEST, "proof", &text, &n, err);
    if (st != AU_OK)
        return st;
    c->size = n;
    c->hash = au_hash_bytes(text, n);
    free(text);
    return AU_OK;
}

/* --- to the letter ----------------------------------------------------------------------------- */

/* The file is this text, and nothing else. */
static bool is_text(const char *path, const char *what, au_out *text, au_status *st,
                    au_error *err) {
    char *own;
    size_t n, wanted;
    const char *want = au_out_memory_data(text, &wanted);
    *st = au_in_whole(path, LARGEST, what, &own, &n, err);
    if (*st != AU_OK)
        return false;
    bool same = n == wanted && !memcmp(own, want, n);
    free(own);
    return same;
}

au_status au_certificate_compare(const au_certificate *c, const char *path, au_error *err) {
    au_out *text = au_out_memory();
    au_status st;
    au_certificate_write(c, text);
    if (!is_text(path, "certificate", text, &st, err) && st == AU_OK)
        st = au_error_set(err, AU_EFORMAT, "its certificate is not written as augur writes it");
    au_out_abandon(text);
    return st;
}

au_status au_cnf_compare(const au_cnf *c, const char *path, au_error *err) {
    au_out *text = au_out_memory();
    au_status st;
    au_cnf_write(c, text);
    if (!is_text(path, "file of clauses", text, &st, err) && st == AU_OK)
        st = au_error_set(err, AU_EFORMAT,
                          "its clauses are not those of the model, the questions and the lemmas");
    au_out_abandon(text);
    return st;
}
