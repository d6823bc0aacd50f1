/* tests/soak/findings.h: what the JSON of two runs of a command says, compared. */
#ifndef SOAK_FINDINGS_H
#define SOAK_FINDINGS_H

#include <cjson/cJSON.h>
#include <stdbool.h>

/* "" if there is none. */
const char *soak_text(const cJSON *object, const char *key);
/* Is 'wanted' among its findings, and as_sure: not as 'possible' only? By its fingerprint; by its words if it is
 * said that sources could not be read. */
bool soak_has_finding(const cJSON *j, const cJSON *wanted, bool as_sure);
/* Does it say of more than the control that it was not decided? */
bool soak_more_open(const cJSON *j, const cJSON *control);
/* Does an exploration say that it covered less, or something else, than the control? */
bool soak_covers_less(const cJSON *j, const cJSON *control);

#endif
