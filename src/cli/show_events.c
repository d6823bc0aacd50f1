/* cli/show_events.c: the events of a trace in aligned columns.
 *
 * A stream has no widest entry to align to, so the columns are as wide as the
 * widest entry so far, block by block: a trace of one block (16k events) lines
 * up throughout, a longer one may move to the right now and then. Entries wider
 * than a column's limit do not widen it.
 */
#include "base/arena.h"
#include "base/printable.h"
#include "cli/show.h"
#include "report/case_kinds.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer names are shown with "…". */
enum { CELL_MAX = 4096, LINE_MAX_BYTES = 3 * CELL_MAX + 512, WIDTH_MAX = 48 };

/* A name as it is shown. */
typedef struct {
    const char *s;
    uint16_t len, width;
} cell;

typedef struct {
    AU_VEC(cell) at;
} cells;

enum { NUMBER, THREAD, INDEX, OP, OPERAND, LOCATION, VALUE, COLUMNS };
static const char *const titles[COLUMNS] = {"#",       "thread",   "index", "op",
                                            "operand", "location", "value"};

typedef struct {
    au_viewer v;
    au_arena arena; /* names that had to be rewritten */
    cells thread, var, lock, block, loc;
    AU_VEC(uint64_t) count;    /* events of each thread so far */
    AU_VEC(uint32_t) selected; /* places in the block … */
    AU_VEC(uint64_t) index;    /* … and their indices in their threads, from 1 */
    unsigned width[COLUMNS];
    bool color, headings, begun;
} view;

/* ---- names ---- */

static cell make_cell(view *w, const char *name, size_t n) {
    size_t plain = 0;
    while (plain < n && name[plain] >= 0x20 && name[plain] < 0x7f)
        plain++;
    if (plain == n && n <= CELL_MAX)
        return (cell){name, (uint16_t)n, (uint16_t)n};
    char text[CELL_MAX + 1];
    size_t width, len = au_printable(text, sizeof text, name, n, &width);
    return (cell){au_arena_strndup(&w->arena, text, len), (uint16_t)len, (uint16_t)width};
}

static void grow(view *w, cells *c, const au_intern *names) {
    au_vec_reserve(&c->at, names->n);
    while (c->at.n < names->n) {
        uint32_t id = (uint32_t)c->at.n;
        au_vec_push(&c->at, make_cell(w, au_intern_str(names, id), au_intern_len(names, id)));
    }
}

/* With what the program calls them. */
static void grow_threads(view *w, const au_names *names) {
    while (w->thread.at.n < names->thread.n) {
        uint32_t id = (uint32_t)w->thread.at.n;
        const char *name = au_intern_str(&names->thread, id), *called = au_names_called(names, id);
        size_t n = au_intern_len(&names->thread, id);
        char text[120];
        if (*called) {
            au_case_thread(name, called, text, sizeof text);
            n = strlen(text);
            name = au_arena_strndup(&w->arena, text, n);
        }
        au_vec_push(&w->thread.at, make_cell(w, name, n));
    }
}

static const cell nothing = {"", 0, 0};

static const cell *operand_cell(const view *w, au_op op, uint32_t obj) {
    if (obj == AU_NONE)
        return &nothing;
    switch (au_op_space(op)) {
    case AU_WIRE_SPACE_THREAD:
        return &w->thread.at.at[obj];
    case AU_WIRE_SPACE_VAR:
        return &w->var.at.at[obj];
    case AU_WIRE_SPACE_LOCK:
        return &w->lock.at.at[obj];
    case AU_WIRE_SPACE_BLOCK:
        return &w->block.at.at[obj];
    default:
        return &nothing;
    }
}

/* ---- lines ---- */

static unsigned digits(uint64_t v) {
    unsigned n = 1;
    for (; v >= 10; v /= 10)
        n++;
    return n;
}

static char *put_spaces(char *p, size_t n) {
    memset(p, ' ', n);
    return p + n;
}

