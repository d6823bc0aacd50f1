/* explore/execute.c: the program on a schedule, into a recording.
 *
 * All runs are started in the same way, with the same standard input; every run but the first gets what clocks,
 * random numbers and the like told the run that its goal came with, as far as it asks
 * for the same. */
#include "base/clock.h"
#include "base/deadline.h"
#include "base/limits.h"
#include "explore/explore_priv.h"
#include "record/replay.h"
#include "wire/stream.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    RANDOM_SWITCHES = 24
}; /* of a run on a random schedule, about; of others 4 and 16 times as many */

au_status au_execute_begin(au_exploration *s, au_error *err) {
    const au_explore_options *o = s->o;
    bool cut = false;
    s->dir = au_temporary_directory("augur-", err);
    if (!s->dir)
        return err->status;
    if (o->sandbox) {
        char *keep = o->keep ? realpath(o->keep, NULL) : NULL;
        s->sandbox =
            au_sandbox_open(o->program->cwd, o->program->exe, o->omit ? o->omit : keep, err);
        free(keep);
        if (!s->sandbox)
            return err->status;
    }
    if (o->feed) {
        s->feed = *o->feed;
        s->feed_whole = o->feed_whole;
        s->has_feed = true;
    }
    if (o->feed || o->program->stdin_kind != AU_STDIN_FILE)
        return AU_OK;
    au_status st = au_stdin_copy(&s->feed_bytes, &s->feed.size, &cut, err);
    if (st != AU_OK)
        return st;
    s->feed.bytes = s->feed_bytes ? s->feed_bytes : "";
    s->feed_whole = !cut;
    s->has_feed = true;
    return AU_OK;
}

void au_execute_end(au_exploration *s) {
    for (size_t i = 0; i < s->ran.n; i++) {
        free(s->ran.at[i].path);
        free(s->ran.at[i].kept);
        au_outcome_release(&s->ran.at[i].told);
        au_vec_release(&s->ran.at[i].inputs);
        free(s->ran.at[i].stuck);
    }
    au_vec_release(&s->ran);
    au_sandbox_free(s->sandbox);
    au_temporary_remove(s->dir);
    free(s->dir);
    free(s->feed_bytes);
}

/* What the pipe carried to the first run is there for the others. */
static void keep_feed(au_exploration *s, au_run_result *r) {
    if (s->has_feed)
        return;
    s->has_feed = true;
    s->feed_whole = true;
    s->feed = (au_feed){"", 0};
    if (s->o->program->stdin_kind != AU_STDIN_PIPE)
        return;
    s->feed_whole = r->tee.seen == r->tee.n;
    s->feed_bytes = r->tee.at;
    s->feed = (au_feed){s->feed_bytes ? s->feed_bytes : "", r->tee.n};
    r->tee = (au_tee){0};
}

struct clock {
    au_child *child;
    double until; /* 0: no limit */
    bool late, killed;
};

/* Seconds that the program has to end when its recording is to be ended, or everything. */
static const double TO_END = 5, TO_STOP = 0.5;

static void watch(void *ctx) {
    struct clock *c = ctx;
    double since;
    bool records = au_deadline_records();
    bool ends = records && au_deadline_ends_recording(&since) &&
                au_now() - since > (au_deadline_signal() ? TO_STOP : TO_END);
    bool late = (c->until > 0 && au_now() > c->until) || (!records && au_deadline_over());
    if (!c->killed && (ends || late)) {
        c->killed = true;
        c->late = late;
        kill(c->child->pid, SIGKILL);
    }
}

/* Inputs of an earlier run. Without them the program asks the machine. */
static void load_inputs(au_ran *r) {
    au_error ignored = AU_ERROR_NONE;
    au_replay p;
    if (r->loaded)
        return;
    if (au_replay_load(&p, r->path, &ignored) != AU_OK) {
        r->loaded = !au_deadline_over();
        return;
    }
    r->loaded = true;
    au_vec_append(&r->inputs, p.inputs.at, p.inputs.n);
    au_replay_release(&p);
}

static uint64_t event_limit(const au_exploration *s) {
    uint64_t first = s->ran.n > 1 ? s->ran.at[0].events : 0;
    if (s->o->max_events || s->ran.n <= 1)
        return s->o->max_events;
    return first * 10 > AU_LIMIT_EXPLORE_RUN_EVENTS ? first * 10 : AU_LIMIT_EXPLORE_RUN_EVENTS;
}

/* The first line of what the runtime said. */
static void take_message(au_ran *r, const char *text) {
    snprintf(r->message, sizeof r->message, "%.*s", (int)strcspn(text, "\n"), text);
}

static void take_result(au_ran *r, const au_run_result *got) {
    const au_launch_result *l = &got->launch;
    bool killed = WIFSIGNALED(l->status);
    r->wait_status = l->status;
    r->events = l->last.events;
    r->seconds = l->seconds;
    r->threads = l->last.threads;
    r->end = l->ended ? (uint8_t)(l->last.ended - 1) : killed ? AU_END_SIGNAL : AU_END_EXIT;
    r->status = l->ended ? l->last.status : killed ? WTERMSIG(l->status) : WEXITSTATUS(l->status);
    take_message(r, l->last.message);
    r->rests = !l->last.other                     ? AU_WHY_NONE
               : l->last.rests & AU_RESTS_OUTSIDE ? AU_WHY_RESTS_OUTSIDE
               : l->last.rests & AU_RESTS_TIMED   ? AU_WHY_RESTS_TIMED
                                                  : AU_WHY_NONE;
    if (!l->attached) {
        r->broken = true;
        snprintf(r->message, sizeof r->message, "the runtime in it did not start");
    } else if (got->write_status != AU_OK) {
        r->broken = true;
        take_message(r, got->write_error.text);
    } else if (l->broken) {
        r->broken = true;
        snprintf(r->message, sizeof r->message,
                 "the program overwrote the memory it shares with augur");
    }
}

