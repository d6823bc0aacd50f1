/* engine/check_options.c: the options of 'augur check' as a plan. */
#include "engine/check_options.h"

#include "funnel/certify.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* A property is the bit of its kind. */
_Static_assert(AU_PROP_RACE == 1u << AU_KIND_RACE && AU_PROP_ATOMICITY == 1u << AU_KIND_ATOMICITY &&
                   AU_PROP_DEADLOCK == 1u << AU_KIND_DEADLOCK &&
                   AU_PROP_ASSERT == 1u << AU_KIND_ASSERTION &&
                   AU_PROP_NONDET == 1u << AU_KIND_NONDET &&
                   AU_PROP_LOCKS == 1u << AU_KIND_MISUSE && AU_PROP_LOST == 1u << AU_KIND_LOST &&
                   AU_PROP_OUTPUT == 1u << AU_KIND_OUTPUT && AU_PROP_ALL == (1u << AU_KINDS) - 1,
               "properties and kinds are numbered alike");

/* Errors of memory are races with a free and assertions that --checks makes. */
enum { MEMORY = AU_PROP_RACE | AU_PROP_ASSERT };

/* 'memory' and 'stale-check' are no kinds of their own, and not in the result. */
typedef struct {
    bool memory, stale;
} narrow_props;

static unsigned named(const au_opts *o, narrow_props *also) {
    size_t n;
    char *const *item = au_opt_list(o, "prop", &n);
    unsigned all = 0;
    for (size_t i = 0; i < n; i++) {
        au_kind k;
        bool memory = !strcmp(item[i], "memory"), stale = !strcmp(item[i], "stale-check");
        also->memory |= memory;
        also->stale |= stale;
        AU_BUG_IF(!memory && !stale && !au_kind_by_name(item[i], &k));
        all |= memory || stale ? 0 : 1u << k;
    }
    return all;
}

unsigned au_prop_option(const au_opts *o) {
    narrow_props also = {0};
    unsigned all = named(o, &also);
    return all | (also.memory ? (unsigned)MEMORY : 0);
}

static bool is_memory(const au_case *c) {
    bool crash = c->kind == AU_KIND_ASSERTION && c->event.n && !strcmp(c->event.at[0].op, "crash");
    return crash || c->narrow == AU_NARROW_MEMORY || c->narrow == AU_NARROW_USE_AFTER_FREE ||
           c->narrow == AU_NARROW_DOUBLE_FREE;
}

void au_keep_asked(const au_opts *o, au_dossier *d) {
    narrow_props also = {0};
    unsigned asked = au_opt_given(o, "prop") ? named(o, &also) : AU_PROP_ALL;
    size_t n = 0;
    for (size_t i = 0; i < d->at.n; i++) /* a decision that is not true any more may be meant so */
        if (d->at.at[i].narrow == AU_NARROW_STALE)
            d->at.at[i].aside = !also.stale && strcmp(d->at.at[i].harm, "fails") != 0;
    if (!also.memory)
        return;
    for (size_t i = 0; i < d->at.n; i++) {
        au_case *c = &d->at.at[i];
        if (1u << c->kind & asked || !(1u << c->kind & MEMORY) || is_memory(c))
            d->at.at[n++] = *c;
        else
            au_case_release(c);
    }
    d->at.n = n;
    au_dossier_number(d);
}

void au_check_executed(const au_opts *o, au_plan *p) {
    p->props &= ~(unsigned)AU_PROP_OUTPUT;
    narrow_props also = {0};
    if (au_opt_given(o, "prop"))
        named(o, &also);
    p->stale = !au_opt_given(o, "prop") || also.stale;
    /* Reads that may see freed memory take time of the exact stage that races are found in: by name only. */
    if (!au_opt_given(o, "checks"))
        p->checks = AU_CHECK_NULL | AU_CHECK_DIV | AU_CHECK_BOUNDS |
                    (also.memory ? (unsigned)AU_CHECK_UAF : 0);
}

bool au_output_counts(const au_opts *o) {
    return au_opt_given(o, "prop") && au_prop_option(o) & AU_PROP_OUTPUT;
}

au_compare au_compare_option(const au_opts *o) {
    const char *how = au_opt_str(o, "compare-output");
    if (!strcmp(how, "none") || (au_opt_given(o, "prop") && !au_output_counts(o)))
        return AU_COMPARE_NONE;
    return !strcmp(how, "order") ? AU_COMPARE_ORDER : AU_COMPARE_CONTENT;
}

/* What to look for: by default all that the input supports. Of a trace most reads have another
 * writer in some interleaving: nondet only where somebody asks for it. A model says what must hold: lost updates likewise. */
static unsigned props(const au_opts *o, bool model) {
    if (au_opt_given(o, "prop"))
        return au_prop_option(o);
    /* --reach alone asks only that: of a model. A trace has no other assertions, either. */
    if (au_opt_given(o, "reach"))
        return model ? 0
                     : AU_PROP_ALL & ~(unsigned)(AU_PROP_NONDET | AU_PROP_ASSERT | AU_PROP_OUTPUT);
    return AU_PROP_ALL & ~(unsigned)((model ? AU_PROP_LOST : AU_PROP_NONDET) | AU_PROP_OUTPUT);
}

/* Digits only; false if there are none, or too many. */
static bool number(const char **s, uint32_t most, uint32_t *v) {
    size_t n = strspn(*s, "0123456789");
    if (!n || n > 9)
        return false;
    *v = (uint32_t)strtoul(*s, NULL, 10);
    *s += n;
    return *v <= most;
}

