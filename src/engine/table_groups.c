/* engine/table_groups.c: the headings that options stand under in the help. An option means the same
 * in every command, so that its name says where it belongs. What is not named here stands first. */
#include "engine/table_priv.h"

#include <string.h>

const au_option_group au_option_groups[] = {
    {"options", ""},
    {"recording and executing", "runs|policy|seed|switch-every|depth|max-events|for|env|cwd|"
                                "sandbox|replay|explore|args|measure|"
                                "native|continue|recordings|cases|children|retry"},
    {"what to look for",
     "prop|memory-model|checks|atomic|compare-output|values|reach|all|first|check|entry|once|"
     "library"},
    {"time, memory and bounds",
     "budget|timeout|run-timeout|jobs|memory|max-runs|unroll|stream|max-states"},
    {"output", "fail-on|exhaustive|format|output|html|most|top|brief|verbose|stats|svcomp|witness"},
    {"store and known findings", "store|keep|whole|again|since|baseline|suppressions"},
    {"input", "from|partial|lenient"},
    {"shards and other machines", "shard|on|nodes|retries|work-dir|slurm-options|node-augur"},
    {"options for people who work on augur's analyses",
     "model|prefix|context-bound|backend|stages|widths|order|graph|window|split|dump|certify|pairs|"
     "effort|"
     "schedules|domain|rounds|reduce|spurious|all-spurious|pairwise|max-nodes|graph-timeout|inline|"
     "tsg|mat|ccfg|priority|look-ahead|bare|draw|keep-reads"},
};
const size_t au_n_option_groups = LEN(au_option_groups);
_Static_assert(LEN(au_option_groups) == AU_GROUP_ANALYSES + 1, "the last one is the analyses'");

size_t au_option_group_of(const char *name) {
    size_t n = strlen(name);
    for (size_t g = 1; g < au_n_option_groups; g++)
        for (const char *s = au_option_groups[g].names; *s; s += strcspn(s, "|"), s += *s == '|')
            if (strcspn(s, "|") == n && !strncmp(s, name, n))
                return g;
    return 0;
}
