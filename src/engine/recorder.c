/* engine/recorder.c: see recorder.h. */
#include "engine/recorder.h"

#include <stdlib.h>

void au_recorder_plan(au_recorder *r, const au_opts *o) {
    r->program.plan.switch_every = (uint64_t)au_opt_int(o, "switch-every");
    r->program.plan.max_events = (uint64_t)au_opt_int(o, "max-events");
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

au_status au_recorder_record(au_recorder *r, const au_recorder_run *how, au_run_result *x,
                             au_error *err) {
    au_control_map m;
    au_child child;
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
                  .plan = {.mode = AU_MODE_RECORD},
                  .feed = r->have_feed ? &r->feed : NULL,
                  .whole_input = r->feed_whole,
                  .discard_output = how->discard,
                  .output_aside = how->aside,
                  .cwd = how->cwd,
                  .tick = how->tick,
                  .tick_ctx = how->tick_ctx};
    au_status st = au_run_program(&run, &m, &child, x, err);
    if (st == AU_OK)
        keep_feed(r, x);
    return st;
}

void au_recorder_release(au_recorder *r) {
    free((void *)(uintptr_t)r->feed.bytes);
    au_program_release(&r->program);
}
