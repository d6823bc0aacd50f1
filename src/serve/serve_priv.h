/* serve/serve_priv.h: between the files of src/serve. */
#ifndef AU_SERVE_PRIV_H
#define AU_SERVE_PRIV_H

#include "serve/serve.h"

#include "base/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* ---- http.c: libmicrohttpd, and who may ask ---- */

typedef struct {
    bool post;
    const char *path; /* behind the token: "api/findings"; decoded */
    const char *body; /* of a POST: at most MOST_BODY bytes, with a 0 behind them */
} au_serve_request;

typedef struct {
    unsigned status; /* 200 … */
    const char *type;
    au_out *out; /* the body, in memory */
} au_serve_answer;

typedef struct au_http au_http;
/* Answers one request after the other. */
typedef void au_http_fn(void *ctx, const au_serve_request *q, au_serve_answer *a);

au_http *au_http_open(unsigned port, const char *token, au_http_fn *answer, void *ctx,
                      au_error *err);
unsigned au_http_port(const au_http *h);
/* Waits at most so long for requests, and answers them. */
au_status au_http_turn(au_http *h, unsigned milliseconds, au_error *err);
void au_http_free(au_http *h);

/* ---- replay.c: one execution at a time ---- */

typedef struct {
    pid_t pid; /* 0: none was started */
    int from;  /* its output; -1: it has ended */
    int status;
    double begun;
    bool killed;
    char fingerprint[20];
    au_out *text;
} au_serve_replay;

/* 'augur replay' of this finding. False: one is going on. */
bool au_serve_replay_start(au_serve_replay *r, const char *store, const char *fingerprint,
                           au_error *err);
/* Takes what it has written; is it over? */
bool au_serve_replay_over(au_serve_replay *r);
void au_serve_replay_end(au_serve_replay *r);

/* ---- answers.c ---- */

struct au_serve {
    char *store, *address;
    au_http *http;
    au_serve_replay replay;
};
void au_serve_answer_to(void *serve, const au_serve_request *q, au_serve_answer *a);

extern const char au_serve_page_before[], au_serve_page_after[];

#endif
