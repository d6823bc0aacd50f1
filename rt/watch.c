/* SPDX-License-Identifier: MIT
 *
 * rt/watch.c: the watchdog. */
#include "rt/start.h"
#include "rt/stream.h"

void rt_watch_start(void) {
}
