/* What the system knows about files differs in a replay: times of access, inodes of files
 * made anew; and so do time used and load.
 *
 * EXIT 0 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <sys/times.h>
#include <unistd.h>

static unsigned long mix;

static void stir(const void *p, size_t n) {
    const unsigned char *b = p;
    while (n--)
        mix = mix * 1099511628211u + *b++;
}

static void *work(void *unused) {
    struct rusage u;
    struct tms t;
    struct sysinfo s;
    double load[3];
    if (getrusage(RUSAGE_SELF, &u) || times(&t) == (clock_t)-1 || sysinfo(&s))
        exit(3);
    stir(&u.ru_utime, sizeof u.ru_utime);
    stir(&u.ru_minflt, sizeof u.ru_minflt);
    stir(&s.uptime, sizeof s.uptime);
    stir(&s.freeram, sizeof s.freeram);
    int n = getloadavg(load, 3);
    for (int i = 0; i < n; i++)
        stir(&load[i], sizeof *load);
    return unused;
}

int main(void) {
    struct stat s;
    struct statx x;
    const char *name = "stat.made";
    for (int i = 0; i < 3; i++) { /* a new file each time, often with another inode */
        int fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
        if (fd < 0 || write(fd, "text", 4) != 4 || fstat(fd, &s))
            return 1;
        stir(&s.st_ino, sizeof s.st_ino);
        stir(&s.st_mtim, sizeof s.st_mtim);
        if (stat(name, &s) || lstat(name, &s) || fstatat(AT_FDCWD, name, &s, 0) ||
            statx(AT_FDCWD, name, 0, STATX_ALL, &x))
            return 2;
        stir(&s.st_ctim, sizeof s.st_ctim);
        stir(&x.stx_btime, sizeof x.stx_btime);
        close(fd);
        unlink(name);
    }
    if (!stat("no/such/file", &s))
        return 4;
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("%lx\n", mix);
    return 0;
}
