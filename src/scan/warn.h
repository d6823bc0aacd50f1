/* scan/warn.h: the warnings to begin with, and what fork, join and locks rule out. */
#ifndef AU_SCAN_WARN_H
#define AU_SCAN_WARN_H

#include "scan/reach.h"
#include "scan/scan.h"

/* Fills r->warning with everything that conflicts, and asserts. */
void au_warn_find(const au_facts *f, const au_scan_options *o, au_scan_result *r);
/* In the order of their ranks. */
void au_warn_sort(const au_facts *f, const au_scan_options *o, au_scan_result *r);

/* warn_many.c: accesses of one variable. */
typedef struct {
    uint32_t step;
    bool write;
} au_warn_touch;
typedef struct au_warn_many au_warn_many; /* what is shared between variables */
au_warn_many *au_warn_many_new(const au_facts *f, const au_scan_options *o, au_scan_result *r);
void au_warn_many_free(au_warn_many *k);
/* True: two threads access it, one writing. */
bool au_warn_many_add(au_warn_many *k, uint32_t var, const au_warn_touch *touch, size_t n);
/* Fork and join keep threads that stand at these nodes apart. */
bool au_warn_ordered(const au_facts *f, uint32_t a, uint32_t b);
/* What guards their accesses keeps them apart. */
static inline bool au_warn_excluded(const au_scan_options *o, uint32_t guard, uint32_t other) {
    return (guard || other) && o->excludes(o->guards, guard, other);
}
/* Which of the two first stages rules this place out; AU_SCAN_STAGES: none. */
au_scan_stage au_warn_cheap(const au_facts *f, const au_scan_options *o, const au_warning *w,
                            const au_scan_place *p);

#endif