static au_status bounds(const char *s, au_plan *p, au_error *err) {
    const char *at = s;
    p->bound_from = p->bound = AU_NONE;
    if (!s)
        return AU_OK;
    bool good = number(&at, 1000, &p->bound_from);
    p->bound = p->bound_from;
    if (good && !strncmp(at, "..", 2)) {
        at += 2;
        good = number(&at, 1000, &p->bound) && p->bound_from <= p->bound;
    }
    if (!good || *at)
        return au_error_set(err, AU_EUSAGE,
                            "--context-bound '%s' is neither a number up to 1000 nor A..B", s);
    return AU_OK;
}

au_status au_shard_option(const char *s, uint32_t *shard, uint32_t *shards, au_error *err) {
    const char *at = s;
    bool good = number(&at, AU_MOST_SHARDS, shard) && *at++ == '/' &&
                number(&at, AU_MOST_SHARDS, shards) && !*at && *shard && *shard <= *shards;
    if (!good)
        return au_error_set(err, AU_EUSAGE, "--shard '%s' is not I/N with 1 <= I <= N <= %d", s,
                            AU_MOST_SHARDS);
    return AU_OK;
}

static au_status make_directory(const char *path, au_error *err) {
    if (path && mkdir(path, 0777) && errno != EEXIST)
        return au_error_errno(err, "cannot make the directory '%s'", path);
    return AU_OK;
}

static int last_stage(const char *name) {
    int stage = AU_STAGE_SOLVER;
    for (int i = 0; i < AU_STAGES; i++)
        if (!strcmp(name, au_stage_name(i)))
            stage = i;
    return stage;
}

static au_status exact_options(const au_opts *o, au_plan *p, au_error *err) {
    static const char *const semantics[] = {"ctp", "mcm", "cam", "locks"};
    const char *backend = au_opt_str(o, "backend");
    p->last = last_stage(au_opt_str(o, "stages"));
    p->whole = !au_opt_flag(o, "prefix");
    p->cadical = strcmp(backend, "z3") != 0;
    p->z3 = strcmp(backend, "cadical") != 0;
    p->first = au_opt_flag(o, "first");
    p->jobs = (unsigned)au_opt_int(o, "jobs");
    p->seconds = au_opt_number(o, "timeout");
    p->memory = (uint64_t)au_opt_int(o, "memory") << 20;
    p->window = (size_t)au_opt_int(o, "window");
    p->full_widths = !strcmp(au_opt_str(o, "widths"), "full");
    p->transactions = !strcmp(au_opt_str(o, "order"), "transactions");
    p->events = !strcmp(au_opt_str(o, "order"), "events");
    p->graph = !strcmp(au_opt_str(o, "graph"), "ccfg")  ? AU_GRAPH_CCFG
               : !strcmp(au_opt_str(o, "graph"), "tsg") ? AU_GRAPH_TSG
                                                        : AU_GRAPH_TSG_PRIME;
    p->dump = au_opt_str(o, "dump");
    p->certify = au_opt_str(o, "certify");
    for (unsigned i = 0; i < 4; i++)
        if (!strcmp(au_opt_str(o, "model"), semantics[i]))
            p->semantics = (au_semantics)i;
    p->reach = au_opt_list(o, "reach", &p->n_reach);
    au_status st = bounds(au_opt_str(o, "context-bound"), p, err);
    if (st == AU_OK)
        st = make_directory(p->dump, err);
    if (st == AU_OK)
        st = make_directory(p->certify, err);
    if (st == AU_OK && p->certify)
        st = au_certify_begin(p->certify, err);
    return st;
}

/* --checks: what may go wrong without an assertion. */
static unsigned checks(const au_opts *o) {
    static const struct {
        const char *name;
        unsigned bit;
    } check[] = {{"null", AU_CHECK_NULL},
                 {"div", AU_CHECK_DIV},
                 {"bounds", AU_CHECK_BOUNDS},
                 {"uaf", AU_CHECK_UAF}};
    unsigned all = 0;
    for (size_t i = 0; i < sizeof check / sizeof *check; i++)
        if (au_opt_has(o, "checks", check[i].name))
            all |= check[i].bit;
    return all;
}

void au_knowledge_options(au_knowledge_source *from, const au_opts *o, const au_reader *r,
                          const au_read_options *read) {
    *from = (au_knowledge_source){.path = au_operand(o, 0),
                                  .reader = r,
                                  .read = *read,
                                  .checks = checks(o),
                                  .split = (unsigned)au_opt_int(o, "split")};
}

au_status au_check_options(const au_opts *o, bool model, au_plan *p, au_error *err) {
    static const struct {
        const char *name;
        au_block_kind kind;
    } blocks[] = {{"auto", AU_BLOCKS_AUTO},
                  {"marked", AU_BLOCKS_MARKED},
                  {"critical", AU_BLOCKS_CRITICAL},
                  {"function", AU_BLOCKS_FUNCTION},
                  {"none", AU_BLOCKS_NONE}};
    narrow_props also = {0};
    if (au_opt_given(o, "prop"))
        named(o, &also);
    *p = (au_plan){.props = props(o, model),
                   .stale = also.stale,
                   .values = au_opt_flag(o, "values"),
                   .pairs = !strcmp(au_opt_str(o, "pairs"), "observed"),
                   .effort = (uint64_t)au_opt_int(o, "effort"),
                   .all = au_opt_flag(o, "all"),
                   .budget = (uint64_t)au_opt_int(o, "schedules")};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (!strcmp(au_opt_str(o, "atomic"), blocks[i].name))
            p->blocks = blocks[i].kind;
    /* Of 'augur run' the operand is a program. */
    p->stream =
        au_opt_known(o, "stream") && (au_opt_flag(o, "stream") || !strcmp(au_operand(o, 0), "-"));
    p->checks = checks(o);
    p->split = (unsigned)au_opt_int(o, "split");
    return exact_options(o, p, err);
}
