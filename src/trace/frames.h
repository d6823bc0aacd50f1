/* trace/frames.h: the frames of a binary file (wire/wire.h), checked and unpacked.
 *
 * Nothing is believed before it is checked: a frame's sizes are bounded by the format, its
 * bytes must be there and have the right checksum before they are unpacked. What is in a
 * payload is the caller's to check. */
#ifndef AU_TRACE_FRAMES_H
#define AU_TRACE_FRAMES_H

#include "base/in.h"
#include "base/vec.h"
#include "wire/wire.h"

typedef struct {
    uint8_t kind; /* AU_WIRE_*; 0: there is no frame any more */
    uint32_t count;
    const char *p; /* the payload, borrowed until the next call */
    size_t n;
} au_frame;

typedef struct {
    au_in *in; /* borrowed */
    bool partial;
    bool again;      /* rewound: META entries are not added twice */
    bool ended;      /* the END frame was handed out, or the file was cut */
    bool incomplete; /* it was cut (only with 'partial', else that is an error) */
    uint64_t at;     /* where the current frame starts, for messages */
    void *zstd;
    char *raw;
    size_t raw_cap, step;
    AU_VEC(struct au_meta_entry {
        char *key;
        char *value;
    })
    meta; /* of the META frames so far */
} au_frames;

/* Reads the head; *features as it says, all of them in 'known'. once: a recording that comes through a pipe is
 * not read to its end first, and cannot be rewound. */
au_status au_frames_start(au_frames *f, au_in *in, bool partial, bool once, uint32_t known,
                          uint32_t *features, au_error *err);
void au_frames_release(au_frames *f);
/* META frames are kept (au_frames_meta) and handed out, too. */
au_status au_frames_next(au_frames *f, au_frame *out, au_error *err);
const char *au_frames_meta(const au_frames *f, const char *key); /* NULL: no such entry */
/* To the first frame again; AU_EUNSUPPORTED for pipes. */
au_status au_frames_rewind(au_frames *f, au_error *err);

/* AU_EFORMAT with "file: byte N: what", N being where the frame starts. */
au_status au_frames_bad(const au_frames *f, au_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
