/* serve/http.c: HTTP by libmicrohttpd, loaded when it is needed, and the checks that every request has to pass:
 *
 *   Host is 127.0.0.1:PORT or localhost:PORT     a name that somebody lets point here (DNS rebinding) gets nothing
 *   the path begins with the token               a page elsewhere, and another user, do not know it
 *   GET asks, POST acts; POST is JSON            a form of another page cannot send that
 *   Origin of a POST is this server              and nobody else's script may
 *
 * No cookie: other servers of this machine would get it, since cookies know no ports. */
#include "serve/serve_priv.h"

#include "base/alloc.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BODY = 1 << 16, CONNECTIONS = 64, IDLE_SECONDS = 60 };

typedef struct {
    struct MHD_Daemon *(*start)(unsigned, uint16_t, MHD_AcceptPolicyCallback, void *,
                                MHD_AccessHandlerCallback, void *, ...);
    void (*stop)(struct MHD_Daemon *);
    enum MHD_Result (*wait)(struct MHD_Daemon *, int32_t);
    const union MHD_DaemonInfo *(*info)(struct MHD_Daemon *, enum MHD_DaemonInfoType, ...);
    const char *(*lookup)(struct MHD_Connection *, enum MHD_ValueKind, const char *);
    struct MHD_Response *(*response)(size_t, void *, enum MHD_ResponseMemoryMode);
    enum MHD_Result (*header)(struct MHD_Response *, const char *, const char *);
    enum MHD_Result (*queue)(struct MHD_Connection *, unsigned, struct MHD_Response *);
    void (*destroy)(struct MHD_Response *);
} library;

struct au_http {
    library mhd;
    struct MHD_Daemon *daemon;
    unsigned port;
    char *token;
    au_http_fn *answer;
    void *ctx;
};

/* ---- the library ---- */

static bool find(void *lib, const char *name, void *into) {
    void *p = lib ? dlsym(lib, name) : NULL;
    memcpy(into, &p, sizeof p); /* ISO C has no way from data to functions */
    return p != NULL;
}

static au_status load(library *l, au_error *err) {
    void *lib = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (find(lib, "MHD_start_daemon", &l->start) && find(lib, "MHD_stop_daemon", &l->stop) &&
        find(lib, "MHD_run_wait", &l->wait) && find(lib, "MHD_get_daemon_info", &l->info) &&
        find(lib, "MHD_lookup_connection_value", &l->lookup) &&
        find(lib, "MHD_create_response_from_buffer", &l->response) &&
        find(lib, "MHD_add_response_header", &l->header) &&
        find(lib, "MHD_queue_response", &l->queue) &&
        find(lib, "MHD_destroy_response", &l->destroy))
        return AU_OK;
    return au_error_set(err, AU_EUNSUPPORTED,
                        "'augur serve' needs libmicrohttpd, which is not installed "
                        "(Debian: libmicrohttpd12)");
}

/* ---- one answer ---- */

