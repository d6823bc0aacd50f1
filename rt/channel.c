/* SPDX-License-Identifier: MIT
 *
 * rt/channel.c: pipes, pairs of sockets and event counters that only this process has, as memory (wire/channel.h).
 * The shadow of a channel's window holds what was sent. What is received is compared with it: if somebody else
 * sent or received, too (a child, a library's own calls, a writer that was still inside of its call), the
 * channel is lost for good, and its calls are told by their buffers alone, as those of any descriptor. */
#include "rt/channel.h"

#include "rt/encode.h"
#include "rt/policy.h"
#include "wire/channel.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 65536, MESSAGES = 64, PATIENCE = 10000 };

struct channel {
    uint64_t window;
    uint64_t sent, received; /* bytes */
    uint64_t told;           /* so many of them have their way told; UINT64_MAX: all so far */
    uint64_t start;          /* counters: what is left of the first value */
    uint64_t taken;          /* semaphores: of the counter's first message */
    uint64_t weight;         /* of what is on its way, at most (au_channel_weight) */
    uint32_t receivers;      /* inside of their calls */
    uint32_t generation;
    uint8_t kind, lost, semaphore;
    uint8_t owes; /* lost while something was on its way that is not held to its value yet */
    uint8_t first, messages; /* packets on their way, a ring */
    uint32_t length[MESSAGES];
};
static struct channel *all;
static uint32_t made, generation = 1;
static uint16_t slots[AU_CHANNEL_KINDS][AU_CHANNEL_THREADS];
static int resized; /* some pipe or socket: nothing is known of room any more */

void rt_channels_shared(void) {
    generation++;
}

/* ---- which one ---- */

/* Keys that are neither addresses nor those of io.c: channels by inode and direction, counters by the
 * kernel's number of them. */
static const void *key_of(uint64_t number, unsigned what) {
    return (const void *)(uintptr_t)(UINT64_C(1) << 62 | number << 3 | what);
}
enum { TO_SEND, TO_RECEIVE, COUNTER, A_FILE, UNSEEN };

static struct channel *make(unsigned kind) {
    uint64_t thread = rt_hot.self->number;
    if (thread >= AU_CHANNEL_THREADS || made == MOST)
        return NULL;
    uint16_t *slot = &slots[kind][thread];
    if (*slot + 1u >= AU_CHANNEL_SLOTS)
        return NULL;
    if (!all) {
        all = mmap(NULL, MOST * sizeof *all, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (all == MAP_FAILED)
            rt_die("no memory for channels");
    }
    struct channel *c = &all[made++];
    *c = (struct channel){.window = au_channel_at(kind, thread, ++*slot),
                          .told = UINT64_MAX,
                          .kind = (uint8_t)kind,
                          .generation = generation};
    return c;
}

static void remember(int fd, unsigned what, const struct channel *c) {
    struct stat st;
    if (rt_real.fstat(fd, &st) == 0)
        rt_table_set(key_of(st.st_ino, what), c ? (uint64_t)(c - all) + 1 : 0);
}

static void connect_ends(int from, int to, unsigned kind) {
    struct channel *c = make(kind);
    remember(from, TO_SEND, c);
    remember(to, TO_RECEIVE, c);
}

void rt_channel_pipe(const int *ends) {
    if (!(rt_real.fcntl(ends[1], F_GETFL) & O_DIRECT))
        connect_ends(ends[1], ends[0], AU_CHANNEL_PIPE);
}

void rt_channel_pair(const int *ends, int type) {
    type &= ~(SOCK_CLOEXEC | SOCK_NONBLOCK);
    unsigned kind = type == SOCK_STREAM ? AU_CHANNEL_STREAM : AU_CHANNEL_PACKETS;
    connect_ends(ends[0], ends[1], kind);
    connect_ends(ends[1], ends[0], kind);
}

/* The kernel numbers event counters, but only tells in a text. 0: it is none. */
static uint64_t counter_number(int fd) {
    char path[40], text[512], *at;
    snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    int f = rt_real.open(path, O_RDONLY | O_CLOEXEC);
    if (f < 0)
        return 0;
    ssize_t n = rt_real.read(f, text, sizeof text - 1);
    close(f);
    text[n > 0 ? n : 0] = 0;
    uint64_t number = 0;
    if (!(at = strstr(text, "eventfd-id:")))
        return 0;
    for (at += strlen("eventfd-id:"); *at == ' ' || *at == '\t'; at++)
        ;
    for (; *at >= '0' && *at <= '9'; at++)
        number = 10 * number + (uint64_t)(*at - '0');
    return number + 1;
}

/* No point and no event, as for pipes. */
RT_EXPORT int eventfd(unsigned value, int flags) {
    int fd = rt_real.eventfd(value, flags);
    if (fd >= 0 && rt_enter()) {
        uint64_t number = counter_number(fd);
        struct channel *c = number ? make(AU_CHANNEL_COUNTER) : NULL;
        if (c) {
            c->start = value;
            c->semaphore = (flags & EFD_SEMAPHORE) != 0;
            rt_table_set(key_of(number, COUNTER), (uint64_t)(c - all) + 1);
        }
        rt_leave(0);
    }
    return fd;
}

static const void *file_key(const struct stat *st) {
    return key_of((st->st_ino ^ st->st_dev << 48) & (UINT64_MAX >> 4), A_FILE);
}

static struct channel *find_file(const struct stat *st) {
    const void *key = file_key(st);
    uint64_t k = rt_table_get(key);
    struct channel *c = k ? &all[k - 1] : make(AU_CHANNEL_FILE);
    if (!k && c)
        rt_table_set(key, (uint64_t)(c - all) + 1);
    return c;
}

/* *talks: what is sent there may come back, whether or not it is followed. */
static struct channel *find(int fd, int receives, int *talks) {
    struct stat st;
    *talks = 0;
    if (rt_real.fstat(fd, &st)) {
        *talks = 1; /* somebody has closed it */
        return NULL;
    }
    if (S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode) || S_ISCHR(st.st_mode))
        return NULL;
    uint64_t k = 0, number;
    if (S_ISREG(st.st_mode))
        return fd > STDERR_FILENO && (*talks = 1) ? find_file(&st) : NULL;
    if (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode)) {
        *talks = fd > STDERR_FILENO;
        k = rt_table_get(key_of(st.st_ino, receives ? TO_RECEIVE : TO_SEND));
    } else if ((number = counter_number(fd))) {
        *talks = 1;
        k = rt_table_get(key_of(number, COUNTER));
    }
    return k ? &all[k - 1] : NULL;
}

