/* fuzz/fuzz_ctp.c: what reads as a model must be one, and must print as text that
 * reads as the same model and prints the same. */
#include "base/alloc.h"
#include "model/ctp.h"
#include "model/run.h"
#include "same_model.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void require(bool ok, const char *what, const char *detail) {
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    __builtin_trap();
}

/* NULL: the language has no words for it. */
static au_out *print(const au_model *m) {
    au_error err = AU_ERROR_NONE;
    au_out *out = au_out_memory();
    if (au_ctp_print(m, out, &err) == AU_OK)
        return out;
    require(err.status == AU_EUNSUPPORTED, "print failed", err.text);
    au_out_abandon(out);
    return NULL;
}

static void round_trip(const au_model *m, const au_ctp_options *opts) {
    size_t n, again_n;
    au_out *out = print(m);
    if (!out)
        return;
    const char *text = au_out_memory_data(out, &n);
    au_error err = AU_ERROR_NONE;
    au_model *again = au_ctp_read(text, n, "printed", opts, &err);
    require(again, "what was printed does not read", err.text);
    require(again->thread.n == m->thread.n && again->step.n == m->step.n &&
                again->n_blocks == m->n_blocks && again->observed.n == m->observed.n,
            "another model after printing", text);
    for (size_t t = 0; t < m->thread.n; t++)
        require(again->thread.at[t].node.n == m->thread.at[t].node.n, "other nodes", text);
    /* the condition of a loop that is kept has its temporaries from the reader */
    const char *differs = m->has_loops ? NULL : au_same_model(m, again);
    require(!differs, differs ? differs : "", text);
    au_out *second = print(again);
    require(second, "cannot be printed again", text);
    const char *text2 = au_out_memory_data(second, &again_n);
    if (n != again_n || memcmp(text, text2, n) != 0) {
        fprintf(stderr, "%s\n----\n%s\n", text, text2);
        require(false, "printing changed", "see above");
    }
    au_out_abandon(second);
    au_model_free(again);
    au_out_abandon(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    for (int keep = 0; keep < 2; keep++) {
        au_ctp_options opts = {.unroll = keep ? AU_NONE : 2, .max_steps = 5000};
        au_error err = AU_ERROR_NONE;
        au_model *m = au_ctp_read((const char *)p, n, "fuzz", &opts, &err);
        if (!m) {
            require(err.status == AU_EFORMAT && *err.text, "no message", "");
            continue;
        }
        const char *wrong = au_model_check(m);
        require(!wrong, "not a model", wrong ? wrong : "");
        require(au_model_check_observed(m, NULL, &err) == AU_OK, "observed run", err.text);
        round_trip(m, &opts);
        bool loops = m->has_loops;
        au_model_free(m);
        if (keep == 0 && !loops && !memmem(p, n, "while", 5))
            break;
    }
    return 0;
}
