/* base/json.h: a streaming JSON writer. Commas, quoting and nesting are its
 * business; bytes that are not UTF-8 are written as U+FFFD, control characters
 * escaped, so that any name in a traced program gives valid JSON. */
#ifndef AU_BASE_JSON_H
#define AU_BASE_JSON_H

#include "base/out.h"

typedef struct {
    au_out *out;      /* borrowed */
    bool pretty;      /* two spaces a level and a line an element, else one line */
    unsigned depth;   /* at most 63 levels */
    uint64_t filled;  /* bit d: level d has an element already */
    uint64_t inlined; /* bit d: level d stands on one line although pretty */
    bool after_key;
} au_json;

void au_json_init(au_json *j, au_out *out, bool pretty);
void au_json_object(au_json *j);
void au_json_array(au_json *j);
/* The same, but written on one line even when pretty: for small tuples. */
void au_json_object_inline(au_json *j);
void au_json_array_inline(au_json *j);
void au_json_end_object(au_json *j);
void au_json_end_array(au_json *j);
void au_json_key(au_json *j, const char *key);
void au_json_string(au_json *j, const char *s);
void au_json_string_n(au_json *j, const char *s, size_t n);
void au_json_i64(au_json *j, int64_t v);
void au_json_u64(au_json *j, uint64_t v);
void au_json_double(au_json *j, double v); /* not finite: null */
void au_json_bool(au_json *j, bool v);
void au_json_null(au_json *j);

/* key and value in one call */
void au_json_put_string(au_json *j, const char *key, const char *s);
void au_json_put_u64(au_json *j, const char *key, uint64_t v);
void au_json_put_i64(au_json *j, const char *key, int64_t v);
void au_json_put_bool(au_json *j, const char *key, bool v);

#endif
