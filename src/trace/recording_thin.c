/* trace/recording_thin.c: of a long recording, the accesses that tell something (thin.h). */
#include "trace/recording_priv.h"

#include "base/limits.h"

bool au_recording_may_be_thinned(const au_recording *d) {
    return d->opts.thin && d->opts.fold && !d->opts.words && !d->opts.watch;
}

void au_recording_thin(au_recording *d) {
    if (!d->epochs.on)
        return;
    au_epochs_done(&d->epochs, &d->survey);
    uint64_t most = au_limit_value(AU_AT_THINNED);
    if (d->accesses > most && d->epochs.accesses > most) /* a range is one access of many words */
        d->thin = au_thin_new(&d->epochs, d->opts.waiting);
}

void au_recording_thin_release(au_recording *d) {
    au_thin_free(d->thin);
    d->thin = NULL;
    au_epochs_release(&d->epochs);
    au_columns_release(&d->hook);
}
