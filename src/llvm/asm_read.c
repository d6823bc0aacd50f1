/* llvm/asm_read.c: the text of inline assembler in the form LLVM keeps it: operands are $0 or ${0:b}, a
 * dollar is $$, alternatives of dialects are $(att$|intel$). */
#include "llvm/asm.h"

#include "base/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool au_asm_choose(const char *text, size_t n, bool intel, char *to) {
    bool inside = false, second = false;
    for (size_t i = 0; i < n; i++) {
        char c = text[i], next = i + 1 < n ? text[i + 1] : 0;
        if (c == '$' && (next == '(' || next == '|' || next == ')')) {
            if (inside != (next != '('))
                return false;
            inside = next != ')';
            second = next == '|';
            i++;
        } else if (!inside || second == intel) {
            *to++ = c;
            if (c == '$' && next == '$') { /* stays two */
                *to++ = next;
                i++;
            }
        }
    }
    *to = 0;
    return !inside;
}

int au_asm_register(const char *name, size_t n, unsigned *size) {
    static const char *const old[8] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di"};
    if (n == 2 || n == 3) {
        const char *two = name + (n - 2);
        bool wide = n == 3 && (name[0] == 'r' || name[0] == 'e');
        for (int i = 0; i < 8; i++)
            if ((n == 2 || wide) && memcmp(two, old[i], 2) == 0) {
                *size = n == 2 ? 2 : name[0] == 'r' ? 8 : 4;
                return i;
            }
        if (n == 2 && name[1] == 'l')
            for (int i = 0; i < 4; i++)
                if (name[0] == old[i][0]) {
                    *size = 1;
                    return i;
                }
        if (n == 3 && name[2] == 'l')
            for (int i = 4; i < 8; i++)
                if (memcmp(name, old[i], 2) == 0) {
                    *size = 1;
                    return i;
                }
    }
    if (n < 2 || n > 4 || name[0] != 'r' || !isdigit((unsigned char)name[1]))
        return -1;
    char *end;
    long number = strtol(name + 1, &end, 10);
    size_t rest = n - (size_t)(end - name);
    if (number < 8 || number > 15 || rest > 1)
        return -1;
    *size = !rest ? 8 : *end == 'd' ? 4 : *end == 'w' ? 2 : *end == 'b' ? 1 : 0;
    return *size ? (int)number : -1;
}

typedef struct {
    const char *at, *end;
    bool intel;
} reader;

static void skip(reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
        r->at++;
}