static void lose(struct channel *c) {
    if (!c || c->lost)
        return;
    c->lost = 1;
    c->owes = c->received < c->sent && c->received < c->told;
}

static int followed(struct channel *c) {
    if (c && (c->generation != generation || c->kind == AU_CHANNEL_FILE))
        lose(c);
    return c && !c->lost;
}

/* ---- telling ---- */

static void *place(const struct channel *c, uint64_t number) {
    return (void *)(uintptr_t)(c->window + number % AU_CHANNEL_RING);
}
static uint8_t *contents(const struct channel *c, uint64_t number) {
    return (uint8_t *)(uintptr_t)rt_shadow(place(c, number));
}

/* So many bytes from 'number' on lie in one piece. */
static size_t in_one_piece(uint64_t number, size_t n) {
    uint64_t room = AU_CHANNEL_RING - number % AU_CHANNEL_RING;
    return n < room ? n : (size_t)room;
}

/* A read of the window, which is no memory; of length 0: the call came up to here. */
static void tell_read(const struct channel *c, uint64_t number, size_t n) {
    rt_log(rt_call_site(rt_hot.self), AU_SOP_RREAD, 0, (uint64_t)(uintptr_t)place(c, number), 0,
           (uint32_t)n, NULL);
}

/* What is on its way when the channel is lost may come back by a call whose bytes nobody follows: it is read here, so
 * that it is what it was. */
static void tell_code(struct channel *c, unsigned code) {
    if (c && c->kind == AU_CHANNEL_FILE)
        code |= AU_CHANNEL_NOW;
    uint64_t at = au_channel_code(c ? c->window : AU_CHANNEL_NONE, code);
    rt_log(rt_call_site(rt_hot.self), AU_SOP_RREAD, 0, at, 0, 0, NULL);
    if (!c || !c->owes)
        return;
    c->owes = 0;
    uint64_t end = c->sent < c->told ? c->sent : c->told;
    tell_read(c, c->received, (size_t)(end - c->received));
}

