/* SPDX-License-Identifier: MIT
 *
 * rt/signal.c: signals. */
#include "rt/start.h"
#include "rt/stream.h"

void rt_signal_start(void) {
}
