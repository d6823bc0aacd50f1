/* trace/values_write.c: events as value-carrying text. The format has eight ops, no
 * locations, and no accesses without values: other events are refused, locations
 * are left out. */
#include "trace/text_write.h"
#include "trace/values_priv.h"

typedef struct {
    au_encoder e;
    au_inks inks;
    const char *word[AU_OPS];
} values_encoder;

static void put_name(au_out *o, const au_intern *t, uint32_t id) {
    au_out_char(o, ' ');
    au_out_write(o, au_intern_str(t, id), au_intern_len(t, id));
}

static au_status put(au_encoder *a, const au_block *b, au_error *err) {
    values_encoder *e = (values_encoder *)a;
    au_inks_update(&e->inks, a->names, " \t\r\n");
    for (size_t i = 0; i < b->n; i++) {
        au_op op = b->op[i];
        uint32_t thread = b->thread[i], obj = b->obj[i];
        bool has_value = au_block_has_value(b, i);
        if (!e->word[op])
            return au_ink_refuse(err, b, i, "the value text has no such operation");
        if (!has_value && (op == AU_OP_READ || op == AU_OP_WRITE))
            return au_ink_refuse(err, b, i, "it has no value, which the value text needs");
        if (obj == AU_NONE && has_value)
            return au_ink_refuse(err, b, i,
                                 "the value text cannot express a value without an object");
        uint8_t space = au_op_space(op);
        if (obj == AU_NONE && space != AU_WIRE_SPACE_BLOCK)
            return au_ink_refuse(err, b, i, "it has no operand");
        if (e->inks.space[AU_WIRE_SPACE_THREAD].at[thread].len == AU_INK_BAD)
            return au_ink_refuse(err, b, i, "the value text cannot express the name of its thread");
        if (obj != AU_NONE && e->inks.space[space].at[obj].len == AU_INK_BAD)
            return au_ink_refuse(err, b, i,
                                 "the value text cannot express the name of its operand");
        if (au_intern_len(&a->names->thread, thread) +
                (obj == AU_NONE ? 0 : au_intern_len(au_names_space_const(a->names, space), obj)) >
            AU_TEXT_LINE_MAX - 64)
            return au_ink_refuse(err, b, i, "its names are too long for a line of text");
        au_out_str(a->out, e->word[op]);
        put_name(a->out, &a->names->thread, thread);
        if (obj != AU_NONE)
            put_name(a->out, au_names_space_const(a->names, space), obj);
        if (has_value) {
            au_out_char(a->out, ' ');
            au_out_i64(a->out, b->value[i]);
        }
        au_out_char(a->out, '\n');
    }
    return AU_OK;
}

static au_status finish(au_encoder *a, au_error *err) {
    (void)a, (void)err;
    return AU_OK;
}

static void free_encoder(au_encoder *a) {
    values_encoder *e = (values_encoder *)a;
    au_inks_release(&e->inks);
    free(e);
}

au_encoder *au_encode_values(au_out *out, const au_names *names) {
    values_encoder *e = AU_NEW(values_encoder);
    e->e = (au_encoder){
        .put = put, .finish = finish, .free = free_encoder, .out = out, .names = names};
    for (const struct au_values_word *w = au_values_words; w->text; w++)
        e->word[w->op] = w->text;
    return &e->e;
}
