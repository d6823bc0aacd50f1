// Ways from a thread to another of which no event tells: what the kernel keeps, and memory that code without hooks reads or
// writes. A part defines 'begin', 'pass' and 'is_there'; of those that are 'followed' events tell by now.

//! umask
static void begin(void) {
    umask(0);
}
static void pass(void) {
    umask(5);
}
static int is_there(void) {
    return umask(0) == 5;
}

//! directory
static void begin(void) {
}
static void pass(void) {
    chdir("/usr");
}
static int is_there(void) {
    char at[64] = "";
    return getcwd(at, sizeof at) && !strcmp(at, "/usr");
}

//! link
static void begin(void) {
    unlink("foreign.link");
}
static void pass(void) {
    symlink("5", "foreign.link");
}
static int is_there(void) {
    char s[8];
    int n = (int)readlink("foreign.link", s, sizeof s);
    unlink("foreign.link");
    return n > 0;
}

//! made_directory
static void begin(void) {
    rmdir("foreign.dir");
}
static void pass(void) {
    mkdir("foreign.dir", 0700);
}
static int is_there(void) {
    return !rmdir("foreign.dir");
}

//! file_name
static void begin(void) {
    unlink("foreign.file");
}
static void pass(void) {
    close(open("foreign.file", O_CREAT | O_RDWR, 0600));
}
static int is_there(void) {
    int there = !access("foreign.file", F_OK);
    unlink("foreign.file");
    return there;
}

//! limit
static void begin(void) {
}
static void pass(void) {
    struct rlimit l;
    getrlimit(RLIMIT_NOFILE, &l);
    l.rlim_cur = 77;
    setrlimit(RLIMIT_NOFILE, &l);
}
static int is_there(void) {
    struct rlimit l;
    return !getrlimit(RLIMIT_NOFILE, &l) && l.rlim_cur == 77;
}

//! descriptor_flags
static int fd[2];
static void begin(void) {
    pipe(fd);
}
static void pass(void) {
    fcntl(fd[0], F_SETFL, O_NONBLOCK);
}
static int is_there(void) {
    return fcntl(fd[0], F_GETFL) & O_NONBLOCK;
}

//! semaphore_set
static int set;
static void begin(void) {
    set = semget(IPC_PRIVATE, 1, 0600);
}
static void pass(void) {
    struct sembuf up = {0, 1, 0};
    semop(set, &up, 1);
}
static int is_there(void) {
    struct sembuf down = {0, -1, IPC_NOWAIT};
    int there = !semop(set, &down, 1);
    semctl(set, 0, IPC_RMID);
    return there;
}

//! file_lock
static int one, other;
static void begin(void) {
    char again[32];
    one = memfd_create("locked", 0);
    snprintf(again, sizeof again, "/proc/self/fd/%d", one);
    other = open(again, O_RDWR);
}
static void pass(void) {
    flock(one, LOCK_SH);
}
static int is_there(void) {
    int there = flock(other, LOCK_EX | LOCK_NB);
    if (!there)
        flock(other, LOCK_UN);
    return there;
}

//! watched
static int fd[2], at;
static void begin(void) {
    pipe(fd);
    write(fd[1], "x", 1);
    at = epoll_create1(0);
}
static void pass(void) {
    struct epoll_event e = {EPOLLIN, {.fd = fd[0]}};
    epoll_ctl(at, EPOLL_CTL_ADD, fd[0], &e);
}
static int is_there(void) {
    struct epoll_event e;
    return epoll_wait(at, &e, 1, 0) == 1;
}

//! timer
static int timer;
static void begin(void) {
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
}
static void pass(void) {
    struct itimerspec t = {.it_value = {0, 1}};
    timerfd_settime(timer, 0, &t, 0);
    usleep(2000);
}
static int is_there(void) {
    uint64_t n;
    return read(timer, &n, 8) == 8;
}

//! pending_signal
static void begin(void) {
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &s, 0);
}
static void pass(void) {
    kill(getpid(), SIGUSR1);
}
static int is_there(void) {
    sigset_t s;
    return !sigpending(&s) && sigismember(&s, SIGUSR1);
}

//! raw_call
static int fd[2];
static void begin(void) {
    pipe(fd);
}
static void pass(void) {
    syscall(SYS_fcntl, fd[0], F_SETFL, O_NONBLOCK);
}
static int is_there(void) {
    return syscall(SYS_fcntl, fd[0], F_GETFL, 0) & O_NONBLOCK;
}

//! raw_read
static int fd[2];
static void begin(void) {
    pipe2(fd, O_NONBLOCK);
}
static void pass(void) {
    syscall(SYS_write, fd[1], "x", 1L);
}
static int is_there(void) {
    char c;
    return syscall(SYS_read, fd[0], &c, 1L) == 1;
}

//! child
static int fd[2];
static void begin(void) {
    pipe2(fd, O_NONBLOCK);
}
static void pass(void) {
    pid_t child = fork();
    if (!child) {
        write(fd[1], "x", 1);
        _exit(0);
    }
    waitpid(child, 0, 0);
}
static int is_there(void) {
    char c;
    return read(fd[0], &c, 1) == 1;
}

//! read_by_libc
static void begin(void) {
}
static void pass(void) {
    strcpy(word, "ab5");
}
static int is_there(void) {
    regex_t r;
    regcomp(&r, "a.5", 0);
    int there = !regexec(&r, word, 0, 0, 0);
    regfree(&r);
    return there;
}

//! pattern
static void begin(void) {
}
static void pass(void) {
    strcpy(word, "ab5");
}
static int is_there(void) {
    return !fnmatch("a*5", word, 0);
}

//! read_by_library
static void begin(void) {
}
static void pass(void) {
    word[0] = 5;
}
static int is_there(void) {
    static const unsigned char none[8];
    return crc32(0, (const unsigned char *)word, 8) != crc32(0, none, 8);
}

//! read_by_kernel
static void begin(void) {
}
static void pass(void) {
    word[0] = 5;
}
static int is_there(void) {
    char s[8];
    struct iovec to = {s, 8}, from = {word, 8};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 8 && s[0] == 5;
}

//! written_by_file
static int file;
static char *at;
static void begin(void) {
    file = memfd_create("word", 0);
    ftruncate(file, 4096);
    at = mmap(0, 4096, PROT_READ, MAP_SHARED, file, 0);
}
static void pass(void) {
    pwrite(file, "x", 1, 0);
}
static int is_there(void) {
    return at[0] == 'x';
}

//! key_deleted followed
static pthread_key_t key;
static void begin(void) {
    pthread_key_create(&key, 0);
}
static void pass(void) {
    pthread_key_delete(key);
}
static int is_there(void) {
    return pthread_setspecific(key, &y) != 0;
}

//! key_data followed
static tss_t key;
static void begin(void) {
    tss_create(&key, 0);
}
static void pass(void) {
    tss_delete(key);
}
static int is_there(void) {
    tss_set(key, &y);
    return tss_get(key) != &y;
}

//! memory_stream followed
static char *text;
static size_t length;
static FILE *stream;
static void begin(void) {
    stream = open_memstream(&text, &length);
}
static void pass(void) {
    fputs("word", stream);
    fflush(stream);
}
static int is_there(void) {
    return length == 4;
}

//! memory_stream_text
static char *text;
static size_t length;
static FILE *stream;
static void begin(void) {
    stream = open_memstream(&text, &length);
    fputs("some text", stream);
    fflush(stream);
}
static void pass(void) {
    fseek(stream, 0, SEEK_SET);
    fputs("word", stream);
    fclose(stream);
}
static int is_there(void) {
    return text[0] == 'w';
}
