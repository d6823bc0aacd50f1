/* engine/forms.h: the forms of a report by their names. */
#ifndef AU_ENGINE_FORMS_H
#define AU_ENGINE_FORMS_H

#include "base/out.h"
#include "report/case.h"

/* json, sarif, junit, github or html; false: none of these, and nothing is written. */
bool au_form_put(const au_dossier *d, const char *format, au_out *out);
/* Fails if a report cannot be written there ('-': it can), without writing anything: before a long
 * run. */
au_status au_form_can_write(const char *path, au_error *err);

/* Can files be written into this directory, which may have to be made? To be asked before anything runs. */
au_status au_directory_can_be(const char *path, au_error *err);

#endif
