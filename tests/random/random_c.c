/* tests/random/random_c.c: random C programs all the way through.
 *
 * Each is compiled by 'augur cc', recorded on several schedules, checked; every finding that is
 * called proved is executed on the real program and must be confirmed; the model of the recording
 * is printed as .ctp, and the oracle must find in it what check found: as many failing
 * assertions, no race on a variable for which check has none, a deadlock if check found one. That retracing a run gives
 * every recorded value is checked by 'augur check' itself: a mismatch is told as
 * a bug of augur, and fails here.
 *
 *     random_c --count 300 --seed 1 [--size 3] [--keep DIR] [--thorough yes] [--wide yes] [--cxx yes] [--jobs 2]
 *
 * The program augur is ../../augur as seen from this one, or $AUGUR. A case that fails
 * is made smaller (statements are left out as long as it fails) and printed. */
#include "base/rng.h"
#include "batches.h"
#include "gen_c.h"
#include "whole.h"

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BATCH = 20, RUNS = 3, MOST_ALIKE = 2, WHY = 1000 };

static uint32_t runs = 2; /* of each program */

typedef struct {
    uint64_t programs, runs, failed_runs, deadlocked, findings, confirmed, asserts, races,
        deadlocks;
    uint64_t compared, too_large, open;
} counts;

static const char *augur;
static char why[WHY];
static bool thorough; /* confirms everything */
static bool wide;     /* programs with more than plain primitives */
static bool cxx;      /* … and C++ */
static counts total;

static bool bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool bad(const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return false;
}

static char *contents(const char *name) {
    return au_test_whole(batches_dir, name);
}

static bool bad_because(const char *what, int status) {
    char *text = contents("err");
    bad("%s: status %d: %.600s", what, status, text);
    free(text);
    return false;
}

static cJSON *json(const char *name) {
    char *text = contents(name);
    cJSON *j = cJSON_Parse(text);
    free(text);
    return j;
}

static const char *text_of(const cJSON *object, const char *key) {
    const char *s = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return s ? s : "";
}

/* What a list of findings says, to be compared. */
typedef struct {
    uint32_t asserts, deadlocks;
} verdicts;

static verdicts verdicts_of(const cJSON *j) {
    verdicts v = {0};
    const cJSON *list = cJSON_GetObjectItem(j, "findings"), *f;
    cJSON_ArrayForEach(f, list) {
        const char *kind = text_of(f, "kind");
        if (strcmp(text_of(f, "status"), "proved"))
            continue;
        v.asserts += !strcmp(kind, "assertion");
        v.deadlocks |= !strcmp(kind, "deadlock");
    }
    return v;
}

static bool races_on(const cJSON *j, const char *var) {
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(j, "findings")) {
        if (!strcmp(text_of(f, "kind"), "race") && !strcmp(text_of(f, "status"), "proved") &&
            !strcmp(text_of(f, "var"), var))
            return true;
    }
    return false;
}

/* A variable with a race in the model that check did not tell. (Two accesses of several variables
 * each do not race in a model, where both are indivisible.) */
static const char *missing_race(const cJSON *checked, const cJSON *oracle) {
    const cJSON *f;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(oracle, "findings")) {
        if (!strcmp(text_of(f, "kind"), "race") && !races_on(checked, text_of(f, "var")))
            return text_of(f, "var");
    }
    return "";
}

/* --- one recording ------------------------------------------------------------------------ */

static bool confirm(const cJSON *j) {
    const cJSON *f;
    uint32_t races = 0, blocks = 0, lost = 0;
    cJSON_ArrayForEach(f, cJSON_GetObjectItem(j, "findings")) {
        const char *id = text_of(f, "id"), *kind = text_of(f, "kind");
        if (strcmp(text_of(f, "status"), "proved"))
            continue;
        total.findings++;
        bool many = (!strcmp(kind, "race") && races++ >= MOST_ALIKE) ||
                    (!strcmp(kind, "atomicity") && blocks++ >= MOST_ALIKE) ||
                    (!strcmp(kind, "lost-update") && lost++ >= MOST_ALIKE);
        if (many && !thorough)
            continue; /* and much the same */
        total.asserts += !strcmp(kind, "assertion");
        total.races += !strcmp(kind, "race");
        total.deadlocks += !strcmp(kind, "deadlock");
        int status = batches_command("%s replay --quiet --findings check.json --finding %s t.trace",
                                     augur, id);
        char *out = contents("out");
        bool good = status == 1 && strstr(out, "confirmed: ");
        if (!good)
            bad("%s (%s) is not confirmed: status %d: %.600s", id, text_of(f, "message"), status,
                out);
        free(out);
        if (!good)
            return false;
        total.confirmed++;
    }
    return true;
}

