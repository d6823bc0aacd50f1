/* Files are read again in a replay; two threads write their own halves.
 *
 * EXIT 0
 * OUT aaaabbbb 8 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int fd;

static void *work(void *half) {
    char text[4];
    int k = *(int *)half;
    memset(text, 'a' + k, sizeof text);
    flock(fd, LOCK_EX);
    if (pwrite(fd, text, sizeof text, 4 * k) != 4)
        abort();
    flock(fd, LOCK_UN);
    return NULL;
}

int main(void) {
    char name[] = "/tmp/augur-test-XXXXXX", back[16] = "";
    static int half[2] = {0, 1};
    pthread_t t[2];
    fd = mkstemp(name);
    if (fd < 0 || unlink(name))
        return 1;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(fd, F_SETLKW, &whole) != 0 || fcntl(fd, F_GETFL) < 0)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &half[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    if (pread(fd, back, 8, 0) != 8 || lseek(fd, 0, SEEK_SET) != 0)
        return 3;
    char whole_text[16] = "";
    ssize_t n = read(fd, whole_text, sizeof whole_text);
    printf("%s %zd\n", back, n);
    return strcmp(back, whole_text) != 0;
}
