/* api/api_priv.h: what the files of the C interface (include/augur/augur.h) share. */
#ifndef AU_API_PRIV_H
#define AU_API_PRIV_H

#include "base/error.h"

#include <augur/augur.h>

/* A result from the JSON that a child wrote; NULL and *err if it is none. */
au_api_result *au_api_result_read(const char *text, size_t n, au_error *err);

au_api_status au_api_status_of(au_status st);

/* Around the few calls into libraries that keep something global. */
void au_api_lock(void);
void au_api_unlock(void);

#endif
