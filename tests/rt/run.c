#include "rt/run.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- memory as the stream told it: 4 KB pages in a hash table ---- */

struct page {
    uint64_t number;
    uint8_t byte[4096];
    struct page *next;
};
static struct page *page[65536];

static uint8_t *byte_at(uint64_t a) {
    uint64_t n = a >> 12;
    struct page **p = &page[(n ^ n >> 16) & 65535];
    while (*p && (*p)->number != n)
        p = &(*p)->next;
    if (!*p) {
        *p = calloc(1, sizeof **p);
        (*p)->number = n;
    }
    return &(*p)->byte[a & 4095];
}

static void forget_memory(void) {
    for (unsigned i = 0; i < 65536; i++)
        while (page[i]) {
            struct page *p = page[i];
            page[i] = p->next;
            free(p);
        }
}

/* ---- the decoder ---- */

#define SITES (1u << 20)
#define THREADS 65536u
struct decoder {
    struct rt_run *r;
    struct au_site *site;
    uint32_t prev[THREADS]; /* site id, 0: none */
    uint64_t count[THREADS];
    uint8_t known[THREADS];
    uint32_t thread;
    int started;
    uint64_t patch_end;
    size_t cap, cap_turns;
};

static int fail(struct decoder *d, const char *what) {
    snprintf(d->r->error, sizeof d->r->error, "%s (after event %zu)", what, d->r->n_ev);
    return -1;
}

static void emit(struct decoder *d, struct au_site *s, uint64_t address, uint64_t value,
                 const uint8_t *data) {
    struct rt_run *r = d->r;
    if (r->n_ev == d->cap) {
        d->cap = d->cap ? 2 * d->cap : 1024;
        r->ev = realloc(r->ev, d->cap * sizeof *r->ev);
    }
    if (!r->n_made || r->made[r->n_made - 1].thread != d->thread) {
        if (r->n_made == d->cap_turns) {
            d->cap_turns = d->cap_turns ? 2 * d->cap_turns : 64;
            r->made = realloc(r->made, d->cap_turns * sizeof *r->made);
        }
        r->made[r->n_made++] = (struct au_wire_turn){.thread = d->thread};
    }
    uint64_t n = ++d->count[d->thread];
    r->made[r->n_made - 1].until = n;
    switch (s->op) {
    case AU_OP_READ:
    case AU_OP_AREAD:
        value = 0;
        for (unsigned i = 0; i < s->size && i < 8; i++)
            value |= (uint64_t)*byte_at(address + i) << 8 * i;
        break;
    case AU_OP_WRITE:
    case AU_OP_AWRITE:
    case AU_OP_RMW:
        for (unsigned i = 0; i < s->size && i < 8; i++)
            *byte_at(address + i) = (uint8_t)(value >> 8 * i);
        break;
    case AU_SOP_RWRITE:
        for (uint64_t i = 0; i < s->len; i++)
            *byte_at(address + i) = data[i];
        break;
    case AU_SOP_RSET:
        for (uint64_t i = 0; i < s->len; i++)
            *byte_at(address + i) = (uint8_t)value;
        break;
    case AU_SOP_RCOPY: {
        uint8_t *copy = malloc(s->len + 1);
        for (uint64_t i = 0; i < s->len; i++)
            copy[i] = *byte_at(value + i);
        for (uint64_t i = 0; i < s->len; i++)
            *byte_at(address + i) = copy[i];
        free(copy);
        break;
    }
    }
    r->ev[r->n_ev++] = (struct rt_ev){.thread = d->thread,
                                      .site = s->id,
                                      .n = n,
                                      .op = s->op,
                                      .size = s->size,
                                      .address = address,
                                      .value = value,
                                      .len = s->len};
}

static int expected(struct decoder *d) {
    uint32_t prev = d->prev[d->thread];
    if (!prev)
        return fail(d, "a run before the first site");
    uint32_t id = d->site[prev].succ;
    if (!id)
        return fail(d, "a run where no successor is known");
    struct au_site *s = &d->site[id];
    uint64_t address = s->pred, value = s->val;
    au_site_hit_address(s);
    if (!au_sop_is_read(s->op))
        au_site_hit_value(s);
    d->prev[d->thread] = id;
    emit(d, s, address, value, NULL);
    return 0;
}

#define V(x)                                                                                       \
    if (!(p = au_get_v(p, end, &(x))))                                                             \
    return fail(d, "bad number")