/* Right-aligned in 'width'. */
static char *put_number(char *p, uint64_t v, unsigned width) {
    char digit[20];
    unsigned n = 0;
    do
        digit[sizeof digit - ++n] = (char)('0' + v % 10);
    while (v /= 10);
    if (n < width)
        p = put_spaces(p, width - n);
    memcpy(p, digit + sizeof digit - n, n);
    return p + n;
}

static char *put_signed(char *p, int64_t v) {
    if (v < 0)
        *p++ = '-';
    return put_number(p, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 0);
}

static char *put_str(char *p, const char *s) {
    size_t n = strlen(s);
    memcpy(p, s, n);
    return p + n;
}

/* Left-aligned; 'shown' is how many columns the text takes. */
static char *put_cell(char *p, const char *s, size_t len, size_t shown, size_t width) {
    memcpy(p, s, len);
    p += len;
    return shown < width ? put_spaces(p, width - shown) : p;
}

static void widen(view *w, int column, unsigned n) {
    if (n > w->width[column] && n <= WIDTH_MAX)
        w->width[column] = n;
}

static const char *op_color(au_op op) {
    switch (op) {
    case AU_OP_READ:
    case AU_OP_AREAD:
        return "\033[32m";
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        return "\033[31m";
    case AU_OP_FORK:
    case AU_OP_JOIN:
    case AU_OP_BEGIN:
    case AU_OP_END:
    case AU_OP_EXIT:
    case AU_OP_DETACH:
        return "\033[35m";
    default:
        return "\033[33m";
    }
}

static const char *const thread_color[] = {"\033[36m", "\033[34m", "\033[33m",
                                           "\033[35m", "\033[32m", "\033[31m"};
#define DIM "\033[2m"
#define OFF "\033[0m"

static void put_headings(view *w) {
    au_out *out = w->v.out;
    if (w->color)
        au_out_str(out, DIM);
    for (int k = 0; k < COLUMNS; k++) {
        unsigned len = (unsigned)strlen(titles[k]);
        unsigned pad = len < w->width[k] ? w->width[k] - len : 0;
        bool right = k == NUMBER || k == INDEX;
        if (k)
            au_out_str(out, "  ");
        if (right)
            au_out_printf(out, "%*s", (int)pad, "");
        au_out_str(out, titles[k]);
        if (!right && k != VALUE)
            au_out_printf(out, "%*s", (int)pad, "");
    }
    if (w->color)
        au_out_str(out, OFF);
    au_out_char(out, '\n');
}

static void put_line(view *w, const au_block *b, size_t i, uint64_t index) {
    char *line = au_out_room(w->v.out, LINE_MAX_BYTES), *p = line;
    au_op op = b->op[i];
    const cell *thread = &w->thread.at.at[b->thread[i]];
    const cell *operand = operand_cell(w, op, b->obj[i]);
    const char *name = au_op_name(op);
    size_t name_len = strlen(name);

    p = put_number(p, b->first + i + 1, w->width[NUMBER]);
    p = put_spaces(p, 2);
    if (w->color)
        p = put_str(p, thread_color[b->thread[i] % 6]);
    p = put_cell(p, thread->s, thread->len, thread->width, w->width[THREAD]);
    p = put_spaces(p, 2);
    p = put_number(p, index, w->width[INDEX]);
    p = put_spaces(p, 2);
    if (w->color)
        p = put_str(put_str(p, OFF), op_color(op));
    p = put_cell(p, name, name_len, name_len, w->width[OP]);
    if (w->color)
        p = put_str(p, OFF);
    p = put_spaces(p, 2);
    p = put_cell(p, operand->s, operand->len, operand->width, w->width[OPERAND]);
    p = put_spaces(p, 2);
    uint32_t loc = b->loc[i];
    if (loc < AU_LOC_NAMED) {
        char *start = p;
        p = put_number(p, loc, 0);
        if ((size_t)(p - start) < w->width[LOCATION])
            p = put_spaces(p, w->width[LOCATION] - (size_t)(p - start));
    } else {
        const cell *c = loc == AU_NONE ? &nothing : &w->loc.at.at[loc - AU_LOC_NAMED];
        p = put_cell(p, c->s, c->len, c->width, w->width[LOCATION]);
    }
    if (au_block_has_value(b, i))
        p = put_signed(put_spaces(p, 2), b->value[i]);
    else
        while (p[-1] == ' ')
            p--;
    *p++ = '\n';
    au_out_used(w->v.out, (size_t)(p - line));
}

