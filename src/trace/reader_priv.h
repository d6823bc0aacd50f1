/* trace/reader_priv.h: what a format has to provide. Only for src/trace. */
#ifndef AU_TRACE_READER_PRIV_H
#define AU_TRACE_READER_PRIV_H

#include "base/in.h"
#include "base/out.h"
#include "trace/frames.h"
#include "trace/reader.h"

enum { AU_DECODE_EVENTS = 1 << 14 }; /* events a block, about */
enum { AU_TEXT_LINE_MAX = 1 << 20 }; /* bytes a line of text, without its end */

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
    /* There will be no 'next' any more: gives back what only that needs. May be NULL. */
    void (*leave)(au_decoder *d);
    bool is_text;     /* where() counts lines */
    size_t bounded;   /* not 0: no call adds more events than this */
    bool incomplete;  /* set at the end: a binary trace without END */
    bool cut;         /* the time was over (au_late) */
    bool online;      /* one pass (recording_online.c) … */
    uint64_t divided; /* … cells that were divided later */
    const char *(*meta)(const au_decoder *d, const char *key); /* may be NULL */
    const struct au_recording_facts *facts;                    /* recordings only … */
    struct au_hooks *hooks;                                    /* … else NULL */
    au_in *in;                                                 /* borrowed from the reader */
    const au_read_options *opts;
};

au_decoder *au_decode_binary(au_in *in, const au_read_options *opts, au_error *err);
/* A recording whose head has been read: takes the frames over. recording_decode.c */
au_decoder *au_decode_recording(au_frames *f, const au_read_options *opts, au_error *err);
au_decoder *au_decode_online(au_frames *f, const au_read_options *opts); /* recording_online.c */
void au_recording_sites(const au_decoder *d,
                        void (*each)(void *ctx, const char *file, uint32_t line,
                                     const char *function),
                        void *ctx);
const char *au_recording_function(const au_decoder *d, uint64_t module, uint32_t site);
au_decoder *au_decode_rapidbin(au_in *in, const au_read_options *opts, au_error *err);
au_decoder *au_decode_std(au_in *in, const au_read_options *opts, au_error *err);
au_decoder *au_decode_values(au_in *in, const au_read_options *opts, au_error *err);

/* The next events, appended to c; false in *more at the end. What a trace in
 * memory is loaded with: binary formats decode straight into c. */
au_status au_reader_append(au_reader *r, au_columns *c, bool *more, au_error *err);
/* Room for at least this many events behind those of c, as columns of their own
 * (which must not grow), and what was written there made part of c. *touched is
 * the caller's, 0 at first. */
au_columns au_columns_tail(au_columns *c, size_t room, size_t *touched);
void au_columns_take_tail(au_columns *c, const au_columns *tail);
/* How many events the bytes of the file may hold, 0 if unknown: a hint. */
uint64_t au_reader_guess(const au_reader *r);

/* Nothing more is read: it is at its end, and keeps what can still be asked for. */
void au_reader_leave(au_reader *r);
/* Moves the names out of a reader that is at its end; its table is empty then. */
void au_reader_take_names(au_reader *r, au_names *to);
void au_reader_take_hooks(au_reader *r, struct au_hooks *to);

/* An encoder is the other direction. */
typedef struct au_encoder au_encoder;
struct au_encoder {
    au_status (*put)(au_encoder *e, const au_block *b, au_error *err);
    void (*meta)(au_encoder *e, const char *key, const char *value); /* may be NULL */
    au_status (*finish)(au_encoder *e, au_error *err); /* what belongs after the last event */
    void (*free)(au_encoder *e);
    au_out *out;                  /* borrowed from the writer */
    const au_names *names;        /* borrowed, grows */
    const struct au_hooks *hooks; /* borrowed, grows; NULL: indexes are events' own */
};

au_encoder *au_encode_binary(au_out *out, const au_names *names, bool pack);
au_encoder *au_encode_rapidbin(au_out *out, const au_names *names);
au_encoder *au_encode_std(au_out *out, const au_names *names);
au_encoder *au_encode_values(au_out *out, const au_names *names);
au_encoder *au_encode_jsonl(au_out *out, const au_names *names);
au_encoder *au_encode_perfetto(au_out *out, const au_names *names, const char *title);

#endif
