/* trace/recording_read.h: the frames of a recording (wire.h, AU_WIRE_FEATURE_STREAM), one after
 * the other, checked and unpacked. What the records in them mean is trace/stream.h's. */
#ifndef AU_TRACE_RECORDING_READ_H
#define AU_TRACE_RECORDING_READ_H

#include "base/error.h"
#include "wire/wire.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct au_recording_in au_recording_in;

/* NULL on failure, *err set; AU_EUNSUPPORTED if it is a trace but no recording. META has
 * been read then. */
au_recording_in *au_recording_open(const char *path, au_error *err);
void au_recording_free(au_recording_in *r);
const char *au_recording_meta_of(const au_recording_in *r, const char *key); /* or NULL */
const char *au_recording_name(const au_recording_in *r);

typedef struct {
    uint8_t kind; /* AU_WIRE_STREAM, _TABLES, _STDIN; 0 at the end */
    uint32_t count;
    const char *at; /* borrowed until the next call */
    size_t n;
} au_recording_frame;

/* META and unknown frames are passed over; a recording that was cut off ends where it was. */
au_status au_recording_next(au_recording_in *r, au_recording_frame *f, au_error *err);
/* After the end: was there no END frame? */
bool au_recording_cut(const au_recording_in *r);

#endif
