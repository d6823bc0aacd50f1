/* tests/soak/fault.c: see fault.h. */
#include "fault.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

typedef struct {
    const char *name;
    int number;
} named;

static const named calls[] = {
    {"read", SYS_read},
    {"write", SYS_write},
    {"pread64", SYS_pread64},
    {"pwrite64", SYS_pwrite64},
    {"openat", SYS_openat},
    {"mmap", SYS_mmap},
    {"brk", SYS_brk},
    {"mremap", SYS_mremap},
    {"munmap", SYS_munmap},
    {"mprotect", SYS_mprotect},
    {"fsync", SYS_fsync},
    {"fdatasync", SYS_fdatasync},
    {"ftruncate", SYS_ftruncate},
    {"rename", SYS_rename},
    {"renameat", SYS_renameat},
    {"poll", SYS_poll},
    {"futex", SYS_futex},
    {"wait4", SYS_wait4},
    {"clone", SYS_clone},
    {"clone3", SYS_clone3},
    {"pipe2", SYS_pipe2},
    {"mkdir", SYS_mkdir},
    {"fcntl", SYS_fcntl},
    {"flock", SYS_flock},
    {"memfd_create", SYS_memfd_create},
    {"execve", SYS_execve},
    {"unlink", SYS_unlink},
    {"getdents64", SYS_getdents64},
    {"newfstatat", SYS_newfstatat},
    {"lseek", SYS_lseek},
};
static const named errors[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},       {"EINTR", EINTR},
                               {"ENOMEM", ENOMEM}, {"EMFILE", EMFILE}, {"EAGAIN", EAGAIN},
                               {"EDQUOT", EDQUOT}, {"EACCES", EACCES}};
static const char *const commands[ON_ALL] = {"cc",      "record", "check",   "replay",
                                             "confirm", "run",    "explore", "scan"};
static const char *const whos[WHO_ALL] = {"tool", "worker", "program", "trace"};
/* How it is written: what, how. */
static const struct {
    const char *what, *how, *kind;
} hows[BY_ALL] = {[BY_SHORT] = {NULL, "SHORT", "short"},     [BY_KILL] = {NULL, "KILL", "kill"},
                  [BY_NULL] = {"malloc", "NULL", "malloc"},  [BY_SPACE] = {"space", "KIB", "full"},
                  [BY_MEMORY] = {"memory", "MIB", "memory"}, [BY_CUT] = {"cut", "BYTE", "cut"},
                  [BY_FLIP] = {"flip", "BIT", "flip"},       [BY_STOP] = {"stop", "MS", "stop"},
                  [BY_TERM] = {"term", "MS", "term"}};

static const char *name_of(const named *list, size_t n, int number) {
    for (size_t i = 0; i < n; i++)
        if (list[i].number == number)
            return list[i].name;
    return "?";
}
static int number_of(const named *list, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i].name, name))
            return list[i].number;
    return -1;
}
#define LIST(l) l, sizeof l / sizeof *l

const char *soak_kind(const soak_fault *f) {
    if (f->how != BY_ERRNO)
        return hows[f->how].kind;
    if (f->error == ENOMEM)
        return "mmap";
    return f->error == ENOSPC || f->error == EINTR || f->error == EIO
               ? name_of(LIST(errors), f->error)
               : "other";
}

bool soak_is_call(const soak_fault *f) {
    return f->how == BY_ERRNO || f->how == BY_SHORT || f->how == BY_KILL;
}

bool soak_is_removal(const soak_fault *f) {
    return f->call == SYS_unlink || f->call == SYS_openat || f->call == SYS_getdents64;
}

const char *soak_fault_text(const soak_fault *f, char *to, size_t n) {
    const char *what = hows[f->how].what, *how = hows[f->how].how;
    if (!what)
        what = name_of(LIST(calls), f->call);
    if (f->how == BY_ERRNO)
        how = name_of(LIST(errors), f->error);
    snprintf(to, n, "%s/%s/%s/%s/%llu%s", commands[f->command], whos[f->who], what, how,
             (unsigned long long)f->n, f->onwards ? "+" : "");
    return to;
}

