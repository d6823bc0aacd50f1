/* tests/soak/findings.c: see findings.h. */
#include "findings.h"

#include <string.h>

const char *soak_text(const cJSON *object, const char *key) {
    const char *t = cJSON_GetStringValue(cJSON_GetObjectItem(object, key));
    return t ? t : "";
}

/* Was it said that fingerprints are not what they are otherwise? Then words must do. */
static bool sourceless(const cJSON *j) {
    const cJSON *n;
    cJSON_ArrayForEach(n, cJSON_GetObjectItem(j, "notes")) {
        const char *text = cJSON_GetStringValue(n);
        if (text && strstr(text, "their fingerprints differ"))
            return true;
    }
    return false;
}

/* In the list, or a variant of one in it: what has one cause depends on what is known of its lines. */
static bool lists(const cJSON *list, const cJSON *wanted, const char *key, bool as_sure) {
    const cJSON *f;
    cJSON_ArrayForEach(f, list) {
        if (lists(cJSON_GetObjectItem(f, "folded"), wanted, key, as_sure))
            return true;
        if (strcmp(soak_text(f, key), soak_text(wanted, key)))
            continue;
        if (!as_sure || strcmp(soak_text(f, "status"), "possible") ||
            !strcmp(soak_text(wanted, "status"), "possible"))
            return true;
    }
    return false;
}

bool soak_has_finding(const cJSON *j, const cJSON *wanted, bool as_sure) {
    return lists(cJSON_GetObjectItem(j, "findings"), wanted,
                 sourceless(j) ? "message" : "fingerprint", as_sure);
}

bool soak_more_open(const cJSON *j, const cJSON *control) {
    const cJSON *i, *k;
    cJSON_ArrayForEach(i, cJSON_GetObjectItem(j, "inconclusive")) {
        bool known = false;
        cJSON_ArrayForEach(k, cJSON_GetObjectItem(control, "inconclusive")) known |=
            cJSON_Compare(i, k, true);
        if (!known)
            return true;
    }
    return false;
}

bool soak_covers_less(const cJSON *j, const cJSON *control) {
    return strcmp(soak_text(j, "explored"), soak_text(control, "explored")) &&
           !strstr(soak_text(j, "explored"), "Every interleaving of this input was covered");
}
