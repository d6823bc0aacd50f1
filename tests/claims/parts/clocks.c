// What never goes back: each part defines clock_open() and now(). 'fine' marks those that advance with every reading.

//! monotonic: fine
static void clock_open(void) {
}
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

//! boottime: fine
static void clock_open(void) {
}
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

//! coarse
static void clock_open(void) {
}
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

//! processor_time
static void clock_open(void) {
}
static long now(void) {
    return (long)clock();
}

//! process_clock
static void clock_open(void) {
}
static long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

//! file_grows: fine
static int f;
static void clock_open(void) {
    f = memfd_create("grows", 0);
}
static long now(void) {
    struct stat s;
    if (write(f, "x", 1) != 1 || fstat(f, &s))
        abort();
    return (long)s.st_size;
}

//! offset_grows: fine
static int f;
static void clock_open(void) {
    f = memfd_create("grows", 0);
}
static long now(void) {
    if (write(f, "x", 1) != 1)
        abort();
    return (long)lseek(f, 0, SEEK_CUR);
}

//! pipe_fills: fine
static int p[2];
static void clock_open(void) {
    if (pipe(p))
        abort();
}
static long now(void) {
    int n;
    if (write(p[1], "x", 1) != 1 || ioctl(p[0], FIONREAD, &n))
        abort();
    return n;
}

//! semaphore_grows: fine
static sem_t s;
static void clock_open(void) {
    sem_init(&s, 0, 0);
}
static long now(void) {
    int n;
    sem_post(&s);
    sem_getvalue(&s, &n);
    return n;
}

//! atomic_counter: fine
static long n;
static void clock_open(void) {
}
static long now(void) {
    return __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);
}

//! descriptor_grows: fine
static void clock_open(void) {
}
static long now(void) {
    return dup(1);
}