static int among(const char *const *list, int n, const char *name) {
    for (int i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return i;
    return -1;
}

bool soak_fault_parse(const char *text, soak_fault *f) {
    char command[20], who[20], what[20], how[20], number[24], *end;
    if (sscanf(text, "%19[^/]/%19[^/]/%19[^/]/%19[^/]/%23s", command, who, what, how, number) != 5)
        return false;
    int c = among(commands, ON_ALL, command), w = among(whos, WHO_ALL, who);
    *f = (soak_fault){.n = strtoull(number, &end, 10), .onwards = *end == '+'};
    f->call = number_of(LIST(calls), what);
    f->error = number_of(LIST(errors), how);
    f->how = BY_ALL;
    if (f->call >= 0 && f->error > 0)
        f->how = BY_ERRNO;
    for (int i = 0; i < BY_ALL; i++)
        if (hows[i].how && !strcmp(hows[i].how, how) &&
            (hows[i].what ? !strcmp(hows[i].what, what) : f->call >= 0))
            f->how = (soak_how)i;
    if (c < 0 || w < 0 || f->how == BY_ALL || !f->n)
        return false;
    f->command = (soak_command)c;
    f->who = (soak_who)w;
    return true;
}

/* --- choosing --------------------------------------------------------------------------------- */

typedef struct {
    int call, error;
} failure;

static const failure in_tool[] = {{SYS_write, ENOSPC},     {SYS_write, ENOSPC},
                                  {SYS_write, EIO},        {SYS_write, EINTR},
                                  {SYS_read, EIO},         {SYS_read, EINTR},
                                  {SYS_pread64, EIO},      {SYS_pread64, EINTR},
                                  {SYS_pwrite64, ENOSPC},  {SYS_pwrite64, EIO},
                                  {SYS_pwrite64, EINTR},   {SYS_openat, ENOSPC},
                                  {SYS_openat, EMFILE},    {SYS_openat, EINTR},
                                  {SYS_openat, EACCES},    {SYS_mmap, ENOMEM},
                                  {SYS_mmap, ENOMEM},      {SYS_mremap, ENOMEM},
                                  {SYS_fsync, EIO},        {SYS_fsync, EINTR},
                                  {SYS_fsync, ENOSPC},     {SYS_fdatasync, EIO},
                                  {SYS_ftruncate, ENOSPC}, {SYS_ftruncate, EINTR},
                                  {SYS_rename, ENOSPC},    {SYS_rename, EIO},
                                  {SYS_poll, EINTR},       {SYS_poll, ENOMEM},
                                  {SYS_futex, EINTR},      {SYS_futex, EAGAIN},
                                  {SYS_wait4, EINTR},      {SYS_clone, EAGAIN},
                                  {SYS_clone3, EAGAIN},    {SYS_pipe2, EMFILE},
                                  {SYS_mkdir, ENOSPC},     {SYS_fcntl, EINTR},
                                  {SYS_flock, EINTR},      {SYS_memfd_create, EMFILE},
                                  {SYS_execve, ENOMEM},    {SYS_unlink, EIO},
                                  {SYS_getdents64, EIO},   {SYS_newfstatat, EIO},
                                  {SYS_lseek, EIO}};
/* The runtime's own; what the program itself asks for may fail for the program. */
static const failure in_program[] = {
    {SYS_futex, EINTR},   {SYS_futex, EINTR}, {SYS_mmap, ENOMEM},     {SYS_clone3, EAGAIN},
    {SYS_openat, EMFILE}, {SYS_read, EINTR},  {SYS_mprotect, ENOMEM}, {SYS_pread64, EINTR}};
static const int kill_at[] = {SYS_write,    SYS_read,   SYS_openat, SYS_mmap,   SYS_futex,
                              SYS_pwrite64, SYS_rename, SYS_fsync,  SYS_poll,   SYS_wait4,
                              SYS_munmap,   SYS_brk,    SYS_clone,  SYS_clone3, SYS_unlink,
                              SYS_mkdir,    SYS_fcntl};

static uint64_t which(au_rng *r, const soak_seen *seen, const soak_fault *f) {
    uint32_t most = seen->seen[f->command][f->who][f->call & 511];
    if (!most)
        most = 1u << (1 + au_rng_below(r, 6));
    return 1 + au_rng_below(r, most + most / 16 + 1);
}

static void choose_call(au_rng *r, const soak_seen *seen, soak_fault *f) {
    if (f->how == BY_KILL) {
        f->call = kill_at[au_rng_below(r, sizeof kill_at / sizeof *kill_at)];
    } else if (f->how == BY_SHORT) {
        f->call = au_rng_below(r, 3) ? SYS_write : SYS_pwrite64;
    } else {
        const failure *x = f->who == WHO_PROGRAM
                               ? &in_program[au_rng_below(r, sizeof in_program / sizeof(failure))]
                               : &in_tool[au_rng_below(r, sizeof in_tool / sizeof(failure))];
        f->call = x->call;
        f->error = x->error;
        f->onwards = f->error != EINTR && f->error != EAGAIN && !au_rng_below(r, 3);
    }
    f->n = which(r, seen, f);
}

void soak_fault_choose(au_rng *r, soak_command on, const soak_can *can, const soak_seen *seen,
                       uint64_t trace_bytes, soak_fault *f) {
    bool reads = on == ON_CHECK || on == ON_REPLAY, executes = on != ON_CC && on != ON_CHECK;
    bool reports = on == ON_CHECK || on == ON_RUN || on == ON_EXPLORE || on == ON_SCAN;
    for (;;) {
        *f = (soak_fault){.command = on, .who = WHO_TOOL};
        uint32_t dice = au_rng_below(r, 100);
        if (dice < 50) {
            f->how = au_rng_below(r, 8) ? BY_ERRNO : BY_SHORT;
            if (executes && !au_rng_below(r, 3) && f->how == BY_ERRNO)
                f->who = WHO_PROGRAM;
            else if (on != ON_RECORD && on != ON_CC && !au_rng_below(r, 4))
                f->who = WHO_WORKER;
        } else if (dice < 65) {
            f->how = BY_KILL;
            uint32_t whom = au_rng_below(r, 3);
            f->who = whom == 0                                ? WHO_WORKER
                     : whom == 1 && (executes || on == ON_CC) ? WHO_PROGRAM /* or clang */
                                                              : WHO_TOOL;
        } else if (dice < 75 && can->memory && on != ON_CC) {
            f->how = BY_NULL;
            f->n = 1 + au_rng_below(r, 1u << (4 + au_rng_below(r, 11)));
            f->onwards = !au_rng_below(r, 3);
        } else if (dice < 79 && can->memory && !executes && on != ON_CC) {
            f->how = BY_MEMORY;
            f->n = 40 + au_rng_below(r, 400);
        } else if (dice < 86 && can->mounts) {
            f->how = BY_SPACE;
            f->n = 4 + au_rng_below(r, 1u << (3 + au_rng_below(r, on == ON_CC ? 8 : 5)));
        } else if (dice < 90 && reads) {
            f->who = WHO_TRACE;
            f->how = au_rng_below(r, 2) ? BY_CUT : BY_FLIP;
            f->n = 1 + au_rng_next(r) % (f->how == BY_CUT ? trace_bytes : 8 * trace_bytes);
        } else if (dice >= 90 && reports) {
            f->how = BY_TERM;
            f->n = 1 + au_rng_below(r, 1u << (1 + au_rng_below(r, 10)));
        } else if (dice >= 96) {
            f->how = BY_STOP;
            f->n = 1 + au_rng_below(r, 8);
        } else {
            continue;
        }
        if (soak_is_call(f) && !can->calls)
            continue;
        if (soak_is_call(f))
            choose_call(r, seen, f);
        /* A sanitizer's own memory must not fail. */
        if (!can->memory && (f->error == ENOMEM || f->call == SYS_mmap))
            continue;
        return;
    }
}
