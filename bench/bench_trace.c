/* bench/bench_trace.c: how fast binary traces are written, decoded, checked and
 * loaded on one core.
 *
 *     bench_trace [events] [file]
 *
 * Writes a synthetic valid trace (8 threads, 1000 variables, 50 locks, a third
 * of the events lock operations, the rest accesses, 2000 locations) and then
 * reads it, best of 5 of each pass. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/rng.h"
#include "trace/reader_priv.h"
#include "trace/trace.h"
#include "trace/validate.h"
#include "trace/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { THREADS = 8, VARS = 1000, LOCKS = 50, LOCS = 2000, REPEAT = 5, BLOCK = 1 << 14 };

static void name_all(au_intern *t, char letter, unsigned n) {
    char s[16];
    for (unsigned i = 0; i < n; i++)
        au_intern_add(t, s, (size_t)snprintf(s, sizeof s, "%c%u", letter, i));
}

static void die(const au_error *err) {
    fprintf(stderr, "bench_trace: %s\n", err->text);
    exit(3);
}

static void generate(const char *path, uint64_t events) {
    au_error err = AU_ERROR_NONE;
    au_names names;
    au_names_init(&names);
    name_all(&names.thread, 'T', THREADS);
    name_all(&names.var, 'V', VARS);
    name_all(&names.lock, 'L', LOCKS);
    au_write_options opts = {.format = AU_FORMAT_BINARY, .pack = true};
    au_writer *w = au_writer_open(path, &opts, &names, &err);
    if (!w)
        die(&err);
    au_columns c;
    au_columns_init(&c);
    au_rng rng;
    au_rng_init(&rng, 1);
    uint32_t held[THREADS] = {0}; /* 1 + the lock */
    bool busy[LOCKS] = {0};
    double writing = 0;
    for (uint64_t done = 0; done < events; done += c.n) {
        au_columns_clear(&c);
        size_t n = events - done < BLOCK ? (size_t)(events - done) : BLOCK;
        for (size_t i = 0; i < n; i++) {
            uint64_t r = au_rng_next(&rng);
            uint16_t t = r % THREADS;
            uint32_t loc = (r >> 8) % LOCS, lock = (r >> 24) % LOCKS;
            if ((r >> 40) % 3 || (!held[t] && busy[lock])) {
                au_columns_push(&c, r >> 63 ? AU_OP_READ : AU_OP_WRITE, t, (r >> 44) % VARS, loc,
                                NULL);
            } else if (held[t]) {
                au_columns_push(&c, AU_OP_REL, t, held[t] - 1, loc, NULL);
                busy[held[t] - 1] = false;
                held[t] = 0;
            } else {
                au_columns_push(&c, AU_OP_ACQ, t, lock, loc, NULL);
                busy[lock] = true;
                held[t] = lock + 1;
            }
        }
        au_block b = au_columns_block(&c, 0, c.n);
        double start = au_now();
        if (au_writer_put(w, &b, &err) != AU_OK)
            die(&err);
        writing += au_now() - start;
    }
    double start = au_now();
    if (au_writer_close(w, &err) != AU_OK)
        die(&err);
    writing += au_now() - start;
    struct stat st;
    double size = stat(path, &st) ? 0 : (double)st.st_size;
    printf("%-22s %7.1f million events/s   %.2f bytes/event\n", "write",
           (double)events / writing / 1e6, size / (double)events);
    au_columns_release(&c);
    au_names_release(&names);
}

static uint64_t decode_only(const char *path) {
    au_error err = AU_ERROR_NONE;
    au_read_options opts = {0};
    au_names names;
    au_names_init(&names);
    au_in *in = au_in_open(path, &err);
    au_decoder *d = in ? au_decode_binary(in, &opts, &err) : NULL;
    if (!d)
        die(&err);
    au_columns c;
    au_columns_init(&c);
    uint64_t n = 0;
    do {
        au_columns_clear(&c);
        if (d->next(d, &c, &names, &err) != AU_OK)
            die(&err);
        n += c.n;
    } while (c.n);
    d->free(d);
    au_in_close(in);
    au_columns_release(&c);
    au_names_release(&names);
    return n;
}

static uint64_t stream(const char *path) {
    au_error err = AU_ERROR_NONE;
    au_reader *r = au_reader_open(path, NULL, &err);
    if (!r)
        die(&err);
    uint64_t n = 0;
    au_block b;
    do {
        if (au_reader_next(r, &b, &err) != AU_OK)
            die(&err);
        n += b.n;
    } while (b.n);
    au_reader_free(r);
    return n;
}

static uint64_t load(const char *path) {
    au_error err = AU_ERROR_NONE;
    au_trace *t = au_trace_load(path, NULL, &err);
    if (!t)
        die(&err);
    uint64_t n = t->events.n;
    au_trace_free(t);
    return n;
}

static void measure(const char *what, uint64_t (*pass)(const char *), const char *path) {
    double best = 1e9;
    uint64_t n = 0;
    for (int i = 0; i < REPEAT; i++) {
        double start = au_now();
        n = pass(path);
        double s = au_now() - start;
        best = s < best ? s : best;
    }
    printf("%-22s %7.1f million events/s   peak %.1f MiB\n", what, (double)n / best / 1e6,
           (double)au_peak_kib() / 1024);
}

int main(int argc, char **argv) {
    uint64_t events = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    char *path = argc > 2 ? au_strdup(argv[2]) : au_sprintf("bench-%ld.trace", (long)getpid());
    generate(path, events);
    measure("decode", decode_only, path);
    measure("decode and check", stream, path);
    measure("load into memory", load, path);
    if (argc <= 2)
        unlink(path);
    free(path);
    return 0;
}