static void select_events(view *w, const au_block *b) {
    const au_filter *f = w->v.filter;
    au_vec_clear(&w->selected);
    au_vec_clear(&w->index);
    au_vec_reserve(&w->selected, b->n);
    au_vec_reserve(&w->index, b->n);
    size_t k = 0;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t index = ++w->count.at[b->thread[i]];
        if (f->any && !au_filter_keep(f, b, i))
            continue;
        w->selected.at[k] = (uint32_t)i;
        w->index.at[k++] = au_viewer_index(&w->v, b->thread[i], index);
    }
    w->selected.n = w->index.n = k;
}

static void measure(view *w, const au_block *b) {
    unsigned thread = 0, op = 0, operand = 0, loc = 0;
    uint64_t index = 0, number_loc = 0;
#define MAX(m, x) ((m) = (m) > (x) ? (m) : (x))
    for (size_t k = 0; k < w->selected.n; k++) {
        size_t i = w->selected.at[k];
        unsigned n = w->thread.at.at[b->thread[i]].width;
        if (n <= WIDTH_MAX)
            MAX(thread, n);
        n = operand_cell(w, b->op[i], b->obj[i])->width;
        if (n <= WIDTH_MAX)
            MAX(operand, n);
        MAX(op, (unsigned)strlen(au_op_name(b->op[i])));
        MAX(index, w->index.at[k]);
        uint32_t l = b->loc[i];
        if (l < AU_LOC_NAMED)
            MAX(number_loc, l);
        else if (l != AU_NONE && (n = w->loc.at.at[l - AU_LOC_NAMED].width) <= WIDTH_MAX)
            MAX(loc, n);
    }
#undef MAX
    widen(w, NUMBER, digits(b->first + w->selected.at[w->selected.n - 1] + 1));
    widen(w, THREAD, thread);
    widen(w, INDEX, digits(index));
    widen(w, OP, op);
    widen(w, OPERAND, operand);
    widen(w, LOCATION, loc);
    widen(w, LOCATION, digits(number_loc));
}

static void view_block(au_viewer *v, const au_block *b, const au_names *names) {
    view *w = (view *)v;
    grow_threads(w, names);
    grow(w, &w->var, &names->var);
    grow(w, &w->lock, &names->lock);
    grow(w, &w->block, &names->block);
    grow(w, &w->loc, &names->loc);
    while (w->count.n < names->thread.n)
        au_vec_push(&w->count, 0);
    select_events(w, b);
    if (!w->selected.n)
        return;
    measure(w, b);
    if (!w->begun && w->headings)
        put_headings(w);
    w->begun = true;
    for (size_t k = 0; k < w->selected.n; k++)
        put_line(w, b, w->selected.at[k], w->index.at[k]);
}

static void view_end(au_viewer *v, const au_reader *r) {
    (void)v, (void)r;
}

static void view_free(au_viewer *v) {
    view *w = (view *)v;
    au_arena_release(&w->arena);
    au_vec_release(&w->thread.at);
    au_vec_release(&w->var.at);
    au_vec_release(&w->lock.at);
    au_vec_release(&w->block.at);
    au_vec_release(&w->loc.at);
    au_vec_release(&w->count);
    au_vec_release(&w->selected);
    au_vec_release(&w->index);
    free(w);
}

au_viewer *au_view_events_text(const au_opts *o) {
    view *w = AU_NEW(view);
    w->v = (au_viewer){.block = view_block, .end = view_end, .free = view_free};
    au_arena_init(&w->arena);
    w->color = au_cli_color(o, STDOUT_FILENO);
    w->headings = !au_opt_flag(o, "quiet");
    for (int k = 0; w->headings && k < COLUMNS; k++)
        w->width[k] = (unsigned)strlen(titles[k]);
    return &w->v;
}
