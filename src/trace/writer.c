#include "trace/writer.h"

#include "base/alloc.h"

#include "trace/reader_priv.h"

struct au_writer {
    au_out *out;
    au_encoder *encoder;
};

static au_encoder *encoder_of(au_out *out, const au_write_options *o, const au_names *names) {
    switch (o->format) {
    case AU_FORMAT_BINARY:
        return au_encode_binary(out, names, o->pack);
    case AU_FORMAT_STD:
        return au_encode_std(out, names);
    case AU_FORMAT_RAPIDBIN:
        return au_encode_rapidbin(out, names);
    case AU_FORMAT_VALUES:
        return au_encode_values(out, names);
    case AU_FORMAT_JSONL:
        return au_encode_jsonl(out, names);
    case AU_FORMAT_PERFETTO:
        return au_encode_perfetto(out, names, o->title);
    case AU_FORMAT_AUTO:
        break;
    }
    AU_BUG_IF(o->format == AU_FORMAT_AUTO);
    return NULL;
}

au_writer *au_writer_to(au_out *out, const au_write_options *opts, const au_names *names) {
    au_writer *w = AU_NEW(au_writer);
    w->out = out;
    w->encoder = encoder_of(out, opts, names);
    w->encoder->hooks = opts->hooks;
    return w;
}

au_writer *au_writer_open(const char *path, const au_write_options *opts, const au_names *names,
                          au_error *err) {
    au_out *out = au_out_open(path, err);
    if (!out)
        return NULL;
    au_out_pack(out, au_pack_by_path(path));
    return au_writer_to(out, opts, names);
}

static au_status out_trouble(au_out *out, au_error *err) {
    return au_out_failed(out) ? au_out_flush(out, err) : AU_OK;
}

au_status au_writer_put(au_writer *w, const au_block *b, au_error *err) {
    au_status st = w->encoder->put(w->encoder, b, err);
    /* A full disk is told at once, not after another hour of writing. */
    return st == AU_OK ? out_trouble(w->out, err) : st;
}

void au_writer_meta(au_writer *w, const char *key, const char *value) {
    if (w->encoder->meta)
        w->encoder->meta(w->encoder, key, value);
}

au_status au_writer_finish(au_writer *w, au_error *err) {
    au_status st = w->encoder->finish(w->encoder, err);
    w->encoder->free(w->encoder);
    free(w);
    return st;
}

au_status au_writer_close(au_writer *w, au_error *err) {
    au_out *out = w->out;
    au_status st = au_writer_finish(w, err);
    if (st == AU_OK)
        st = au_out_commit(out, err);
    else
        au_out_abandon(out);
    return st;
}

void au_writer_abandon(au_writer *w) {
    if (!w)
        return;
    w->encoder->free(w->encoder);
    au_out_abandon(w->out);
    free(w);
}
