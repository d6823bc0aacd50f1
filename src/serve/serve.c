/* serve/serve.c: see serve.h. */
#include "serve/serve_priv.h"

#include "base/alloc.h"
#include "base/deadline.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { TOKEN_BYTES = 16 };

static au_status make_token(char text[2 * TOKEN_BYTES + 1], au_error *err) {
    unsigned char bytes[TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
        return au_error_errno(err, "no random numbers for the token");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return AU_OK;
}

au_serve *au_serve_open(const char *store, unsigned port, au_error *err) {
    char token[2 * TOKEN_BYTES + 1];
    au_store *s = au_store_open(store, false, err); /* is there one? */
    if (!s)
        return NULL;
    au_store_close(s);
    if (make_token(token, err) != AU_OK)
        return NULL;
    au_serve *v = au_alloc_array(1, sizeof *v);
    *v = (au_serve){.store = au_strdup(store), .replay = {.from = -1}};
    v->http = au_http_open(port, token, au_serve_answer_to, v, err);
    if (!v->http) {
        au_serve_free(v);
        return NULL;
    }
    v->address = au_sprintf("http://127.0.0.1:%u/%s/", au_http_port(v->http), token);
    return v;
}

const char *au_serve_address(const au_serve *s) {
    return s->address;
}

au_status au_serve_go(au_serve *s, au_error *err) {
    au_status st = AU_OK;
    while (st == AU_OK && !au_deadline_signal()) {
        st = au_http_turn(s->http, 200, err);
        au_serve_replay_over(&s->replay);
    }
    return st;
}

void au_serve_free(au_serve *s) {
    if (!s)
        return;
    au_serve_replay_end(&s->replay);
    au_http_free(s->http);
    free(s->store);
    free(s->address);
    free(s);
}
