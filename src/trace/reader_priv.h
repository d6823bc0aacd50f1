/* trace/reader_priv.h: what a format has to provide. Only for src/trace. */
#ifndef AU_TRACE_READER_PRIV_H
#define AU_TRACE_READER_PRIV_H

#include "base/in.h"
#include "base/out.h"
#include "trace/reader.h"

enum { AU_DECODE_EVENTS = 1 << 14 }; /* events a block, about */

/* A decoder turns bytes into events. It owns no names and no checks. */
typedef struct au_decoder au_decoder;
struct au_decoder {
    /* Appends the next events to c (which is empty) and new names to n; none at
     * the end. Malformed bytes: AU_EFORMAT with "file:line: what" or
     * "file: byte N: what". With lint set, text decoders report bad lines there,
     * leave them out and go on. */
    au_status (*next)(au_decoder *d, au_columns *c, au_names *n, au_error *err);
    /* Where event i of the block last decoded stands: a line number for text, the
     * event's number from 1 for binary formats. */
    uint64_t (*where)(const au_decoder *d, size_t i);
    void (*free)(au_decoder *d);
    bool is_text;    /* where() counts lines */
    bool incomplete; /* set at the end: a binary trace without END */
    const char *(*meta)(const au_decoder *d, const char *key); /* may be NULL */
    au_in *in;                                                 /* borrowed from the reader */
    const au_read_options *opts;
};

au_decoder *au_decode_binary(au_in *in, const au_read_options *opts, au_error *err);
au_decoder *au_decode_rapidbin(au_in *in, const au_read_options *opts, au_error *err);
au_decoder *au_decode_std(au_in *in, const au_read_options *opts, au_error *err);
au_decoder *au_decode_values(au_in *in, const au_read_options *opts, au_error *err);

/* Moves the names out of a reader that is at its end; its table is empty then. */
void au_reader_take_names(au_reader *r, au_names *to);

/* An encoder is the other direction. */
typedef struct au_encoder au_encoder;
struct au_encoder {
    au_status (*put)(au_encoder *e, const au_block *b, au_error *err);
    void (*meta)(au_encoder *e, const char *key, const char *value); /* may be NULL */
    au_status (*finish)(au_encoder *e, au_error *err); /* what belongs after the last event */
    void (*free)(au_encoder *e);
    au_out *out;           /* borrowed from the writer */
    const au_names *names; /* borrowed, grows */
};

au_encoder *au_encode_binary(au_out *out, const au_names *names, bool pack);
au_encoder *au_encode_rapidbin(au_out *out, const au_names *names);
au_encoder *au_encode_std(au_out *out, const au_names *names);
au_encoder *au_encode_values(au_out *out, const au_names *names);
au_encoder *au_encode_jsonl(au_out *out, const au_names *names);
au_encoder *au_encode_perfetto(au_out *out, const au_names *names, const char *title);

#endif
