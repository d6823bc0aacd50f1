/* trace/words.h: which memory several threads use in any of several runs of one program, and where
 * their accesses divide it. Given with the read options, it makes the variables of all these
 * runs the same: what one run shares or divides, all do, and names do not depend on the order of
 * threads:
 *
 *   heap(list.c:12/3)#T0.1.2+8     the second block that thread T0.1 made at place 3, list.c:12
 *   buf[3] in worker (T0.1)#2      … and its second 'buf'
 *
 * Shared memory is divided into words at least, so that every event has its value.
 * A thread's path is who made it: "T0.1" is the first thread that main made. By word of memory, so it
 * takes for granted that an object lies at one address in all runs; who merges runs checks that
 * (au_names.extent). */
#ifndef AU_TRACE_WORDS_H
#define AU_TRACE_WORDS_H

#include "base/hash.h"
#include "base/intern.h"

typedef struct au_words {
    au_intern path; /* of threads */
    au_map word;    /* number of a word: packed, words.c */
    uint32_t run;   /* of the run that is read; the caller counts */
    bool grew;      /* memory that an earlier run had touched is shared or divided now */
} au_words;

void au_words_init(au_words *w);
void au_words_release(au_words *w);
/* thread: in w->path */
void au_words_access(au_words *w, uint64_t at, uint64_t n, uint32_t thread, bool write);
/* A free: what was touched of it so far counts as written. */
void au_words_free(au_words *w, uint64_t at, uint64_t n, uint32_t thread);
/* 256 | bounds of a word that is shared; 0. */
unsigned au_words_shared(const au_words *w, uint64_t word);

#endif