/* How much room there is must be known, or that there is always some: a counter holds who would add too much to it. */
static int fits(const struct channel *c, const void *p, size_t n) {
    uint64_t value = 0;
    if (c->kind == AU_CHANNEL_COUNTER && n == sizeof value)
        rt_copy_bytes(&value, p, n);
    return c->sent - c->received + n <= AU_CHANNEL_RING && value <= UINT32_MAX &&
           (c->kind != AU_CHANNEL_PACKETS || (n && c->messages < MESSAGES)) &&
           (c->kind == AU_CHANNEL_COUNTER ? n == 8 : !resized);
}

/* A socket or pipe as a kind of channel; AU_CHANNEL_KINDS: whoever sends there does not wait. */
static unsigned kind_of(int fd, mode_t mode) {
    int type = 0, domain = 0;
    socklen_t n = sizeof type;
    if (S_ISFIFO(mode))
        return rt_real.fcntl(fd, F_GETFL) & O_DIRECT ? AU_CHANNEL_PACKETS : AU_CHANNEL_PIPE;
    if (!S_ISSOCK(mode))
        return AU_CHANNEL_KINDS;
    rt_real.getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n);
    n = sizeof domain;
    rt_real.getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n);
    if (type == SOCK_STREAM)
        return AU_CHANNEL_STREAM;
    return type == SOCK_DGRAM && domain != AF_UNIX ? AU_CHANNEL_KINDS : AU_CHANNEL_PACKETS;
}

/* Of n bytes, 'done' went where nobody follows them. Could they do so only because somebody had made room? All
 * that has gone there like this is counted: who took out how much is not known. */
static int may_have_waited(int fd, const struct channel *c, size_t done, size_t n) {
    struct stat st;
    if (!done || rt_real.fstat(fd, &st))
        return 0;
    if (c && c->kind == AU_CHANNEL_COUNTER)
        return 1;
    unsigned kind = kind_of(fd, st.st_mode);
    if (kind == AU_CHANNEL_KINDS)
        return 0;
    const void *key = key_of(st.st_ino, UNSEEN);
    uint64_t all_of_it = rt_table_get(key);
    if (!all_of_it && c)
        all_of_it = c->weight;
    all_of_it += au_channel_weight(kind, done);
    rt_table_set(key, all_of_it);
    return resized || done < n || all_of_it > au_channel_room(kind);
}

/* Nobody listens any more, say. */
static unsigned broken(const struct rt_call *call) {
    return call->result < 0 && call->error != EAGAIN && call->error != EINTR ? AU_CHANNEL_BROKEN
                                                                             : 0;
}

static void tell_unseen(struct channel *c, const struct rt_call *call, int fd, size_t n) {
    size_t done = call->result > 0 ? (size_t)call->result : 0;
    tell_code(c, AU_CHANNEL_LOST | broken(call) |
                     (may_have_waited(fd, c, done, n) ? AU_CHANNEL_HELD : 0));
}

/* What was sent, though nobody is told. */
static void keep(const struct channel *c, const void *p, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t piece = in_one_piece(c->sent + at, n - at);
        rt_copy_bytes(contents(c, c->sent + at), (const char *)p + at, piece);
        at += piece;
    }
}

void rt_channel_receives(struct rt_call *call, int fd) {
    int talks;
    struct channel *c = rt_hot.on ? find(fd, 1, &talks) : NULL;
    if (!followed(c))
        return;
    c->receivers++;
    call->receives = (uint32_t)(c - all) + 1;
}

int rt_channel_is_shared(const struct rt_call *call) {
    return call->receives && all[call->receives - 1].receivers > 1;
}

void rt_channel_wants_all(int fd, size_t n) {
    int talks;
    struct channel *c = rt_hot.on ? find(fd, 1, &talks) : NULL;
    if (followed(c) && au_channel_weight(c->kind, n) > au_channel_room(c->kind))
        lose(c);
}

void rt_channel_has_received(struct rt_call *call) {
    if (call->receives)
        all[call->receives - 1].receivers--;
    call->receives = 0;
}

/* The kernel had room for it only because somebody received who has not told yet: that comes first. Whoever waits
 * for bytes while some are on their way is on its own way back. */
static void let_receivers_tell(struct channel *c, size_t n) {
    const struct timespec little = {0, 100000};
    for (int i = 0;
         c->receivers && c->weight + au_channel_weight(c->kind, n) > au_channel_room(c->kind) &&
         i < PATIENCE;
         i++) {
        rt_detach();
        rt_real.nanosleep(&little, NULL);
        rt_attach();
    }
}