static enum MHD_Result put_answer(const au_http *h, struct MHD_Connection *c,
                                  const au_serve_answer *a) {
    size_t n;
    const char *text = au_out_memory_data(a->out, &n);
    struct MHD_Response *r = h->mhd.response(n, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    static const char *const header[][2] = {
        {"Cache-Control", "no-store"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Content-Security-Policy",
         "frame-ancestors 'none'"}, /* pages have one of their own, too */
    };
    h->mhd.header(r, "Content-Type", a->type);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        h->mhd.header(r, header[i][0], header[i][1]);
    if (a->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        h->mhd.header(r, "Allow", "GET, POST");
    enum MHD_Result sent = h->mhd.queue(c, a->status, r);
    h->mhd.destroy(r);
    return sent;
}

static enum MHD_Result refuse(const au_http *h, struct MHD_Connection *c, unsigned status,
                              const char *why) {
    au_serve_answer a = {status, "text/plain; charset=utf-8", au_out_memory()};
    au_out_printf(a.out, "augur: %s\n", why);
    enum MHD_Result sent = put_answer(h, c, &a);
    au_out_abandon(a.out);
    return sent;
}

/* ---- who may ask ---- */

static bool is_here(const au_http *h, const char *host) {
    char number[40], name[40];
    snprintf(number, sizeof number, "127.0.0.1:%u", h->port);
    snprintf(name, sizeof name, "localhost:%u", h->port);
    return host && (!strcmp(host, number) || !strcmp(host, name));
}

/* Takes as long whatever is wrong. */
static bool has_token(const au_http *h, const char *path) {
    size_t n = strlen(h->token);
    unsigned differs = strlen(path) < n + 2 || path[0] != '/' || path[n + 1] != '/';
    if (differs)
        return false;
    for (size_t i = 0; i < n; i++)
        differs |= (unsigned)(path[i + 1] ^ h->token[i]);
    return !differs;
}

static bool is_json(const char *type) {
    static const char name[] = "application/json";
    return type && !strncmp(type, name, sizeof name - 1) &&
           (!type[sizeof name - 1] || type[sizeof name - 1] == ';');
}

static bool is_ours(const au_http *h, const char *origin) {
    return !strncmp(origin, "http://", 7) && is_here(h, origin + 7);
}

typedef struct {
    char *body;
    size_t n;
    bool too_long;
} upload;

static enum MHD_Result answer(void *ctx, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state) {
    const au_http *h = ctx;
    upload *u = *state;
    (void)version;
    if (!u) {
        *state = u = au_alloc_array(1, sizeof *u);
        *u = (upload){.body = au_alloc_array(MOST_BODY + 1, 1)};
        return MHD_YES;
    }
    if (*size) {
        u->too_long |= *size > MOST_BODY - u->n;
        if (!u->too_long)
            memcpy(u->body + u->n, data, *size);
        u->n += u->too_long ? 0 : *size;
        *size = 0;
        return MHD_YES;
    }
    u->body[u->n] = 0;
    bool post = !strcmp(method, "POST");
    const char *origin = h->mhd.lookup(c, MHD_HEADER_KIND, "Origin");
    if (!is_here(h, h->mhd.lookup(c, MHD_HEADER_KIND, "Host")))
        return refuse(h, c, MHD_HTTP_MISDIRECTED_REQUEST,
                      "this is another server than you asked for");
    if (!has_token(h, url))
        return refuse(h, c, MHD_HTTP_FORBIDDEN, "use the whole address that 'augur serve' printed");
    if (!post && strcmp(method, "GET") != 0)
        return refuse(h, c, MHD_HTTP_METHOD_NOT_ALLOWED, "GET and POST only");
    if (post && ((origin && !is_ours(h, origin)) ||
                 !is_json(h->mhd.lookup(c, MHD_HEADER_KIND, "Content-Type"))))
        return refuse(h, c, MHD_HTTP_FORBIDDEN, "only its own pages may do that");
    if (u->too_long)
        return refuse(h, c, MHD_HTTP_CONTENT_TOO_LARGE, "that is too long");
    au_serve_request q = {post, url + strlen(h->token) + 2, u->body};
    au_serve_answer a = {MHD_HTTP_OK, "application/json", au_out_memory()};
    h->answer(h->ctx, &q, &a);
    enum MHD_Result sent = put_answer(h, c, &a);
    au_out_abandon(a.out);
    return sent;
}

static void done(void *ctx, struct MHD_Connection *c, void **state,
                 enum MHD_RequestTerminationCode how) {
    upload *u = *state;
    (void)ctx;
    (void)c;
    (void)how;
    if (u)
        free(u->body);
    free(u);
    *state = NULL;
}

/* ---- the server ---- */

au_http *au_http_open(unsigned port, const char *token, au_http_fn *f, void *ctx, au_error *err) {
    struct sockaddr_in here = {.sin_family = AF_INET,
                               .sin_port = htons((uint16_t)port),
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    au_http *h = au_alloc_array(1, sizeof *h);
    *h = (au_http){.token = au_strdup(token), .answer = f, .ctx = ctx};
    if (load(&h->mhd, err) == AU_OK) {
        h->daemon = h->mhd.start(
            MHD_NO_FLAG, (uint16_t)port, NULL, NULL, answer, h, MHD_OPTION_SOCK_ADDR, &here,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED, done, NULL, MHD_OPTION_END);
        const union MHD_DaemonInfo *info =
            h->daemon ? h->mhd.info(h->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
        h->port = info ? info->port : port;
        if (!h->daemon)
            au_error_errno(err, "cannot listen on port %u of 127.0.0.1", port);
    }
    if (h->daemon)
        return h;
    au_http_free(h);
    return NULL;
}

unsigned au_http_port(const au_http *h) {
    return h->port;
}

au_status au_http_turn(au_http *h, unsigned milliseconds, au_error *err) {
    if (h->mhd.wait(h->daemon, (int32_t)milliseconds) == MHD_YES)
        return AU_OK;
    return au_error_set(err, AU_EIO, "libmicrohttpd failed");
}

void au_http_free(au_http *h) {
    if (!h)
        return;
    if (h->daemon)
        h->mhd.stop(h->daemon);
    free(h->token);
    free(h);
}
