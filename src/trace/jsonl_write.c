/* trace/jsonl_write.c: events as JSON lines, one object an event, after a head line
 * (docs/formats.md). Keys that say nothing are left out. */
#include "base/json.h"
#include "trace/hooks.h"
#include "trace/reader_priv.h"

typedef struct {
    au_encoder e;
    bool begun;
    AU_VEC(uint64_t) index; /* events so far, a thread */
} jsonl_encoder;

static void put_name(au_json *j, const char *key, const au_intern *t, uint32_t id) {
    au_json_key(j, key);
    au_json_string_n(j, au_intern_str(t, id), au_intern_len(t, id));
}

static void begin(jsonl_encoder *e) {
    if (e->begun)
        return;
    e->begun = true;
    au_json j;
    au_json_init(&j, e->e.out, false);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_put_string(&j, "format", "augur-events");
    au_json_put_u64(&j, "format_version", 1);
    au_json_end_object(&j);
    au_out_char(e->e.out, '\n');
}

static au_status put(au_encoder *a, const au_block *b, au_error *err) {
    (void)err;
    jsonl_encoder *e = (jsonl_encoder *)a;
    begin(e);
    for (size_t i = 0; i < b->n; i++) {
        while (e->index.n <= b->thread[i])
            au_vec_push(&e->index, 0);
        au_json j;
        au_json_init(&j, a->out, false);
        au_json_object(&j);
        put_name(&j, "thread", &a->names->thread, b->thread[i]);
        uint64_t index = ++e->index.at[b->thread[i]];
        au_json_put_u64(&j, "index", a->hooks ? au_hooks_of(a->hooks, b->thread[i], index) : index);
        au_json_put_string(&j, "op", au_op_name(b->op[i]));
        const au_intern *space = au_names_space_const(a->names, au_op_space(b->op[i]));
        if (space && b->obj[i] != AU_NONE)
            put_name(&j, "obj", space, b->obj[i]);
        if (b->loc[i] < AU_LOC_NAMED)
            au_json_put_u64(&j, "loc", b->loc[i]);
        else if (b->loc[i] != AU_NONE)
            put_name(&j, "loc", &a->names->loc, b->loc[i] - AU_LOC_NAMED);
        if (au_block_has_value(b, i))
            au_json_put_i64(&j, "value", b->value[i]);
        au_json_end_object(&j);
        au_out_char(a->out, '\n');
    }
    return AU_OK;
}

static au_status finish(au_encoder *a, au_error *err) {
    (void)err;
    begin((jsonl_encoder *)a); /* a trace without events has its head, too */
    return AU_OK;
}

static void free_encoder(au_encoder *a) {
    jsonl_encoder *e = (jsonl_encoder *)a;
    au_vec_release(&e->index);
    free(e);
}

au_encoder *au_encode_jsonl(au_out *out, const au_names *names) {
    jsonl_encoder *e = AU_NEW(jsonl_encoder);
    e->e = (au_encoder){
        .put = put, .finish = finish, .free = free_encoder, .out = out, .names = names};
    return &e->e;
}
