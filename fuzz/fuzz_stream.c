/* Any bytes as the chunks of a recording: cut where a byte pair says, so that runs and
 * records meet chunk ends everywhere. */
#include "trace/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

enum { EVENTS = 100000, RANGE = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    au_stream *s = au_stream_new();
    au_stream_record r;
    au_error err = AU_ERROR_NONE;
    uint64_t events = 0, work = 0;
    while (n >= 2) {
        size_t k = p[0] | (size_t)p[1] << 8;
        p += 2, n -= 2;
        k = k < n ? k : n;
        /* a copy, so that reading past the end of a chunk is seen */
        uint8_t *chunk = au_alloc(k + 1);
        memcpy(chunk, p, k);
        chunk = au_realloc_array(chunk, k ? k : 1, 1);
        p += k, n -= k;
        au_stream_feed(s, chunk, k);
        au_status st;
        while ((st = au_stream_next(s, &r, &err)) == AU_OK && r.tag != AU_TAG_PAD) {
            AU_BUG_IF(r.tag == AU_TAG_RUN);
            AU_BUG_IF(r.tag == AU_TAG_EV && r.index != au_stream_index(s, r.thread));
            AU_BUG_IF(r.tag == AU_TAG_EV && r.thread >= au_stream_threads(s));
            volatile uint8_t sum = 0;
            for (size_t i = 0; i < r.n; i++)
                sum ^= r.data[i];
            work += r.tag == AU_TAG_EV && r.op >= AU_SOP_RREAD ? r.len : 0;
            if (++events > EVENTS || work > RANGE * UINT64_C(4096))
                break;
        }
        bool done = st != AU_OK || r.tag != AU_TAG_PAD;
        if (done) {
            au_stream_free(s);
            free(chunk);
            return 0;
        }
        free(chunk);
    }
    au_stream_free(s);
    return 0;
}