int64_t rt_channel_sent(struct rt_call *call, int fd, const void *p, size_t n) {
    size_t done = call->result > 0 ? (size_t)call->result : 0;
    int talks;
    struct channel *c = rt_hot.on ? find(fd, 0, &talks) : NULL;
    if (!rt_hot.on || (!talks && !c))
        return rt_call_end(call, AU_SOP_RREAD, p, done);
    if (followed(c) && done && !rt_replaying())
        let_receivers_tell(c, done);
    if (followed(c) && done && !fits(c, p, done))
        lose(c);
    if (!followed(c)) {
        tell_unseen(c, call, fd, n);
        return rt_call_end(call, AU_SOP_RREAD, p, done);
    }
    /* An error other than "full" is none of the channel's. */
    int full = (call->result < 0 && call->error == EAGAIN) || (done && done < n);
    tell_code(c, full ? AU_CHANNEL_EDGE : call->result < 0 ? AU_CHANNEL_LOST | broken(call) : 0);
    if (c->kind == AU_CHANNEL_PACKETS && done)
        c->length[(c->first + c->messages++) % MESSAGES] = (uint32_t)done;
    if (c->told == UINT64_MAX && (done > AU_CHANNEL_LARGE || c->sent + done > AU_CHANNEL_MUCH))
        c->told = c->sent;
    if (done)
        rt_tell(AU_SOP_RREAD, p, done);
    if (done && c->sent < c->told)
        rt_tell_copy(place(c, c->sent), p, done);
    else if (done)
        keep(c, p, done);
    c->sent += done;
    if (done)
        c->weight += au_channel_weight(c->kind, done);
    if (c->sent > c->told)
        tell_read(c, c->sent, 0);
    return rt_call_end(call, AU_SOP_RREAD, p, 0);
}

/* ---- receiving ---- */

static int holds(const struct channel *c, const void *p, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t piece = in_one_piece(c->received + at, n - at);
        if (!rt_same_bytes((const uint8_t *)p + at, contents(c, c->received + at), piece))
            return 0;
        at += piece;
    }
    return 1;
}

static uint64_t message(const struct channel *c, uint64_t number) {
    uint64_t v;
    rt_copy_bytes(&v, contents(c, number), sizeof v);
    return v;
}

static int tell_all(const struct channel *c, uint64_t end) {
    return end <= c->told;
}

/* These were received: reads of what is told of them. */
static void tell_got(const struct channel *c, uint64_t number, size_t n) {
    if (number < c->told)
        tell_read(c, number, tell_all(c, number + n) ? n : (size_t)(c->told - number));
    if (!tell_all(c, number + n))
        tell_read(c, number + n, 0);
}

/* One of what is there: of the first value, else of the first message. */
static void take_one(struct channel *c) {
    if (c->start) {
        c->start--;
        return;
    }
    tell_got(c, c->received, 8);
    if (++c->taken == message(c, c->received)) {
        c->taken = 0;
        c->received += 8;
    }
}

/* A counter: all that was added since, or (a semaphore) one of it. */
static int64_t count(struct rt_call *call, struct channel *c, void *p) {
    uint64_t sum = c->start - c->taken, value;
    rt_copy_bytes(&value, p, sizeof value);
    for (uint64_t i = c->received; i < c->sent; i += 8)
        sum += message(c, i);
    int right = c->semaphore ? value == 1 && sum : value == sum;
    if (c->semaphore && right) {
        tell_code(c, AU_CHANNEL_RECEIVES);
        take_one(c);
        rt_tell(AU_SOP_RWRITE, p, sizeof value);
        return rt_call_end(call, AU_SOP_RWRITE, p, 0);
    }
    tell_code(c, AU_CHANNEL_RECEIVES | AU_CHANNEL_EDGE | (right ? 0 : AU_CHANNEL_LOST));
    int one = right && c->sent == c->received + 8 && !c->start && tell_all(c, c->sent);
    for (; c->received < c->sent; c->received += 8) {
        tell_got(c, c->received, 8);
        if (one)
            rt_tell_copy(p, place(c, c->received), 8);
    }
    c->start = c->taken = 0;
    if (!one)
        rt_tell(AU_SOP_RWRITE, p, sizeof value);
    return rt_call_end(call, AU_SOP_RWRITE, p, 0);
}