/* What has one cause is one finding with variants: here each counts. */
static void unfold(cJSON *j) {
    cJSON *list = cJSON_GetObjectItem(j, "findings");
    const cJSON *v;
    int n = cJSON_GetArraySize(list);
    for (int i = 0; i < n; i++) {
        cJSON_ArrayForEach(v, cJSON_GetObjectItem(cJSON_GetArrayItem(list, i), "folded"))
            cJSON_AddItemToArray(list, cJSON_Duplicate(v, true));
    }
}

static bool check(cJSON **j) {
    const cJSON *i;
    char old[400];
    snprintf(old, sizeof old, "%s/check.json", batches_dir);
    unlink(old);
    int status = batches_command("%s check --all --format json -o check.json t.trace", augur);
    *j = json("check.json");
    if (!*j || status > 3 || status == 2)
        return bad_because("check", status);
    unfold(*j);
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(*j, "inconclusive")) {
        const char *text = cJSON_GetStringValue(i);
        if (text && strstr(text, "bug of augur"))
            return bad("check says: %s", text);
        total.open++;
    }
    return true;
}

static bool compare(const cJSON *checked) {
    int status = batches_command("%s show --model t.trace", augur);
    if (status != 0)
        return bad_because("show --model", status);
    char from[400], to[400];
    snprintf(from, sizeof from, "%s/out", batches_dir);
    snprintf(to, sizeof to, "%s/t.ctp", batches_dir);
    rename(from, to);
    status =
        batches_command("%s oracle --prop race,deadlock,assert --max-states 300000 t.ctp", augur);
    if (status == 3) {
        total.too_large++;
        return true;
    }
    cJSON *j = json("out");
    if (!j || status > 1) {
        cJSON_Delete(j);
        return bad_because("oracle on the printed model", status);
    }
    verdicts a = verdicts_of(checked), b = verdicts_of(j);
    char missing[100];
    snprintf(missing, sizeof missing, "%s", missing_race(checked, j));
    cJSON_Delete(j);
    if (cJSON_GetArraySize(cJSON_GetObjectItem(checked, "inconclusive")))
        return true;
    total.compared++;
    if (a.asserts != b.asserts)
        return bad("%u assertions fail for check, %u for the oracle", a.asserts, b.asserts);
    if (*missing)
        return bad("a race on '%s' for the oracle, none for check", missing);
    /* The other way round: threads that could go another way may end a wait (open_prove.c). */
    if (a.deadlocks && !b.deadlocks)
        return bad("a deadlock for check, none for the oracle");
    return true;
}

static bool test_run(uint32_t number, uint64_t seed, uint32_t nth) {
    static const char *const how[RUNS] = {"", "--schedule random --switch-every 4",
                                          "--schedule pct"};
    int status = batches_command("%s record --quiet %s --seed %llu -o t.trace ./batch %u", augur,
                                 how[nth], (unsigned long long)(seed % 1000000), number);
    total.runs++;
    bool failed = status != 0;
    char *err = contents("err");
    bool known = status == 134 || strstr(err, "Assertion") || strstr(err, "deadlock");
    free(err);
    if (failed && !known)
        return bad_because("record", status);
    total.failed_runs += failed;
    cJSON *j = NULL;
    bool good = check(&j) && confirm(j) && (failed || compare(j));
    cJSON_Delete(j);
    return good;
}

/* --- programs -------------------------------------------------------------------------------- */

static bool write_batch(const gen_c_plan *plan, uint32_t n) {
    char path[400];
    snprintf(path, sizeof path, "%s/batch.%s", batches_dir, cxx ? "cc" : "c");
    gen_text t = {0};
    gen_c_head(&t);
    for (uint32_t i = 0; i < n; i++)
        gen_c_program(&t, i, &plan[i]);
    gen_c_main(&t, n);
    FILE *f = fopen(path, "w");
    bool good = f && fwrite(t.at, 1, t.n, f) == t.n;
    if (f)
        good &= fclose(f) == 0;
    au_vec_release(&t);
    return good ? true : bad("cannot write '%s'", path);
}

