/* engine/recorder.c: see recorder.h. */
#include "engine/recorder.h"

#include "base/clock.h"
#include "base/deadline.h"

#include <signal.h>
#include <stdlib.h>

void au_recorder_plan(au_recorder *r, const au_opts *o) {
    r->program.plan.switch_every = (uint64_t)au_opt_int(o, "switch-every");
    r->program.plan.max_events = (uint64_t)au_opt_int(o, "max-events");
    r->stop_after = (uint64_t)(au_opt_number(o, "for") * 1e9);
    r->program.plan.pct_depth = (uint32_t)au_opt_int(o, "depth");
}

/* What the first run read is there for the others. */
static void keep_feed(au_recorder *r, au_run_result *x) {
    if (r->have_feed)
        return;
    r->have_feed = true;
    if (r->program.stdin_kind == AU_STDIN_PIPE) {
        r->feed_whole = x->tee.seen == x->tee.n;
        r->feed = (au_feed){x->tee.at, x->tee.n};
        x->tee = (au_tee){0};
    } else if (r->program.stdin_kind != AU_STDIN_FILE) {
        r->feed_whole = true; /* there is nothing to read */
    }
}

/* ---- its end ---- */

/* Seconds that a program has to end when we are told to stop recording it (SIGINT), or to stop. */
static const double TO_END = 5, TO_STOP = 0.5;
static const double LONG = 2; /* somebody may wonder what is going on */

struct attended {
    const au_recorder_run *how;
    const au_child *child;
    double begun;
    bool told, killed;
};

static void attend(void *ctx) {
    struct attended *a = ctx;
    double since, now = au_now();
    if (a->how->tick)
        a->how->tick(a->how->tick_ctx);
    if (!a->told && a->how->is_long && now - a->begun > LONG) {
        a->told = true;
        a->how->is_long(a->how->ctx);
    }
    if (!a->killed && au_deadline_ends_recording(&since) &&
        now - since > (au_deadline_signal() ? TO_STOP : TO_END)) {
        a->killed = true;
        kill(a->child->pid, SIGKILL);
    }
}

au_status au_recorder_record(au_recorder *r, const au_recorder_run *how, au_run_result *x,
                             au_error *err) {
    au_control_map m;
    au_child child;
    struct attended a = {.how = how, .child = &child, .begun = au_now()};
    if (!r->have_feed && r->program.stdin_kind == AU_STDIN_FILE && how->more && !r->feed.bytes) {
        bool cut;
        char *bytes;
        au_status st = au_stdin_copy(&bytes, &r->feed.size, &cut, err);
        if (st != AU_OK)
            return st;
        r->feed.bytes = bytes;
        r->feed_whole = !cut;
    }
    au_run run = {.program = &r->program,
                  .output = how->output,
                  .plan = {.mode = AU_MODE_RECORD, .stop_after = r->stop_after},
                  .feed = r->have_feed ? &r->feed : NULL,
                  .whole_input = r->feed_whole,
                  .discard_output = how->discard,
                  .gives_fds = how->gives,
                  .output_aside = how->aside,
                  .again = how->again,
                  .live = how->live,
                  .cwd = how->cwd,
                  .tick = attend,
                  .tick_ctx = &a};
    au_deadline_recording(true);
    au_status st = au_run_program(&run, &m, &child, x, err);
    au_deadline_recording(false);
    if (st == AU_OK)
        keep_feed(r, x);
    return st;
}

void au_recorder_release(au_recorder *r) {
    free((void *)(uintptr_t)r->feed.bytes);
    au_program_release(&r->program);
}
