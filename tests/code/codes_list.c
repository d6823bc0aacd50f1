/* tests/code/codes_list.c: the decoded modules of a recording (au_codes_open).
 * usage: codes_list RECORDING */
#include "ir/code.h"
#include "retrace/retrace.h"
#include "trace/recording.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    au_error err = AU_ERROR_NONE;
    au_block block;
    au_reader *r = argc == 2 ? au_reader_open(argv[1], NULL, &err) : NULL;
    if (!r || au_reader_next(r, &block, &err) != AU_OK) {
        fprintf(stderr, "codes_list: %s\n", err.text);
        return 2;
    }
    char *note;
    au_codes *codes = au_codes_open(r, &note, &err);
    if (!codes) {
        fprintf(stderr, "codes_list: %s\n", err.text);
        au_reader_free(r);
        return 2;
    }
    if (note)
        printf("note: %s\n", note);
    free(note);
    const au_recording_facts *f = au_reader_facts(r);
    for (size_t i = 0; i < f->module.n; i++) {
        const au_code *c = au_codes_find(codes, f->module.at[i].id);
        printf("%s: %s", f->module.at[i].source, c ? "decoded" : "not there");
        if (c) {
            uint32_t globals = 0;
            for (uint32_t k = 0; k < c->n_globals; k++)
                globals += c->global[k].table != AU_NONE;
            printf(", %" PRIu32 " functions%s%s", c->n_functions,
                   c->n_sites == f->module.at[i].sites ? "" : ", OTHER SITES",
                   globals == f->module.at[i].globals ? "" : ", OTHER GLOBALS");
        }
        putchar('\n');
    }
    au_codes_free(codes);
    au_reader_free(r);
    return 0;
}