static bool take(reader *r, char c) {
    skip(r);
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static bool number(reader *r, int64_t *to) {
    skip(r);
    const char *at = r->at + (r->at < r->end && *r->at == '-');
    if (at == r->end || !isdigit((unsigned char)*at))
        return false;
    char *end;
    *to = (int64_t)strtoull(at, &end, 0);
    if (at != r->at)
        *to = (int64_t)(0 - (uint64_t)*to);
    if (end > r->end || (end < r->end && (isalnum((unsigned char)*end) || *end == '_')))
        return false; /* a label, or hexadecimal in Intel's way */
    r->at = end;
    return true;
}

static size_t word(reader *r, const char **at) {
    skip(r);
    *at = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    return (size_t)(r->at - *at);
}

/* "$0", "${0:b}". */
static bool operand(reader *r, unsigned *which, unsigned *size) {
    if (!take(r, '$'))
        return false;
    bool brace = r->at < r->end && *r->at == '{';
    r->at += brace;
    if (r->at == r->end || !isdigit((unsigned char)*r->at))
        return false;
    char *end;
    *which = (unsigned)strtoul(r->at, &end, 10);
    r->at = end;
    if (brace && *r->at == ':') {
        char m = r->at[1];
        *size = m == 'b' ? 1 : m == 'w' ? 2 : m == 'k' ? 4 : m == 'q' ? 8 : 0;
        if (!*size && m != 'P' && m != 'a' && m != 'c')
            return false;
        r->at += 2;
    }
    return *which < AU_ASM_OPERANDS && (!brace || take(r, '}'));
}

/* A register or operand as a part of an address. */
static bool address_part(reader *r, struct au_asm_part *to) {
    unsigned size = 0;
    skip(r);
    to->scale = 1;
    if (r->at < r->end && *r->at == '$') {
        to->kind = AU_ASM_OPERAND;
        return operand(r, &to->number, &size);
    }
    if (!r->intel && !take(r, '%'))
        return false;
    const char *name;
    size_t n = word(r, &name);
    int reg = au_asm_register(name, n, &size);
    to->kind = AU_ASM_REGISTER;
    to->number = (unsigned)reg;
    return reg >= 0 && size == 8;
}

/* "(base,index,scale)", behind the displacement. */
static bool att_address(reader *r, au_asm_arg *to) {
    to->kind = AU_ASM_MEMORY;
    skip(r);
    if (!(r->at < r->end && *r->at == ',') && !address_part(r, &to->part[0]))
        return false;
    int64_t scale = 1;
    if (take(r, ',') && (!address_part(r, &to->part[1]) || (take(r, ',') && !number(r, &scale))))
        return false;
    if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
        return false;
    to->part[1].scale = (unsigned)scale;
    return take(r, ')');
}

/* "base + index*scale + 8]", behind the bracket. */
static bool intel_address(reader *r, au_asm_arg *to) {
    to->kind = AU_ASM_MEMORY;
    unsigned parts = 0;
    for (bool minus = false;;) {
        int64_t n;
        if (number(r, &n)) {
            to->value += minus ? -n : n;
        } else {
            if (parts == 2 || minus || !address_part(r, &to->part[parts]))
                return false;
            if (take(r, '*')) {
                if (!number(r, &n) || (n != 1 && n != 2 && n != 4 && n != 8))
                    return false;
                to->part[parts].scale = (unsigned)n;
            }
            parts++;
        }
        if (take(r, ']'))
            return true;
        minus = take(r, '-');
        if (!minus && !take(r, '+'))
            return false;
    }
}

static bool att_argument(reader *r, au_asm_arg *to) {
    skip(r);
    if (r->end - r->at >= 2 && r->at[0] == '$' && r->at[1] == '$') {
        r->at += 2;
        to->kind = AU_ASM_NUMBER;
        return number(r, &to->value);
    }
    if (take(r, '%')) {
        const char *name;
        size_t n = word(r, &name);
        int reg = au_asm_register(name, n, &to->size);
        to->kind = AU_ASM_REGISTER;
        to->number = (unsigned)reg;
        return reg >= 0;
    }
    bool moved = number(r, &to->value);
    if (take(r, '('))
        return att_address(r, to);
    if (moved && !take(r, '+'))
        return false;
    to->kind = AU_ASM_OPERAND;
    return operand(r, &to->number, &to->size);
}

static bool is_word(const char *s, size_t n, const char *name) {
    return n == strlen(name) && memcmp(s, name, n) == 0;
}

static bool intel_argument(reader *r, au_asm_arg *to) {
    skip(r);
    if (r->at < r->end && *r->at == '$') {
        to->kind = AU_ASM_OPERAND;
        return operand(r, &to->number, &to->size);
    }
    if (take(r, '['))
        return intel_address(r, to);
    if (number(r, &to->value)) {
        to->kind = AU_ASM_NUMBER;
        return true;
    }
    const char *name;
    size_t n = word(r, &name);
    static const struct {
        const char *name;
        unsigned size;
    } by[] = {{"byte", 1}, {"word", 2}, {"dword", 4}, {"qword", 8}, {"xmmword", 16}};
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (is_word(name, n, by[i].name)) {
            n = word(r, &name);
            if (!is_word(name, n, "ptr") || !intel_argument(r, to))
                return false;
            to->size = by[i].size;
            return to->kind == AU_ASM_MEMORY || to->kind == AU_ASM_OPERAND;
        }
    int reg = au_asm_register(name, n, &to->size);
    to->kind = AU_ASM_REGISTER;
    to->number = (unsigned)reg;
    return reg >= 0;
}

/* The end of the instruction at 'at': a semicolon, a line's end or a comment. */
static const char *end_of(const char *at, const char **next) {
    const char *end = at + strcspn(at, ";\n#");
    *next = end;
    if (*end == '#')
        *next = end + strcspn(end, "\n");
    if (**next)
        ++*next;
    return end;
}

int au_asm_read(const char **text, bool intel, au_asm_insn *to) {
    *to = (au_asm_insn){0};
    bool again = false; /* the prefix rep: of nop it makes pause */
    for (;;) {
        if (!**text)
            return to->lock || again ? -1 : 0; /* a prefix of nothing */
        reader r = {.at = *text, .intel = intel};
        r.end = end_of(r.at, text);
        const char *name;
        size_t n;
        for (;; to->lock |= n == 4, again |= n == 3) {
            n = word(&r, &name);
            if (!(n == 4 && strncasecmp(name, "lock", 4) == 0) &&
                !(n == 3 && strncasecmp(name, "rep", 3) == 0))
                break;
        }
        skip(&r);
        if (n == 0 && r.at == r.end)
            continue; /* nothing, or only a prefix, as in "lock; incl" */
        if (n == 0 || n >= sizeof to->name || (again && !is_word(name, n, "nop")))
            return -1;
        for (size_t i = 0; i < n; i++)
            to->name[i] = (char)tolower((unsigned char)name[i]);
        for (skip(&r); r.at < r.end; skip(&r)) {
            if (to->n == 3 || (to->n > 0 && !take(&r, ',')))
                return -1;
            au_asm_arg *a = &to->arg[to->n++];
            if (!(intel ? intel_argument : att_argument)(&r, a))
                return -1;
        }
        if (!intel && to->n == 2) {
            au_asm_arg first = to->arg[0];
            to->arg[0] = to->arg[1];
            to->arg[1] = first;
        }
        return 1;
    }
}

bool au_asm_is_idle(const char *text, size_t n, bool intel) {
    char *own = au_alloc_array(n + 1, 1);
    bool idle = !memchr(text, 0, n) && au_asm_choose(text, n, intel, own);
    const char *at = own;
    au_asm_insn i;
    for (int got = 1; idle && (got = au_asm_read(&at, intel, &i)) != 0;)
        idle = got > 0 && i.n == 0 && !i.lock &&
               (strcmp(i.name, "pause") == 0 || strcmp(i.name, "nop") == 0);
    free(own);
    return idle;
}

bool au_asm_is_plain(const char *text, size_t n, bool intel) {
    static const char *const plain[] = {"rdtsc", "rdtscp", "cpuid", "xgetbv", "pause", "nop", NULL};
    static const char *const sized[] = {"bswap", "ror",   "rol",   "popcnt", "bsf", "bsr",
                                        "lzcnt", "tzcnt", "crc32", NULL}; /* l, w … may follow */
    char *own = au_alloc_array(n + 1, 1);
    bool is = !memchr(text, 0, n) && au_asm_choose(text, n, intel, own);
    const char *at = own;
    au_asm_insn i;
    for (int got = 1; is && (got = au_asm_read(&at, intel, &i)) != 0;) {
        bool known = false;
        for (size_t k = 0; plain[k]; k++)
            known |= got > 0 && strcmp(i.name, plain[k]) == 0;
        for (size_t k = 0; sized[k]; k++) {
            size_t len = strlen(sized[k]);
            known |= got > 0 && strncmp(i.name, sized[k], len) == 0 && strlen(i.name) <= len + 1 &&
                     (!i.name[len] || strchr("bwlq", i.name[len]));
        }
        is = known && !i.lock;
        for (unsigned k = 0; is && k < i.n; k++)
            is = i.arg[k].kind != AU_ASM_MEMORY;
    }
    free(own);
    return is;
}
