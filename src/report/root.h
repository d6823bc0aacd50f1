/* report/root.h: names of source files as code hosts want them, relative to the root of the sources. */
#ifndef AU_REPORT_ROOT_H
#define AU_REPORT_ROOT_H

#include "report/case.h"

/* The directory that has '.git' and in which the program's directory is; else the program's directory; "" if that is not
 * known. Without a '/' at its end. The caller frees it. */
char *au_root_of(const au_dossier *d);
/* The file below the root, or as it is called. Names that are not absolute are those of the program's directory. The
 * caller frees it. */
char *au_root_name(const au_dossier *d, const char *root, const char *file);

#endif
