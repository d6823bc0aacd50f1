/* trace/recording_late.c: a recording that is read while the time of the command runs out (base/deadline.h).
 *
 * The beginning of a run is a run. So the survey may end early, with time left for the events, and the second pass
 * ends at the same record: what is shared, and where epochs end, is then true of what is read. It may end still
 * earlier; what the survey knows of the rest does no harm. */
#include "base/deadline.h"
#include "trace/recording_priv.h"

enum { EVERY = 1 << 16 };       /* records: a few milliseconds */
static const double REST = 0.5; /* of the time, for the events: they take as long as the survey */

void au_recording_late_begin(au_recording *d) {
    double left = au_deadline_left();
    d->asked = 0;
    d->look = EVERY;
    d->leave = d->surveyed || d->opts.late != AU_LATE_CUT || left >= AU_FOREVER ? 0 : REST * left;
}

au_status au_recording_look(au_recording *d, bool *end, au_error *err) {
    *end = d->most && d->look >= d->most;
    d->look += EVERY;
    if (*end || d->opts.late == AU_LATE_WAIT ||
        !(au_deadline_over() || (d->leave > 0 && au_deadline_left() < d->leave)))
        return AU_OK;
    if (d->opts.late == AU_LATE_FAIL)
        return au_error_set(err, AU_EUNSUPPORTED, "%s", au_deadline_why());
    *end = d->base.cut = true;
    if (!d->surveyed)
        d->most = d->look - EVERY;
    return AU_OK;
}
