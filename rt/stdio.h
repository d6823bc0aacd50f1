/* SPDX-License-Identifier: MIT
 *
 * rt/stdio.h: where a stream stands. */
#ifndef AUGUR_RT_STDIO_H
#define AUGUR_RT_STDIO_H

#include "rt/state.h"

#include <stdio.h>

enum rt_stream_way {
    RT_STREAM_LOOK, /* ftell, feof */
    RT_STREAM_IN,   /* takes something, or goes elsewhere */
    RT_STREAM_OUT,
    RT_STREAM_BARE /* either, without the stream's lock (…_unlocked) */
};
/* After such a call, between enter and leave; OUT and BARE: before it, and before what it reads is told: who follows
 * the run sees then that what goes out may come back. */
void rt_stream_state(FILE *f, enum rt_stream_way way);
/* The same; enters and leaves. */
void rt_stream_moved(FILE *f, enum rt_stream_way way);

/* Before the library writes to this descriptor by itself; enters and leaves. */
void rt_descriptor_moved(int fd);
/* It has done so into a pipe or socket of the process itself, and does so in a replay. */
extern bool rt_put_inside;

/* After this stream (NULL: each) was flushed, or closed and is gone: tells what that wrote, if its file is memory of the
 * program (memstream.c); enters and leaves. */
void rt_memstream_written(FILE *f, bool gone);

#endif
