/* tests/programs/fake_child.c: a program that talks to `augur record` as the runtime
 * does (wire/control.h), so that the recorder can be tested without compiler and runtime.
 *
 *   fake_child exit N        writes a few records and exits with status N
 *   fake_child fill N TEXT   publishes N chunks full of notes, then exits
 *   fake_child noise N       the same with notes that cannot be packed
 *   fake_child kill          writes half a chunk without publishing it and kills itself
 *   fake_child end WHY S     ends with the END record WHY, status S
 *   fake_child message TEXT  leaves this message
 *   fake_child silent        never touches the control memory
 *   fake_child scribble      writes nonsense into the control memory
 *   fake_child cat           copies standard input to standard output
 *   fake_child wait          says its process number, then waits for a signal
 *   fake_child args          prints arguments, directory, some environment, terminals, descriptors
 */
#include "wire/control.h"
#include "wire/stream.h"

#include <dirent.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What tells `augur record` that the runtime is linked in. */
void __augur_module(const void *m);
void __augur_module(const void *m) {
    (void)m;
}

static struct au_control *control;
static unsigned char *ring, *out, *limit;

static void attach(void) {
    struct au_control head;
    if (pread(AU_CONTROL_FD, &head, sizeof head, 0) != sizeof head ||
        memcmp(head.magic, AU_CONTROL_MAGIC, sizeof head.magic))
        return;
    void *p = mmap(NULL, head.total, PROT_READ | PROT_WRITE, MAP_SHARED, AU_CONTROL_FD, 0);
    if (p == MAP_FAILED)
        abort();
    control = p;
    ring = (unsigned char *)p + head.ring_offset;
    out = ring;
    limit = ring + AU_CHUNK_BYTES;
    control->threads = 1;
}

static uint32_t load(uint32_t *p) {
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}

static void publish(void) {
    uint32_t filled = load(&control->filled) + 1;
    __atomic_store_n(&control->filled, filled, __ATOMIC_SEQ_CST);
    if (load(&control->sleeping))
        syscall(SYS_futex, &control->filled, FUTEX_WAKE, 1, NULL, NULL, 0);
    __atomic_store_n(&control->waiting, 1, __ATOMIC_SEQ_CST);
    for (uint32_t d; filled - (d = load(&control->drained)) >= AU_CHUNKS;)
        syscall(SYS_futex, &control->drained, FUTEX_WAIT, d, NULL, NULL, 0);
    __atomic_store_n(&control->waiting, 0, __ATOMIC_SEQ_CST);
    out = ring + (size_t)(filled % AU_CHUNKS) * AU_CHUNK_BYTES;
    limit = out + AU_CHUNK_BYTES;
}

/* true if a chunk was published on the way */
static int note(const char *text) {
    size_t n = strlen(text);
    int published = (size_t)(limit - out) < n + 16;
    if (published)
        publish();
    *out++ = AU_TAG_NOTE;
    *out++ = AU_NOTE_TEXT;
    out = au_put_v(out, n);
    memcpy(out, text, n);
    out += n;
    control->logged++;
    control->events++;
    control->bytes += n + 3;
    return published;
}

static void finish(uint8_t why, int64_t status) {
    *out++ = AU_TAG_END;
    *out++ = why;
    out = au_put_v(out, au_zigzag(status));
    control->ended = 1u + why;
    control->status = (int32_t)status;
    publish();
}

static void print_facts(int argc, char **argv) {
    char cwd[4096];
    for (int i = 2; i < argc; i++)
        printf("argument '%s'\n", argv[i]);
    printf("cwd %s\n", getcwd(cwd, sizeof cwd) ? cwd : "?");
    printf("FAKE=%s\n", getenv("FAKE") ? getenv("FAKE") : "(none)");
    printf("terminals %d %d\n", isatty(0), isatty(1));
    printf("here %d\n", (int)((uintptr_t)&cwd >> 4 & 0xffff));
    DIR *d = opendir("/proc/self/fd");
    int own = d ? dirfd(d) : -1;
    for (struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.' && atoi(e->d_name) != own)
            printf("descriptor %s\n", e->d_name);
    if (d)
        closedir(d);
}

static void copy_input(void) {
    char buf[4096];
    for (size_t n; (n = fread(buf, 1, sizeof buf, stdin)) > 0;)
        fwrite(buf, 1, n, stdout);
    fflush(stdout);
}

static void on_signal(int sig) {
    if (control) {
        note("signal");
        finish(AU_END_SIGNAL, sig);
    }
    _exit(sig == SIGTERM ? 40 : 41);
}

static void run(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "exit";
    if (control)
        note("hello");
    if (!strcmp(mode, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(mode, "crash"))
        abort();
    if (!strcmp(mode, "args"))
        print_facts(argc, argv);
    if (!strcmp(mode, "cat"))
        copy_input();
    if (!strcmp(mode, "wait")) {
        signal(SIGTERM, on_signal);
        signal(SIGINT, on_signal);
        printf("%ld\n", (long)getpid());
        fflush(stdout);
        for (;;)
            pause();
    }
    if (!control)
        return;
    if (!strcmp(mode, "message"))
        snprintf(control->message, sizeof control->message, "%s", argv[2]);
    if (!strcmp(mode, "scribble")) {
        __atomic_store_n(&control->filled, 77777, __ATOMIC_SEQ_CST);
        exit(0);
    }
    if (!strcmp(mode, "noise")) {
        uint64_t x = 88172645463325252u;
        char text[4096];
        for (int chunks = atoi(argv[2]); chunks > 0;) {
            for (size_t i = 0; i < sizeof text - 1; i++) {
                x ^= x << 13;
                x ^= x >> 7;
                x ^= x << 17;
                text[i] = (char)(1 + x % 255);
            }
            text[sizeof text - 1] = 0;
            chunks -= note(text);
        }
    }
    for (int chunks = !strcmp(mode, "fill") ? atoi(argv[2]) : 0; chunks > 0;)
        chunks -= note(argc > 3 ? argv[3] : "x");
}

int main(int argc, char **argv) {
    if (argc > 1 && !strcmp(argv[1], "silent"))
        return 0;
    attach();
    run(argc, argv);
    int status = argc > 2 && !strcmp(argv[1], "exit") ? atoi(argv[2]) : 0;
    if (control && argc > 3 && !strcmp(argv[1], "end"))
        finish((uint8_t)atoi(argv[2]), atoi(argv[3]));
    else if (control)
        finish(AU_END_EXIT, status);
    return status;
}
