/* trace/recording_talk.c: threads that talk to each other through the kernel: what one writes into a
 * pipe, another reads. The recording does not say which bytes went where, so it is taken to
 * be as strict as it can have been: a call that hears comes after all calls that sent
 * before it in the run. In the trace a sending call is the first of a 'once' of its own, and
 * a hearing one waits for the last of every other thread.
 *
 * A pipe that is full holds who writes into it until somebody reads. Where the bytes are followed the channel knows
 * (recording_channel.c). Of other calls the runtime tells which may have waited (AU_CHANNEL_HELD): these come
 * back after every call that hears and had begun before. That it had begun is a 'once', too.
 *
 * A handler of a signal hears, too: it is called when somebody has sent the signal, or set a timer.
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
    if (p->holds)
        au_talk_survey_held(d);
}

void au_talk_survey_hears(au_recording *d) {
    d->talk.needed |= d->facts.thread.n > 1;
}

void au_talk_survey_held(au_recording *d) {
    d->talk.held = true;
}

/* A call of the thread's that others wait for has got here. */
static uint32_t tell_once(au_recording *d, const au_place *p, uint16_t thread, const char *what) {
    char name[140];
    snprintf(name, sizeof name, "%.80s by T%u%s",
             au_tables_text(p->tables, p->tables->site[p->site].name), thread, what);
    uint32_t once = au_name_once(d, name, true) + 1;
    au_recording_tell(d, AU_OP_ONCE, once - 1);
    return once;
}

/* The thread comes after what another one has told, unless it did already. */
static void come_after(au_recording *d, uint16_t thread, uint16_t other, uint32_t once, bool held) {
    if (other == thread || !once)
        return;
    uint64_t key = (uint64_t)held << 32 | (uint64_t)thread << 16 | other;
    uint64_t *last = au_map_put(&d->talk.heard, key, NULL);
    if (*last == once)
        return;
    *last = once;
    au_recording_tell(d, AU_OP_ONCE, once - 1);
}

void au_talk_call(au_recording *d, const au_place *p, uint16_t thread) {
    if (!d->talk.needed || !p->talk)
        return;
    au_rec_thread *t = &d->thread.at[thread];
    t->hears = p->talk & AU_CHANNEL_HEARS;
    t->held = p->holds;
    if (p->talk & AU_CHANNEL_SENDS) {
        t->sent = tell_once(d, p, thread, "");
        d->talk.sent++;
    }
    if (t->hears && d->talk.held)
        t->listens = tell_once(d, p, thread, " has begun");
}

void au_talk_held(au_recording *d, uint16_t thread) {
    for (uint16_t u = 0; u < d->thread.n; u++)
        come_after(d, thread, u, d->thread.at[u].listens, true);
}

static void hear(au_recording *d, uint16_t thread) {
    au_rec_thread *t = &d->thread.at[thread];
    if (t->heard == d->talk.sent)
        return; /* nothing new */
    t->heard = d->talk.sent;
    for (uint16_t u = 0; u < d->thread.n; u++)
        come_after(d, thread, u, d->thread.at[u].sent, false);
}

void au_talk_return(au_recording *d, uint16_t thread) {
    au_rec_thread *t = &d->thread.at[thread];
    if (t->held)
        au_talk_held(d, thread);
    t->held = false;
    if (!t->hears)
        return;
    t->hears = false;
    hear(d, thread);
}

void au_talk_signalled(au_recording *d, uint16_t thread) {
    d->thread.at[thread].signalled = false;
    if (d->talk.needed)
        hear(d, thread);
}
