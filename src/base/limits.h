/* base/limits.h: the limits of augur (base/limits.def): their values, what is lost beyond each, and how the report
 * says that one was reached. Where a limit bites deep inside of a stage, that is counted here
 * (au_limit_reached), in workers as well (base/worker.h), and whoever writes the report asks. One thread only. */
#ifndef AU_BASE_LIMITS_H
#define AU_BASE_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* AU_LIMIT_…: the values. */
enum {
#define GROUP(title)
#define LIMIT(name, value, unit, told, lost, words) AU_LIMIT_##name = (value),
#include "base/limits.def"
#undef LIMIT
};

/* AU_AT_…: the numbers of the rows. */
typedef enum {
#define LIMIT(name, value, unit, told, lost, words) AU_AT_##name,
#include "base/limits.def"
#undef LIMIT
#undef GROUP
    AU_LIMITS
} au_limit;

/* Where the words stand; limits.def says what each is. */
typedef enum {
    AU_TOLD_NOTE,
    AU_TOLD_OPEN,
    AU_TOLD_WHY,
    AU_TOLD_OVER,
    AU_TOLD_GAP,
    AU_TOLD_ERROR,
    AU_TOLD_MORE
} au_limit_told;

typedef struct {
    const char *name;
    uint64_t value;
    const char *unit;
    au_limit_told told;
    const char *lost, *words;
} au_limit_row;

const au_limit_row *au_limit_of(au_limit l);
/* AU_LIMIT_…, unless a test has put another in its place. */
uint64_t au_limit_value(au_limit l);
void au_limit_set_for_test(au_limit l, uint64_t value);

/* The words with their numbers, in buf, which is returned. */
enum { AU_LIMIT_TEXT = 512 };
const char *au_limit_say(au_limit l, uint64_t n, uint64_t of, char buf[AU_LIMIT_TEXT]);
/* … and with a file or a place where they have {at}. */
const char *au_limit_say_at(au_limit l, const char *at, uint64_t n, uint64_t of,
                            char buf[AU_LIMIT_TEXT]);

/* It bit n more times. */
void au_limit_reached(au_limit l, uint64_t n);
/* How often it bit since this was last asked. */
uint64_t au_limit_taken(au_limit l);
void au_limits_forget(void);
/* Which ones bit since: a bit each. For a worker, which sends them to its parent with a result. */
enum { AU_LIMIT_WORDS = (AU_LIMITS + 63) / 64 };
void au_limits_take(uint64_t bits[AU_LIMIT_WORDS]);
void au_limits_add(const uint64_t bits[AU_LIMIT_WORDS]);

#endif
