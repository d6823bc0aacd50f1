/* store/baseline.c: see suppress.h. */
#include "store/suppress.h"

#include "base/in.h"
#include "base/json.h"

#include <cjson/cJSON.h>

enum { MAX_BYTES = 1 << 30 }; /* more is refused */

static au_status mark(const cJSON *findings, const char *path, au_dossier *d, size_t *n,
                      au_error *err) {
    const cJSON *x;
    unsigned number = 0;
    cJSON_ArrayForEach(x, findings) {
        const cJSON *f = cJSON_GetObjectItemCaseSensitive(x, "fingerprint");
        number++;
        if (!cJSON_IsString(f) || !*f->valuestring)
            return au_error_set(err, AU_EFORMAT,
                                "finding %u of the baseline '%s' has no fingerprint", number, path);
        for (size_t i = 0; i < d->at.n; i++) {
            au_case *c = &d->at.at[i];
            if (strcmp(c->fingerprint, f->valuestring) && strcmp(c->earlier, f->valuestring))
                continue;
            *n += !c->known;
            c->known = true;
            if (!*c->note)
                c->note = "in the baseline";
        }
    }
    return AU_OK;
}

au_status au_baseline_mark(const char *path, au_dossier *d, size_t *n, au_error *err) {
    char *text;
    size_t length;
    *n = 0;
    au_status st = au_in_whole(path, MAX_BYTES, "a baseline", &text, &length, err);
    if (st != AU_OK)
        return st;
    cJSON *root = cJSON_ParseWithLength(text, length);
    const cJSON *findings = root ? cJSON_GetObjectItemCaseSensitive(root, "findings") : NULL;
    if (!root)
        st = au_error_set(err, AU_EFORMAT, "the baseline '%s' is not valid JSON", path);
    else if (!cJSON_IsArray(findings))
        st = au_error_set(err, AU_EFORMAT,
                          "'%s' is no baseline: it has no \"findings\"; 'augur report --format "
                          "baseline' writes one",
                          path);
    else
        st = mark(findings, path, d, n, err);
    cJSON_Delete(root);
    free(text);
    return st;
}

void au_baseline_write(const au_dossier *d, au_out *out) {
    au_json j;
    au_json_init(&j, out, true);
    au_json_object(&j);
    au_json_put_string(&j, "tool", "augur");
    au_json_put_string(&j, "version", AU_VERSION);
    au_json_key(&j, "findings");
    au_json_array(&j);
    for (size_t i = 0; i < d->at.n; i++) {
        au_json_object_inline(&j);
        au_json_put_string(&j, "fingerprint", d->at.at[i].fingerprint);
        au_json_put_string(&j, "kind", au_case_kind_name(&d->at.at[i]));
        au_json_put_string(&j, "message", d->at.at[i].message);
        au_json_end_object(&j);
    }
    au_json_end_array(&j);
    au_json_end_object(&j);
    au_out_char(out, '\n');
}
