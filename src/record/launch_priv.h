/* record/launch_priv.h: between the files of launch only. */
#ifndef AU_RECORD_LAUNCH_PRIV_H
#define AU_RECORD_LAUNCH_PRIV_H

#include "record/launch.h"

typedef struct au_attendant au_attendant;

/* What the attendant carries. Descriptors are its own from au_attendant_start on; -1: none. */
typedef struct {
    int in_from, in_to; /* standard input: from in_from (or feed) into the pipe in_to */
    int out_from[3];    /* [1], [2]: from the pipe or terminal … */
    int out_to[3];      /* … to these, which stay the tool's; -1: nowhere */
    const char *feed;
    size_t feed_size;
    au_tee *tee;
    au_tee *said[3]; /* [1], [2]: what is carried is kept here, too; may be NULL */
} au_carry;

/* 'wake' is woken (futex) at the end. NULL and errno if the thread cannot be started: then the descriptors
 * stay the caller's. */
au_attendant *au_attendant_start(pid_t pid, const au_carry *c, uint32_t *wake);
bool au_attendant_ended(const au_attendant *a);
/* Joins and frees. waitpid's status. */
int au_attendant_join(au_attendant *a);

void au_signals_forward(pid_t pid);
void au_signals_restore(void);

#endif
