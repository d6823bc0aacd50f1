/* trace/values_read.c: the text of traces with values,
 *
 *     Read|Write|Acq|Rel|Fork|Join|Begin|End  thread  object  value
 *
 * with blanks between the words (docs/formats.md). */
#include "trace/text_priv.h"
#include "trace/values_priv.h"

#include <stdio.h>

const struct au_values_word au_values_words[] = {
    {"Read", AU_OP_READ},   {"Write", AU_OP_WRITE}, {"Acq", AU_OP_ACQ},
    {"Rel", AU_OP_REL},     {"Fork", AU_OP_FORK},   {"Join", AU_OP_JOIN},
    {"Begin", AU_OP_BEGIN}, {"End", AU_OP_END},     {NULL, AU_OPS}};

struct word {
    const char *s;
    size_t n;
};

/* Up to 'max' words of the line; returns how many there are, max + 1 if more. */
static size_t split(const char *s, size_t len, struct word *w, size_t max) {
    size_t n = 0;
    for (size_t i = 0;;) {
        while (i < len && (s[i] == ' ' || s[i] == '\t'))
            i++;
        if (i == len)
            return n;
        if (n == max)
            return max + 1;
        w[n].s = s + i;
        while (i < len && s[i] != ' ' && s[i] != '\t')
            i++;
        w[n].n = (size_t)(s + i - w[n].s);
        n++;
    }
}

/* As written, or with a small first letter. */
static au_op op_of(struct word w) {
    for (const struct au_values_word *k = au_values_words; k->text; k++)
        if (strlen(k->text) == w.n && (w.s[0] | 0x20) == (k->text[0] | 0x20) &&
            !memcmp(w.s + 1, k->text + 1, w.n - 1))
            return k->op;
    return AU_OPS;
}

static bool parse(au_text *t, au_columns *c, au_names *n, const char *s, size_t len, char *why) {
    (void)t;
    struct word w[4];
    size_t words = split(s, len, w, 4);
    au_op op = op_of(w[0]);
    if (op == AU_OPS) {
        snprintf(why, AU_TEXT_WHY, "unknown operation '%s'", au_text_quote(w[0].s, w[0].n).s);
        return false;
    }
    bool access = op == AU_OP_READ || op == AU_OP_WRITE;
    bool block = op == AU_OP_BEGIN || op == AU_OP_END;
    const char *missing = NULL;
    if (words < 2)
        missing = "thread";
    else if (words < 3 && !block)
        missing = "object";
    else if (words < 4 && access)
        missing = "value";
    if (missing) {
        snprintf(why, AU_TEXT_WHY, "missing %s in '%s'", missing, au_text_quote(s, len).s);
        return false;
    }
    if (words > 4) {
        snprintf(why, AU_TEXT_WHY, "more than four words in '%s'", au_text_quote(s, len).s);
        return false;
    }
    int64_t value;
    if (words == 4 && !au_text_int64(w[3].s, w[3].n, &value, why))
        return false;
    uint32_t thread, obj = AU_NONE;
    if (!au_text_thread(n, w[1].s, w[1].n, &thread, why))
        return false;
    if (words > 2 && au_op_space(op) == AU_WIRE_SPACE_THREAD) {
        if (!au_text_thread(n, w[2].s, w[2].n, &obj, why))
            return false;
    } else if (words > 2) {
        obj = au_intern_add(au_names_space(n, au_op_space(op)), w[2].s, w[2].n);
    }
    au_columns_push(c, op, (uint16_t)thread, obj, AU_NONE, words == 4 ? &value : NULL);
    return true;
}

static void free_decoder(au_decoder *d) {
    free(d);
}

au_decoder *au_decode_values(au_in *in, const au_read_options *opts, au_error *err) {
    (void)err;
    au_text *t = AU_NEW(au_text);
    au_text_start(t, in, opts);
    t->d.free = free_decoder;
    t->parse = parse;
    return &t->d;
}