static int event(struct decoder *d, unsigned f, const uint8_t **at, const uint8_t *end) {
    const uint8_t *p = *at;
    uint64_t x;
    uint32_t prev = d->prev[d->thread], id = prev ? d->site[prev].succ : 0;
    if (f & AU_EV_SITE) {
        V(x);
        if (!x || x >= SITES)
            return fail(d, "bad site");
        id = (uint32_t)x;
    }
    if (!id)
        return fail(d, "event without a site");
    if (prev)
        d->site[prev].succ = id;
    struct au_site *s = &d->site[id];
    s->id = id;
    if (f & AU_EV_OP) {
        if (end - p < 2)
            return fail(d, "cut");
        s->op = *p++;
        s->size = *p++;
    }
    uint64_t address = s->pred, value = s->val;
    if (f & AU_EV_ADDR) {
        V(x);
        address += (uint64_t)au_unzigzag(x);
        au_site_miss_address(s, address);
    } else
        au_site_hit_address(s);
    if (f & AU_EV_VAL) {
        V(x);
        value += (uint64_t)au_unzigzag(x);
        au_site_miss_value(s, value);
    } else if (!au_sop_is_read(s->op))
        au_site_hit_value(s);
    if (f & AU_EV_LEN) {
        V(x);
        s->len = (uint32_t)x;
    }
    const uint8_t *data = p;
    if (f & AU_EV_DATA) {
        if ((uint64_t)(end - p) < s->len)
            return fail(d, "cut data");
        p += s->len;
    }
    d->prev[d->thread] = id;
    emit(d, s, address, value, data);
    *at = p;
    return 0;
}

static int chunk(struct decoder *d, const uint8_t *p, const uint8_t *end) {
    struct rt_run *r = d->r;
    uint64_t x, y;
    while (p < end && *p) {
        const uint8_t *begin = p;
        uint8_t t = *p++;
        r->records++;
        if (r->has_end)
            return fail(d, "a record behind the end");
        if (!(t & AU_TAG_EV) && t != AU_TAG_THREAD && t != AU_TAG_TURN && !d->started)
            return fail(d, "a record before the first turn");
        switch (t) {
        case AU_TAG_RUN:
            V(x);
            r->runs++;
            while (x--)
                if (expected(d) != 0)
                    return -1;
            break;
        case AU_TAG_TURN:
            V(x);
            if (x >= THREADS || !d->known[x])
                return fail(d, "turn of an unknown thread");
            d->thread = (uint32_t)x;
            d->started = 1;
            r->stolen += *p++ == AU_TURN_STOLEN;
            break;
        case AU_TAG_THREAD: {
            V(x);
            if (x >= THREADS || d->known[x])
                return fail(d, "thread told twice");
            d->known[x] = 1;
            V(y);
            V(y);
            V(y);
            break;
        }
        case AU_TAG_OBJ:
            V(x);
            p++;
            V(x);
            break;
        case AU_TAG_PATCH:
            V(x);
            V(y);
            x = d->patch_end + (uint64_t)au_unzigzag(x);
            if ((uint64_t)(end - p) < y)
                return fail(d, "cut patch");
            for (uint64_t i = 0; i < y; i++)
                *byte_at(x + i) = p[i];
            p += y;
            d->patch_end = x + y;
            r->patches++;
            break;
        case AU_TAG_BITS:
            V(x);
            for (uint64_t i = 0; i < x; i++, r->bits++)
                if (r->bits < sizeof r->bit)
                    r->bit[r->bits] = p[i / 8] >> (i % 8) & 1;
            p += (x + 7) / 8;
            break;
        case AU_TAG_INPUT: {
            p++;
            V(x);
            V(x);
            V(y);
            if ((uint64_t)(end - p) < y)
                return fail(d, "cut input");
            p += y;
            size_t n = (size_t)(p - begin);
            r->fed = realloc(r->fed, r->n_fed + n + 10);
            uint8_t *q = au_put_v(r->fed + r->n_fed, d->thread);
            memcpy(q, begin, n);
            r->n_fed = (size_t)(q - r->fed) + n;
            break;
        }
        case AU_TAG_MODULE:
            p += 8;
            V(x);
            V(x);
            V(x);
            while (x--)
                V(y);
            V(y);
            p += y;
            break;
        case AU_TAG_NOTE:
            p++;
            V(x);
            p += x;
            r->notes++;
            break;
        case AU_TAG_END:
            r->has_end = 1;
            r->end_why = *p++;
            V(x);
            r->end_status = au_unzigzag(x);
            break;
        default:
            if (!(t & AU_TAG_EV))
                return fail(d, "unknown tag");
            if (!d->started)
                return fail(d, "an event before the first turn");
            if (event(d, t & 0x7fu, &p, end) != 0)
                return -1;
        }
        if (p > end)
            return fail(d, "cut");
    }
    return 0;
}

/* ---- the run ---- */

static char *slurp(int fd) {
    size_t n = 0, cap = 65536;
    char *s = malloc(cap);
    lseek(fd, 0, SEEK_SET);
    ssize_t k;
    while ((k = read(fd, s + n, cap - n - 1)) > 0)
        if ((n += (size_t)k) + 1 == cap)
            s = realloc(s, cap *= 2);
    s[n] = 0;
    return s;
}