static bool compile(const gen_c_plan *plan, uint32_t n) {
    if (!write_batch(plan, n))
        return false;
    int status =
        batches_command("%s %s -O%u -g -w -fwrapv -pthread %s -o batch", augur, cxx ? "c++" : "cc",
                        (unsigned)(plan->seed % 3), cxx ? "-std=c++23 batch.cc" : "batch.c");
    return status == 0 ? true : bad_because("cc", status);
}

static bool test_program(uint32_t number, uint64_t seed) {
    for (uint32_t i = 0; i < runs; i++)
        if (!test_run(number, seed, (uint32_t)((i + seed) % RUNS)))
            return false;
    return true;
}

/* Is it still wrong, in whatever way? Alone in its file. */
static bool still_fails(const gen_c_plan *p) {
    return compile(p, 1) && !test_program(0, p->seed);
}

/* Leaves statements out, one after the other, as long as something is wrong. */
static void shrink(const gen_c_plan *failing) {
    gen_text t = {0};
    gen_c_plan p = *failing;
    p.n_drop = gen_c_program(&t, 0, &p);
    uint8_t *drop = au_alloc_array(p.n_drop + 1, sizeof *drop);
    p.drop = drop;
    if (!still_fails(&p)) {
        printf("alone in its file it does not fail\n");
    } else {
        for (uint32_t i = p.n_drop; i-- > 0;) {
            drop[i] = 1;
            if (!still_fails(&p))
                drop[i] = 0;
        }
        still_fails(&p);
        au_vec_clear(&t);
        gen_c_program(&t, 0, &p);
        printf("smaller: %s\n%.*s\n", why, (int)t.n, t.at);
    }
    free(drop);
    au_vec_release(&t);
}

static bool test_batch(uint64_t seed, uint32_t n, uint32_t size) {
    gen_c_plan plan[BATCH] = {0};
    for (uint32_t i = 0; i < n; i++)
        plan[i] = (gen_c_plan){.seed = seed + i, .size = size, .wide = wide, .cxx = cxx};
    bool good = compile(plan, n);
    if (!good)
        printf("seeds %llu to %llu: %s\n", (unsigned long long)seed,
               (unsigned long long)seed + n - 1, why);
    for (uint32_t i = 0; i < n && good; i++) {
        total.programs++;
        good = test_program(i, seed + i);
        if (!good) {
            printf("seed %llu (--count 1 --seed %llu --size %u): %s\n",
                   (unsigned long long)seed + i, (unsigned long long)seed + i, size, why);
            fflush(stdout);
            shrink(&plan[i]);
        }
    }
    return good;
}

int main(int argc, char **argv) {
    batches b = {.name = "random_c",
                 .count = 20,
                 .seed = 1,
                 .size = 3,
                 .jobs = 2,
                 .batch = BATCH,
                 .test = test_batch,
                 .total = (uint64_t *)&total,
                 .n_totals = sizeof total / sizeof(uint64_t)};
    batches_options(&b, argc, argv);
    for (int i = 1; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--thorough"))
            thorough = !strcmp(argv[i + 1], "yes");
        else if (!strcmp(argv[i], "--wide"))
            wide = !strcmp(argv[i + 1], "yes");
        else if (!strcmp(argv[i], "--cxx"))
            wide = cxx = !strcmp(argv[i + 1], "yes");
    if (thorough)
        runs = RUNS;
    augur = batches_augur();
    bool good = batches_run(&b);
    printf("%llu programs, %llu runs (%llu failed by themselves), %llu findings proved "
           "(%llu assertions, %llu races, %llu deadlocks), %llu executed and confirmed; %llu "
           "compared with the oracle, %llu too large for it; %llu inconclusive\n",
           (unsigned long long)total.programs, (unsigned long long)total.runs,
           (unsigned long long)total.failed_runs, (unsigned long long)total.findings,
           (unsigned long long)total.asserts, (unsigned long long)total.races,
           (unsigned long long)total.deadlocks, (unsigned long long)total.confirmed,
           (unsigned long long)total.compared, (unsigned long long)total.too_large,
           (unsigned long long)total.open);
    return good ? 0 : 1;
}
