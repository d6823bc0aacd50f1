/* trace/recording_channel.c: pipes, pairs of sockets and event counters as synchronisation. What was sent lies in a window
 * of memory (wire/channel.h), so where the bytes go is the memory's affair; here is who comes after whom:
 *
 *   a receive      after the sends whose bytes it got, and after the receive before it;
 *   a send         after the send before it, as far as anybody received what that one sent (the bytes of a
 *                  counter are added: its sends keep no order), and after the receive that made room for it;
 *   both           after a call that came to the end of what was there, or of the room: it would have
 *                  had another result.
 *
 *   calls on one file   in their recorded order, but for two that read.
 *
 * So the contents are the recorded ones on every schedule. A call is the first of a 'once' of its own when it is done,
 * who comes after it waits for that one. Calls whose bytes are not followed come after everything that was
 * sent anywhere (recording_talk.c). */
#include "trace/recording_priv.h"

#include <inttypes.h>
#include <stdio.h>

void au_channels_release(au_channels *c) {
    for (size_t i = 0; i < c->at.n; i++) {
        au_vec_release(&c->at.at[i].send);
        au_vec_release(&c->at.at[i].receive);
        au_vec_release(&c->at.at[i].source);
        au_vec_release(&c->at.at[i].goal);
    }
    au_vec_release(&c->at);
    au_map_release(&c->window);
}

static uint32_t index_of(au_recording *d, uint64_t address) {
    uint64_t *k = au_map_put(&d->channels.window, au_channel_window(address), NULL);
    if (!*k) {
        *au_vec_add(&d->channels.at) = (au_rec_channel){.window = au_channel_window(address),
                                                        .kind = (uint8_t)au_channel_kind(address)};
        *k = d->channels.at.n;
    }
    return (uint32_t)*k - 1;
}

void au_channel_name(uint64_t address, char *out, size_t room) {
    static const char *const kind[AU_CHANNEL_KINDS] = {"pipe", "stream", "packets", "counter",
                                                       "file"};
    uint64_t slot = address - au_channel_at(au_channel_kind(address), 0, 0);
    slot /= AU_CHANNEL_WINDOW;
    snprintf(out, room, "%s %" PRIu64 " of T%" PRIu64, kind[au_channel_kind(address)],
             slot % AU_CHANNEL_SLOTS, slot / AU_CHANNEL_SLOTS);
}

/* ---- both passes ---- */

static void add_send(au_rec_channel *c, uint16_t thread, uint64_t bytes) {
    au_channel_call last = c->send.n ? au_vec_last(&c->send) : (au_channel_call){0};
    au_vec_push(&c->send,
                ((au_channel_call){.end = last.end + bytes,
                                   .weight = last.weight + au_channel_weight(c->kind, bytes),
                                   .thread = thread}));
}

/* Where a read of the window ends, in bytes sent: at or behind the one before. */
static uint64_t read_end(au_rec_channel *c, const au_stream_record *r) {
    c->at += (r->address - c->at) % AU_CHANNEL_RING;
    return c->at + r->len;
}

/* A copy into the window; or the call sent, and came up to here. */
static bool is_send(const au_rec_channel *c, const au_stream_record *r) {
    return r->op == AU_SOP_RCOPY || (!r->len && !(c->code & AU_CHANNEL_RECEIVES));
}
static uint64_t sent_bytes(const au_rec_channel *c, const au_stream_record *r) {
    uint64_t end = c->send.n ? au_vec_last(&c->send).end : 0;
    return r->len ? r->len : (r->address - end) % AU_CHANNEL_RING;
}

/* How many sends it takes to have so many bytes. */
static uint32_t sends_for(const au_rec_channel *c, uint64_t bytes) {
    size_t low = 0, high = c->send.n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c->send.at[middle].end < bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)(low < c->send.n ? low + 1 : c->send.n);
}

/* This is another thread than the last one. */
static bool other(uint16_t *last, uint16_t thread) {
    bool yes = *last && *last != thread + 1;
    *last = (uint16_t)(thread + 1);
    return yes;
}

