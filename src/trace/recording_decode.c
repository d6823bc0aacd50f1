/* trace/recording_decode.c: a recording as trace events. */
#include "trace/reader_priv.h"

au_decoder *au_decode_recording(au_frames *f, const au_read_options *opts, au_error *err) {
    (void)opts;
    au_error_set(err, AU_EUNSUPPORTED, "%s: a recording, not a trace", au_in_name(f->in));
    au_frames_release(f);
    return NULL;
}