int rt_run(struct rt_run *r, char *const argv[]) {
    size_t head = 4096, ring = (size_t)AU_CHUNKS * AU_CHUNK_BYTES;
    size_t turns = r->options.n_turns * sizeof *r->turns;
    size_t total = head + ring + turns + r->options.inputs_size;
    int fd = memfd_create("control", 0), out = memfd_create("out", 0);
    if (fd < 0 || out < 0 || ftruncate(fd, (off_t)total) != 0)
        return -1;
    uint8_t *base = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return -1;
    struct au_control *c = (void *)base;
    *c = r->options;
    memcpy(c->magic, AU_CONTROL_MAGIC, 8);
    c->version = AU_CONTROL_VERSION;
    if (!c->mode)
        c->mode = AU_MODE_RECORD;
    c->ring_offset = head;
    c->turns_offset = head + ring;
    c->inputs_offset = c->turns_offset + turns;
    c->total = total;
    if (turns)
        memcpy(base + c->turns_offset, r->turns, turns);
    if (c->inputs_size)
        memcpy(base + c->inputs_offset, r->inputs, c->inputs_size);

    pid_t pid = fork();
    if (pid == 0) {
        personality(ADDR_NO_RANDOMIZE);
        dup2(fd, AU_CONTROL_FD);
        dup2(out, 1);
        alarm(1200); /* a hang fails the test */
        execv(argv[0], argv);
        _exit(127);
    }
    struct decoder *d = calloc(1, sizeof *d);
    d->r = r;
    d->site = calloc(SITES, sizeof *d->site);
    uint32_t done = 0;
    int over = 0, bad = 0;
    while (!over || done != __atomic_load_n(&c->filled, __ATOMIC_ACQUIRE)) {
        uint32_t filled = __atomic_load_n(&c->filled, __ATOMIC_ACQUIRE);
        if (done == filled) {
            if (waitpid(pid, &r->wait_status, WNOHANG) == pid)
                over = 1;
            else
                usleep(200);
            if (c->stopped && !c->resume) {
                r->stops++;
                c->resume = 1;
                syscall(SYS_futex, &c->resume, FUTEX_WAKE, 1, NULL, NULL, 0);
            }
            continue;
        }
        uint8_t *p = base + head + (size_t)(done % AU_CHUNKS) * AU_CHUNK_BYTES;
        bad = bad || (!r->skip && chunk(d, p, p + AU_CHUNK_BYTES) != 0);
        memset(p, 0, AU_CHUNK_BYTES);
        __atomic_store_n(&c->drained, ++done, __ATOMIC_SEQ_CST);
        /* a real drainer sleeps and is woken; this one looks again and again */
    }
    uint8_t *p = base + head + (size_t)(done % AU_CHUNKS) * AU_CHUNK_BYTES;
    if (!bad && !r->has_end && !r->skip)
        bad = chunk(d, p, p + AU_CHUNK_BYTES) != 0; /* what a killed program had begun */
    r->bytes = c->bytes;
    r->control = *c;
    memcpy(r->message, c->message, sizeof r->message);
    r->message[sizeof r->message - 1] = 0;
    r->out = slurp(out);
    forget_memory();
    free(d->site);
    free(d);
    munmap(base, total);
    close(fd);
    close(out);
    return bad ? -1 : 0;
}

void rt_run_release(struct rt_run *r) {
    free(r->ev);
    free(r->made);
    free(r->fed);
    free(r->out);
    *r = (struct rt_run){.n_ev = 0};
}

int rt_ev_equal(const struct rt_ev *a, const struct rt_ev *b) {
    return a->thread == b->thread && a->site == b->site && a->n == b->n && a->op == b->op &&
           a->size == b->size && a->address == b->address && a->value == b->value &&
           a->len == b->len;
}

void rt_run_print(const struct rt_run *r) {
    static const char *const name[] = {
#define NAME(num, id, text, space) [num] = text,
        AU_WIRE_OPS(NAME)[AU_SOP_RREAD] = "rread",
        [AU_SOP_RWRITE] = "rwrite",
        [AU_SOP_RSET] = "rset",
        [AU_SOP_RCOPY] = "rcopy",
        [AU_SOP_FRAME] = "frame",
        [AU_SOP_LAND] = "land",
        [AU_SOP_FAIL] = "fail"};
    for (size_t i = 0; i < r->n_ev; i++) {
        const struct rt_ev *e = &r->ev[i];
        printf("T%u %llu site %u %s/%u 0x%llx = %llx len %llu\n", e->thread,
               (unsigned long long)e->n, e->site,
               e->op < sizeof name / sizeof *name && name[e->op] ? name[e->op] : "?", e->size,
               (unsigned long long)e->address, (unsigned long long)e->value,
               (unsigned long long)e->len);
    }
}
