/* Any text as a schedule or as findings. */
#include "confirm/wanted.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n) {
    char *text = au_strndup((const char *)p, n);
    for (int i = 0; i < 2; i++) {
        au_wanted w;
        au_error err = AU_ERROR_NONE;
        if (au_wanted_parse(&w, text, strlen(text), "f", i ? "R1" : NULL, &err) != AU_OK) {
            AU_BUG_IF(!*err.text);
            continue;
        }
        AU_BUG_IF(!w.turns.n || (w.id && !w.event.n));
        for (size_t k = 0; k < w.turns.n; k++)
            AU_BUG_IF(!w.turns.at[k].upto);
        au_wanted_complete(&w);
        au_wanted_stop_before(&w);
        au_wanted_release(&w);
    }
    free(text);
    return 0;
}