au_status au_execute(au_exploration *s, const au_turns *turns, uint32_t parent, au_error *err) {
    const au_explore_options *o = s->o;
    const char *cwd = NULL;
    if (s->sandbox && !(cwd = au_sandbox_fresh(s->sandbox, err)))
        return err->status;
    au_ran *r = au_vec_add(&s->ran);
    *r = (au_ran){.number = (uint32_t)s->ran.n, .family = AU_NONE, .end = UINT8_MAX};
    r->path = au_sprintf("%s/run-%" PRIu32 ".trace", s->dir, r->number);
    au_ran *from = parent == AU_NONE ? NULL : &s->ran.at[parent];
    if (from)
        load_inputs(from);
    au_program p = *o->program;
    p.plan.max_events = event_limit(s);
    p.terminal[1] = p.terminal[2] = false; /* its output goes nowhere */
    bool at_random = turns && !turns->n;
    if (turns)
        p.plan.seed = o->seed + r->number + s->hunted;
    if (at_random && !p.plan.switch_every) /* a few switches even in a short run */
        p.plan.switch_every = 1 + s->ran.at[0].events / (RANDOM_SWITCHES << 2 * (s->hunted % 3));
    au_control_map m;
    au_child child;
    au_run_result got;
    double begun = au_now();
    struct clock c = {&child, o->run_seconds > 0 ? begun + o->run_seconds : 0, false, false};
    au_run run = {.program = &p,
                  .output = r->path,
                  .plan = {.mode = turns ? AU_MODE_REPLAY : AU_MODE_RECORD,
                           .after = o->random || at_random ? AU_AFTER_RANDOM : AU_AFTER_GIVE_WAY,
                           .stop_after = turns ? 2 * o->stop_after : o->stop_after,
                           .other = turns != NULL},
                  .script = {.turn = turns ? turns->at : NULL,
                             .n_turns = turns ? turns->n : 0,
                             .inputs = from ? from->inputs.at : NULL,
                             .inputs_size = from ? from->inputs.n : 0},
                  .feed = s->has_feed ? &s->feed : NULL,
                  .whole_input = s->feed_whole,
                  .discard_output = true,
                  .keep_output = o->compare != AU_COMPARE_NONE,
                  .cwd = cwd,
                  .again = true,
                  .exact = true,
                  .tick = watch,
                  .tick_ctx = &c};
    au_status st = au_run_program(&run, &m, &child, &got, err);
    if (st != AU_OK) {
        free(r->path);
        s->ran.n--;
        return st;
    }
    keep_feed(s, &got);
    take_result(r, &got);
    r->late = c.late;
    if (o->compare != AU_COMPARE_NONE)
        au_outcome_take(&r->told, &got, c.late, NULL, NULL);
    s->x->runs++;
    s->x->run_seconds += au_now() - begun;
    au_vec_push(&s->run_time, au_now() - begun);
    bool cut = turns && au_deadline_over() && c.late;
    if (got.signal && !turns && o->records) {
        s->ended = true;
    } else if (cut && !got.signal) {
        r->broken = true; /* not an end of its own */
        snprintf(r->message, sizeof r->message, "%s", au_deadline_why());
    } else if (got.signal) {
        s->stop = s->x->interrupted = true;
        r->broken = true; /* not an end of its own */
        snprintf(r->message, sizeof r->message, "interrupted by signal %d", got.signal);
    }
    au_run_release(&got);
    return AU_OK;
}

void au_execute_drop(au_exploration *s) {
    au_ran r = au_vec_pop(&s->ran);
    unlink(r.path);
    free(r.path);
    free(r.stuck);
    au_outcome_release(&r.told);
    au_vec_release(&r.inputs);
}

bool au_ran_failed(const au_exploration *s, const au_ran *r) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
    if (r->broken || r->late)
        return false;
    switch (r->end) {
    case AU_END_ASSERT:
    case AU_END_DEADLOCK:
        return true;
    case AU_END_SIGNAL:
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            if (r->status == own[i])
                return true;
        return false;
    case AU_END_EXIT:
        return r->status && s->ran.at[0].end == AU_END_EXIT && !s->ran.at[0].status;
    default:
        return false;
    }
}

/* Across file systems it has to be copied. */
static bool link_or_copy(const char *from, const char *to) {
    unlink(to);
    if (!link(from, to))
        return true;
    FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
    char buf[65536];
    size_t n;
    bool good = in && out;
    while (good && (n = fread(buf, 1, sizeof buf, in)) > 0)
        good = fwrite(buf, 1, n, out) == n;
    good = good && !ferror(in);
    if (in)
        fclose(in);
    if (out && fclose(out))
        good = false;
    if (!good)
        unlink(to);
    return good;
}

const char *au_execute_keep(au_exploration *s, au_ran *r) {
    const char *slash = strrchr(r->path, '/');
    if (r->kept || !s->o->keep || r->broken)
        return r->kept ? r->kept : "";
    if (mkdir(s->o->keep, 0777) && errno != EEXIST)
        return "";
    char *to = au_sprintf("%s/%s", s->o->keep, slash ? slash + 1 : r->path);
    if (link_or_copy(r->path, to))
        r->kept = to;
    else
        free(to);
    return r->kept ? r->kept : "";
}
