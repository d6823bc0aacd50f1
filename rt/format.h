/* SPDX-License-Identifier: MIT
 *
 * rt/format.h: what the functions of printf and scanf touch, as their formats say. Nothing is told unless the
 * thread is in a call out of code with hooks or of a library (bytes.h). */
#ifndef AUGUR_RT_FORMAT_H
#define AUGUR_RT_FORMAT_H

#include <stdarg.h>

/* printf: the format, and the strings that it is given; before the call. */
void rt_tell_printed(const char *format, va_list ap);
/* … and what %n stores; after it. */
void rt_tell_counted(const char *format, va_list ap);
/* scanf: the format, and where the first 'stored' values went; after the call. */
void rt_tell_scanned(const char *format, va_list ap, int stored);

#endif