static void survey_call(au_rec_channel *c, unsigned code, uint16_t thread) {
    unsigned way = code & AU_CHANNEL_RECEIVES;
    if (c->kind == AU_CHANNEL_FILE) {
        c->ordered |= way ? c->several : c->edge[1] && c->edge[1] != thread + 1;
        c->several |= !way && other(&c->edge[0], thread);
        c->edge[1] = way ? (uint16_t)(thread + 1) : c->edge[1];
        return;
    }
    c->ordered |= c->edge[!way] && c->edge[!way] != thread + 1;
    if (code & AU_CHANNEL_EDGE)
        c->edge[way] = (uint16_t)(thread + 1);
    if (way) {
        c->ordered |= other(&c->receiver, thread);
        au_vec_push(&c->source, 0);
    } else {
        au_vec_push(&c->goal, c->send.n ? au_vec_last(&c->send).end : 0);
    }
}

/* Only if nobody else sends, who waits for a message waits for this one. Sends of several threads keep their order as far as one of them was received. */
static void note_order(au_recording *d, au_rec_channel *c) {
    bool yes = c->ordered;
    c->alone = c->kind != AU_CHANNEL_COUNTER && c->kind != AU_CHANNEL_FILE;
    for (size_t i = 1; i < c->send.n; i++)
        c->alone &= c->send.at[i].thread == c->send.at[0].thread;
    for (size_t i = 1; i < c->send.n && i <= c->needed && c->kind != AU_CHANNEL_COUNTER; i++)
        yes |= c->send.at[i].thread != c->send.at[i - 1].thread;
    d->facts.channel_order |= yes;
}

void au_channels_surveyed(au_recording *d) {
    d->facts.channel_order |= d->talk.held && d->talk.needed;
    for (size_t i = 0; i < d->channels.at.n; i++)
        note_order(d, &d->channels.at.at[i]);
}

void au_channel_survey(au_recording *d, const au_stream_record *r) {
    if (!au_channel_is(r->address))
        return;
    uint32_t k = index_of(d, r->address);
    au_rec_channel *c = &d->channels.at.at[k];
    int code = au_channel_code_of(r->address);
    if (code >= 0) {
        c->code = (uint8_t)code;
        if (code & AU_CHANNEL_HELD)
            au_talk_survey_held(d);
        if (code & AU_CHANNEL_BROKEN)
            au_talk_survey_hears(d);
        survey_call(c, (unsigned)code, r->thread);
    } else if (is_send(c, r)) {
        add_send(c, r->thread, sent_bytes(c, r));
        if (c->goal.n)
            au_vec_last(&c->goal) = au_vec_last(&c->send).end;
    } else if (c->source.n && !(c->code & AU_CHANNEL_LOST)) {
        uint32_t n = sends_for(c, read_end(c, r));
        au_vec_last(&c->source) = n;
        c->needed = n > c->needed ? n : c->needed;
    }
}

/* ---- the second pass ---- */

static void wait_for(au_recording *d, const au_channel_call *x) {
    if (x->once && x->thread != d->r->thread)
        au_recording_tell(d, AU_OP_ONCE, x->once - 1);
}

/* The call stands still until the other one is done: so it is told, not only assumed. */
static void stand_for(au_recording *d, const au_channel_call *x) {
    if (x->real && x->thread != d->r->thread)
        au_recording_tell(d, AU_OP_ONCE, x->real - 1);
    else
        wait_for(d, x);
}

static void before_receive(au_recording *d, au_rec_channel *c) {
    size_t k = c->receive.n;
    uint32_t source = k < c->source.n ? c->source.at[k] : 0;
    if (k)
        wait_for(d, &c->receive.at[k - 1]);
    wait_for(d, &c->sent_edge);
    if (c->kind == AU_CHANNEL_COUNTER)
        for (; c->waited < source; c->waited++)
            wait_for(d, &c->send.at[c->waited]);
    else if (source && c->code & AU_CHANNEL_WAITS)
        stand_for(d, &c->send.at[source - 1]);
    else if (source)
        wait_for(d, &c->send.at[source - 1]);
    au_channel_call got = source ? c->send.at[source - 1]
                          : k    ? au_vec_last(&c->receive)
                                 : (au_channel_call){0};
    got.once = 0;
    got.thread = d->r->thread;
    au_vec_push(&c->receive, got);
}

/* The first receive after which there was room for so much more; the last, if the kernel had more room than that. */
static void wait_for_room(au_recording *d, const au_rec_channel *c, uint64_t bytes) {
    au_channel_call sent = c->send.n ? au_vec_last(&c->send) : (au_channel_call){0};
    uint64_t room = au_channel_room(c->kind),
             weight = sent.weight + au_channel_weight(c->kind, bytes);
    if (weight <= room || !c->receive.n)
        return;
    size_t low = 0, high = c->receive.n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (weight - c->receive.at[middle].weight > room)
            low = middle + 1;
        else
            high = middle;
    }
    wait_for(d, &c->receive.at[low]);
}

