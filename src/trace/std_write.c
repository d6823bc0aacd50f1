/* trace/std_write.c: events as STD text. What comes out reads back as the same
 * events; what STD cannot say is refused. (The kinds of synchronisation objects
 * are not events, and STD has no place for them.) */
#include "trace/text_write.h"

typedef struct {
    au_encoder e;
    au_inks inks;
    const au_intern *table[AU_WIRE_SPACES];
    struct {
        char s[16];
        uint8_t len, space;
    } op[AU_OPS];
} std_encoder;

/* Bytes of a line besides its names: op and parentheses, separators, two numbers. */
enum { FIXED = 16 + 4 + 10 + 1 + 21 + 1, ROOM = 64 * 1024 };

/* A name on its way into a line. */
typedef struct {
    const au_ink *ink; /* NULL: there is none */
    const au_intern *table;
    uint32_t id;
} piece;

static inline piece piece_of(const std_encoder *e, uint8_t space, uint32_t id) {
    return (piece){&e->inks.space[space].at[id], e->table[space], id};
}
static inline bool is_bad(const piece *p) {
    return p->ink && p->ink->len == AU_INK_BAD;
}
static inline size_t room_of(const piece *p) {
    return p->ink ? au_ink_room(p->ink, p->table, p->id) : 0;
}

/* A '\r' of a location at the end of a line would be taken for part of the line's end. */
static bool ends_in_return(const piece *p) {
    size_t n = au_intern_len(p->table, p->id);
    return n && au_intern_str(p->table, p->id)[n - 1] == '\r';
}

/* A name that may be longer than the room at *p, which starts at *start: what is
 * collected there goes out first. */
static void put_long(au_out *o, char **start, char **p, const piece *k) {
    au_out_used(o, (size_t)(*p - *start));
    au_out_write(o, au_intern_str(k->table, k->id), au_intern_len(k->table, k->id));
    *p = *start = au_out_room(o, FIXED);
}

static au_status put(au_encoder *a, const au_block *b, au_error *err) {
    std_encoder *e = (std_encoder *)a;
    au_inks_update(&e->inks, a->names, "|\n");
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        uint32_t loc_id = b->loc[i];
        uint8_t space = e->op[op].space;
        bool has_value = au_block_has_value(b, i);
        piece thread = piece_of(e, AU_WIRE_SPACE_THREAD, b->thread[i]), obj = {0}, loc = {0};
        if (space != AU_WIRE_SPACE_NONE && b->obj[i] != AU_NONE)
            obj = piece_of(e, space, b->obj[i]);
        if (loc_id >= AU_LOC_NAMED && loc_id != AU_NONE)
            loc = piece_of(e, AU_WIRE_SPACE_LOC, loc_id - AU_LOC_NAMED);

        if (is_bad(&thread))
            return au_ink_refuse(err, b, i, "STD cannot express the name of its thread");
        if (is_bad(&obj))
            return au_ink_refuse(err, b, i, "STD cannot express the name of its operand");
        if (is_bad(&loc) || (loc.ink && !has_value && ends_in_return(&loc)))
            return au_ink_refuse(err, b, i, "STD cannot express its location");
        if (!obj.ink && space != AU_WIRE_SPACE_BLOCK && space != AU_WIRE_SPACE_NONE)
            return au_ink_refuse(err, b, i, "it has no operand");
        size_t need = FIXED + room_of(&thread) + room_of(&obj) + room_of(&loc);
        if (need > AU_TEXT_LINE_MAX)
            return au_ink_refuse(err, b, i, "its names are too long for a line of STD");

        bool whole = need <= ROOM;
        char *start = au_out_room(a->out, whole ? need : FIXED), *p = start;
        if (whole)
            p = au_ink_name(p, thread.ink, thread.table, thread.id);
        else
            put_long(a->out, &start, &p, &thread);
        *p++ = '|';
        memcpy(p, e->op[op].s, sizeof e->op[op].s);
        p += e->op[op].len;
        if (obj.ink) {
            *p++ = '(';
            if (whole)
                p = au_ink_name(p, obj.ink, obj.table, obj.id);
            else
                put_long(a->out, &start, &p, &obj);
            *p++ = ')';
        }
        *p++ = '|';
        if (loc.ink && whole)
            p = au_ink_name(p, loc.ink, loc.table, loc.id);
        else if (loc.ink)
            put_long(a->out, &start, &p, &loc);
        else if (loc_id != AU_NONE)
            p = au_ink_u64(p, loc_id);
        if (has_value) {
            *p++ = '|';
            p = au_ink_i64(p, b->value[i]);
        }
        *p++ = '\n';
        au_out_used(a->out, (size_t)(p - start));
    }
    return AU_OK;
}

static au_status finish(au_encoder *a, au_error *err) {
    (void)a, (void)err;
    return AU_OK;
}

static void free_encoder(au_encoder *a) {
    std_encoder *e = (std_encoder *)a;
    au_inks_release(&e->inks);
    free(e);
}

au_encoder *au_encode_std(au_out *out, const au_names *names) {
    std_encoder *e = AU_NEW(std_encoder);
    e->e = (au_encoder){
        .put = put, .finish = finish, .free = free_encoder, .out = out, .names = names};
    for (uint8_t space = 0; space < AU_WIRE_SPACES; space++)
        e->table[space] = au_names_space_const(names, space);
    for (au_op op = 0; op < AU_OPS; op++) {
        const char *name = au_op_name(op);
        e->op[op].len = (uint8_t)strlen(name);
        memcpy(e->op[op].s, name, e->op[op].len);
        e->op[op].space = au_op_space(op);
    }
    return &e->e;
}
