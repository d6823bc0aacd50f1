//! right
/* … by a queue of messages. */
#include <fcntl.h>
#include <mqueue.h>
static mqd_t q;
static struct mq_attr two = {.mq_maxmsg = 2, .mq_msgsize = 4096};
#define OPEN() (q = mq_open("/augur_full", O_CREAT | O_RDWR, 0600, &two), mq_unlink("/augur_full"))
#define SEND() mq_send(q, buf, 100, 0)
#define RECEIVE() mq_receive(q, c, 4096, 0)
#define TIMES 3
#include "channel_full.c"