static void before_send(au_recording *d, au_rec_channel *c) {
    size_t n = c->send.n < c->needed ? c->send.n : c->needed;
    uint64_t sent = c->send.n ? au_vec_last(&c->send).end : 0;
    if (n && c->kind != AU_CHANNEL_COUNTER)
        wait_for(d, &c->send.at[n - 1]);
    wait_for(d, &c->received_edge);
    wait_for_room(d, c, c->calls < c->goal.n ? c->goal.at[c->calls] - sent : 0);
}

/* The record's thread is done with its call. */
static void done(au_recording *d, au_rec_channel *c) {
    bool receives = c->code & AU_CHANNEL_RECEIVES;
    char channel[80], name[160];
    au_channel_name(c->window, channel, sizeof channel);
    snprintf(name, sizeof name, "%s by T%u through %s", receives ? "received" : "sent",
             d->r->thread, channel);
    uint32_t once = au_name_once(d, name, true) + 1, real = 0;
    au_recording_tell(d, AU_OP_ONCE, once - 1);
    if (c->pieces && c->alone) {
        real = au_name_once(d, name, false) + 1;
        au_recording_tell(d, AU_OP_ONCE, real - 1);
    }
    if (receives)
        au_vec_last(&c->receive).once = once;
    for (; c->pieces; c->pieces--) {
        c->send.at[c->send.n - c->pieces].once = once;
        c->send.at[c->send.n - c->pieces].real = real;
    }
    if (c->code & AU_CHANNEL_EDGE)
        *(receives ? &c->received_edge : &c->sent_edge) =
            (au_channel_call){.once = once, .thread = d->r->thread};
}

/* A file: who reads comes after who wrote, who writes after everybody. What is in it need not be known then. */
static void use_file(au_recording *d, au_rec_channel *c) {
    if (c->send.n)
        wait_for(d, &au_vec_last(&c->send));
    if (c->code & AU_CHANNEL_RECEIVES) {
        au_vec_push(&c->receive, ((au_channel_call){.thread = d->r->thread}));
        return;
    }
    for (size_t i = 0; i < c->receive.n; i++)
        wait_for(d, &c->receive.at[i]);
    au_vec_clear(&c->receive);
    add_send(c, d->r->thread, 0);
    c->pieces = 1;
}

void au_channel_before(au_recording *d, const au_stream_record *r) {
    au_rec_thread *t = &d->thread.at[r->thread];
    int code = au_channel_is(r->address) ? au_channel_code_of(r->address) : -1;
    if (code < 0 && t->channel && !r->len && !au_channel_is(r->address)) {
        done(d, &d->channels.at.at[t->channel - 1]);
        t->channel = 0;
    }
    if (code < 0)
        return;
    uint32_t k = index_of(d, r->address);
    au_rec_channel *c = &d->channels.at.at[k];
    if (!c->second) { /* the survey counted */
        c->second = true;
        au_vec_clear(&c->send);
        c->at = 0;
    }
    c->code = (uint8_t)code;
    c->pieces = 0;
    if (c->kind == AU_CHANNEL_FILE)
        use_file(d, c);
    else if (code & AU_CHANNEL_RECEIVES)
        before_receive(d, c);
    else if (!(code & AU_CHANNEL_LOST))
        before_send(d, c);
    c->calls += !(code & AU_CHANNEL_RECEIVES);
    if (!(code & AU_CHANNEL_LOST))
        t->hears = false;
    if (code & AU_CHANNEL_BROKEN)
        t->hears = true;
    if (code & AU_CHANNEL_HELD) {
        au_talk_held(d, r->thread);
        t->held = true;
    }
    t->channel = code & AU_CHANNEL_LOST && !(code & AU_CHANNEL_EDGE) ? 0 : k + 1;
    if (code & AU_CHANNEL_HELD && code & AU_CHANNEL_NOW) {
        t->channel = 0;
    } else if (code & AU_CHANNEL_NOW) {
        done(d, c);
        t->channel = 0;
    }
}

void au_channel_after(au_recording *d, const au_stream_record *r) {
    uint32_t k = d->thread.at[r->thread].channel;
    if (!k || !au_channel_is(r->address) || au_channel_code_of(r->address) >= 0)
        return;
    au_rec_channel *c = &d->channels.at.at[k - 1];
    if (!is_send(c, r))
        return;
    add_send(c, r->thread, sent_bytes(c, r));
    c->pieces++;
}
