/* Prints sizes, offsets and numbers of the C interface: what a compiled program relies on. */
#include <augur/augur.h>
#include <stdio.h>

#define SIZE(t) printf("%s %zu bytes\n", #t, sizeof(t))
#define AT(t, m) printf("%s.%s at %zu, %zu bytes\n", #t, #m, offsetof(t, m), sizeof(((t *)0)->m))
#define IS(e) printf("%s = %d\n", #e, (int)(e))

int main(void) {
    AT(au_api_summary, answer), AT(au_api_summary, findings), AT(au_api_summary, funnels);
    AT(au_api_summary, inconclusive), AT(au_api_summary, notes), AT(au_api_summary, threads);
    AT(au_api_summary, events), AT(au_api_summary, locks), AT(au_api_summary, vars);
    AT(au_api_summary, seconds), AT(au_api_summary, peak_kib), SIZE(au_api_summary);
    AT(au_api_finding, id), AT(au_api_finding, kind), AT(au_api_finding, standing);
    AT(au_api_finding, object), AT(au_api_finding, what), AT(au_api_finding, why);
    AT(au_api_finding, message), AT(au_api_finding, fingerprint), AT(au_api_finding, events);
    AT(au_api_finding, turns), AT(au_api_finding, steps), AT(au_api_finding, spurious);
    SIZE(au_api_finding);
    AT(au_api_event, thread), AT(au_api_event, index), AT(au_api_event, op);
    AT(au_api_event, object), AT(au_api_event, label), AT(au_api_event, location);
    AT(au_api_event, file), AT(au_api_event, function), AT(au_api_event, line);
    AT(au_api_event, has_value), AT(au_api_event, value), AT(au_api_event, skipped);
    AT(au_api_event, decisive), SIZE(au_api_event);
    AT(au_api_turn, thread), AT(au_api_turn, upto), AT(au_api_turn, mark), SIZE(au_api_turn);
    AT(au_api_funnel, kind), AT(au_api_funnel, unit), AT(au_api_funnel, stages);
    AT(au_api_funnel, left), SIZE(au_api_funnel);
    IS(AU_API_OK), IS(AU_API_EIO), IS(AU_API_EFORMAT), IS(AU_API_EUSAGE), IS(AU_API_EUNSUPPORTED);
    IS(AU_API_EINTERNAL), IS(AU_API_ETIMEOUT);
    IS(AU_API_NOTHING), IS(AU_API_FOUND), IS(AU_API_UNDECIDED);
    IS(AU_API_RACE), IS(AU_API_ATOMICITY), IS(AU_API_DEADLOCK), IS(AU_API_ASSERTION);
    IS(AU_API_NONDETERMINISM), IS(AU_API_LOCK_MISUSE), IS(AU_API_LOST_UPDATE), IS(AU_API_OUTPUT);
    IS(AU_API_CONFIRMED), IS(AU_API_PROVED), IS(AU_API_POSSIBLE), IS(AU_API_REFUTED);
    return 0;
}