int64_t rt_channel_received(struct rt_call *call, int fd, void *p, size_t n, size_t got,
                            int flags) {
    int talks, peeked = flags & MSG_PEEK, no_wait = flags & MSG_DONTWAIT;
    struct channel *c = rt_hot.on ? find(fd, 1, &talks) : NULL;
    if (!rt_hot.on || (!talks && !c))
        return rt_call_end(call, AU_SOP_RWRITE, p, got);
    int packets = c && c->kind == AU_CHANNEL_PACKETS;
    if (followed(c) && got && c->kind != AU_CHANNEL_COUNTER) {
        uint64_t there = c->sent - c->received;
        if (packets)
            there = c->messages ? c->length[c->first] : 0;
        if (got > there || (packets && n >= there && got != there) || !holds(c, p, got))
            lose(c);
    }
    if (!followed(c)) {
        tell_code(c, AU_CHANNEL_RECEIVES | AU_CHANNEL_LOST);
        return rt_call_end(call, AU_SOP_RWRITE, p, got);
    }
    if (!got) { /* the end, an error, nothing there: what others did besides sending */
        tell_code(c, AU_CHANNEL_RECEIVES | AU_CHANNEL_EDGE | AU_CHANNEL_LOST);
        return rt_call_end(call, AU_SOP_RWRITE, p, 0);
    }
    if (c->kind == AU_CHANNEL_COUNTER)
        return count(call, c, p);
    int edge = peeked || (!packets && got < n);
    int waits = !no_wait && !(rt_real.fcntl(fd, F_GETFL) & O_NONBLOCK);
    tell_code(c,
              AU_CHANNEL_RECEIVES | (edge ? AU_CHANNEL_EDGE : 0) | (waits ? AU_CHANNEL_WAITS : 0));
    tell_got(c, c->received, got);
    if (tell_all(c, c->received + got))
        rt_tell_copy(p, place(c, c->received), got);
    else
        rt_tell(AU_SOP_RWRITE, p, got);
    if (!peeked && packets) {
        c->received += c->length[c->first];
        c->first = (c->first + 1) % MESSAGES;
        c->messages--;
        c->weight--;
    } else if (!peeked) {
        c->received += got;
        c->weight = c->received == c->sent ? 0 : c->weight - got;
    }
    return rt_call_end(call, AU_SOP_RWRITE, p, 0);
}

void rt_channel_lost(int fd, int receives) {
    int talks;
    struct channel *c = rt_hot.on ? find(fd, receives, &talks) : NULL;
    if (!rt_hot.on || (!talks && !c))
        return;
    lose(c);
    tell_code(c, (receives ? AU_CHANNEL_RECEIVES : 0) | AU_CHANNEL_LOST);
}

void rt_channel_lost_sent(const struct rt_call *call, int fd, size_t n) {
    int talks;
    struct channel *c = rt_hot.on ? find(fd, 0, &talks) : NULL;
    if (!rt_hot.on || (!talks && !c))
        return;
    lose(c);
    tell_unseen(c, call, fd, n);
}

void rt_channel_held(int inside) {
    if (rt_hot.on)
        tell_code(NULL, AU_CHANNEL_LOST | AU_CHANNEL_HELD | (inside ? AU_CHANNEL_NOW : 0));
}

void rt_channel_resized(void) {
    resized = 1;
}

void rt_channel_passed(int fd, size_t n, int stay) {
    int talks;
    struct channel *c = rt_hot.on ? find(fd, 1, &talks) : NULL;
    int bytes = c && (c->kind == AU_CHANNEL_PIPE || c->kind == AU_CHANNEL_STREAM);
    if (!followed(c) || !bytes || n > c->sent - c->received) {
        rt_channel_lost(fd, 1);
        return;
    }
    tell_code(c, AU_CHANNEL_RECEIVES | AU_CHANNEL_EDGE);
    tell_got(c, c->received, n);
    if (stay)
        return;
    c->received += n;
    c->weight = c->received == c->sent ? 0 : c->weight - n;
}

void rt_channel_file(const struct stat *s, int asks, int opened) {
    if (!rt_hot.on || !S_ISREG(s->st_mode) || (!opened && !rt_table_get(file_key(s))))
        return;
    tell_code(find_file(s), (asks ? AU_CHANNEL_RECEIVES : 0) | AU_CHANNEL_LOST);
}

void rt_channel_looked(int fd, int receives) {
    int talks;
    struct channel *c = rt_hot.on && fd >= 0 ? find(fd, receives, &talks) : NULL;
    if (followed(c))
        tell_code(c, (receives ? AU_CHANNEL_RECEIVES : 0) | AU_CHANNEL_EDGE | AU_CHANNEL_LOST |
                         AU_CHANNEL_NOW);
}
