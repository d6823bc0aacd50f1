/* trace/recording_talk.c: threads that talk to each other through the kernel: what one writes into a
 * pipe, another reads. The recording does not say which bytes went where, so it is taken to
 * be as strict as it can have been: a call that hears comes after all calls that sent
 * before it in the run. In the trace a sending call is the first of a 'once' of its own, and
 * a hearing one waits for the last of every other thread.
 *
 * Which functions send and hear says the column 'channel' of wire/libc.def.
 *
 * Nothing of this if no call hears anything once there are two threads (the survey tells): output
 * alone orders nobody. */
#include "trace/recording_priv.h"

#include <stdio.h>

void au_talk_survey(au_recording *d, const au_place *p) {
    if (p->talk & AU_CHANNEL_HEARS && d->facts.thread.n > 1)
        d->talk.needed = true;
}

void au_talk_call(au_recording *d, const au_place *p, uint16_t thread) {
    if (!d->talk.needed || !p->talk)
        return;
    au_rec_thread *t = &d->thread.at[thread];
    t->hears = p->talk & AU_CHANNEL_HEARS;
    if (!(p->talk & AU_CHANNEL_SENDS))
        return;
    char name[120];
    snprintf(name, sizeof name, "%.80s by T%u",
             au_tables_text(p->tables, p->tables->site[p->site].name), thread);
    t->sent = au_name_once(d, name, true) + 1;
    d->talk.sent++;
    au_recording_tell(d, AU_OP_ONCE, t->sent - 1);
}

void au_talk_return(au_recording *d, uint16_t thread) {
    au_rec_thread *t = &d->thread.at[thread];
    if (!t->hears)
        return;
    t->hears = false;
    if (t->heard == d->talk.sent)
        return; /* nothing new */
    t->heard = d->talk.sent;
    for (uint16_t u = 0; u < d->thread.n; u++) {
        uint32_t sent = d->thread.at[u].sent;
        if (u == thread || !sent)
            continue;
        uint64_t *last = au_map_put(&d->talk.heard, (uint64_t)thread << 16 | u, NULL);
        if (*last == sent)
            continue;
        *last = sent;
        au_recording_tell(d, AU_OP_ONCE, sent - 1);
    }
}
