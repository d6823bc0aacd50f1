// A thread writes y and then passes a word on, in a critical section; another looks for the word in one, and writes y if
// it is there: the writes are ordered. No event tells how the word goes (the part says: 'pass', 'is_there').
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <pthread.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>
#include <zlib.h>

static int y;
static char word[8];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
