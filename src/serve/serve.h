/* serve/serve.h: the store in a browser of this machine: 'augur serve'. Nobody else can ask: it listens on the loopback
 * interface, every address begins with a token that only the caller gets, the Host header must name this server, and
 * what acts is asked for by POST, from a page of this server. */
#ifndef AU_SERVE_SERVE_H
#define AU_SERVE_SERVE_H

#include "base/error.h"

typedef struct au_serve au_serve;

/* 'port' 0: a free one. AU_EUNSUPPORTED without libmicrohttpd, AU_EUSAGE without a store. NULL: *err is set. */
au_serve *au_serve_open(const char *store, unsigned port, au_error *err);
/* "http://127.0.0.1:40123/…/", for who may use it; borrowed. */
const char *au_serve_address(const au_serve *s);
/* Until the command is told to end (base/deadline.h). */
au_status au_serve_go(au_serve *s, au_error *err);
void au_serve_free(au_serve *s);

#endif
