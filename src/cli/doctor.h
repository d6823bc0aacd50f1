/* cli/doctor.h: between the files of 'augur doctor'. */
#ifndef AU_CLI_DOCTOR_H
#define AU_CLI_DOCTOR_H

#include "base/vec.h"

#include <stdbool.h>

typedef enum { AU_DOCTOR_GOOD, AU_DOCTOR_WARN, AU_DOCTOR_MISSING } au_doctor_verdict;
typedef struct {
    const char *name;
    au_doctor_verdict verdict;
    bool required;
    char *detail;
    const char *advice; /* "" if there is nothing to do */
} au_doctor_finding;
typedef AU_VEC(au_doctor_finding) au_doctor_findings;

/* Takes over 'detail'. */
void au_doctor_add(au_doctor_findings *f, const char *name, au_doctor_verdict v, bool required,
                   char *detail, const char *advice);

/* What containers and limits take away: addresses, memory, processes, time of processors, places to write. */
void au_doctor_container(au_doctor_findings *f);

#endif
