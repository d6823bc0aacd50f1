/* engine/test_seen.c: see test_seen.h. */
#include "engine/test_seen.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Another version may find more. */
#define HEAD "augur " AU_VERSION "\n"

void au_test_seen_read(au_test_seen *s, const char *store) {
    char line[100];
    uint64_t hash, run;
    *s = (au_test_seen){.path = au_sprintf("%s/suite.seen", store)};
    au_map_init(&s->run);
    FILE *f = fopen(s->path, "re");
    bool ours = f && fgets(line, sizeof line, f) && !strcmp(line, HEAD);
    while (ours && fgets(line, sizeof line, f))
        if (sscanf(line, "%" SCNx64 " %" SCNu64, &hash, &run) == 2)
            *au_map_put(&s->run, hash, NULL) = run;
    if (f)
        fclose(f);
    if (!ours && (f = fopen(s->path, "we"))) {
        fputs(HEAD, f);
        fclose(f);
    }
}

uint64_t au_test_seen_run(const au_test_seen *s, uint64_t hash) {
    const uint64_t *run = au_map_find(&s->run, hash);
    return run ? *run : 0;
}

void au_test_seen_add(au_test_seen *s, uint64_t hash, uint64_t run) {
    *au_map_put(&s->run, hash, NULL) = run;
    FILE *f = fopen(s->path, "ae");
    if (!f)
        return;
    fprintf(f, "%016" PRIx64 " %" PRIu64 "\n", hash, run);
    fclose(f);
}

void au_test_seen_release(au_test_seen *s) {
    au_map_release(&s->run);
    free(s->path);
}
