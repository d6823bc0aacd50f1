// A daemon of libmicrohttpd (its sources are compiled in) with a thread for each connection; two threads ask it.
#include <microhttpd.h>

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct MHD_Daemon *server;
static int served;

static enum MHD_Result answer(void *arg, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state) {
    (void)arg, (void)url, (void)method, (void)version, (void)data, (void)size, (void)state;
    served++; // unordered
    struct MHD_Response *r = MHD_create_response_from_buffer(3, "yes", MHD_RESPMEM_PERSISTENT);
    enum MHD_Result queued = MHD_queue_response(connection, MHD_HTTP_OK, r);
    MHD_destroy_response(r);
    return queued;
}

static void *ask(void *arg) {
    static const char request[] = "GET / HTTP/1.0\r\n\r\n";
    char reply[512];
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_BIND_PORT);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(info->port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&to, sizeof to) == 0 &&
        write(s, request, sizeof request - 1) > 0)
        while (read(s, reply, sizeof reply) > 0) {
        }
    close(s);
    return arg;
}

int main(void) {
    pthread_t t[2];
    server = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION, 0,
                              NULL, NULL, answer, NULL, MHD_OPTION_END);
    if (!server)
        return 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, ask, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    MHD_stop_daemon(server);
    printf("%d requests\n", served);
    return 0;
}
