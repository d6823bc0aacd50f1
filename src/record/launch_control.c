/* record/launch_control.c: the memory shared with the runtime. */
#include "base/limits.h"
#include "record/launch.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static uint64_t page_up(uint64_t n) {
    return (n + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

static void put_turns(void *to, const au_script *s) {
    static const uint32_t flag[AU_MARKS] = {
        [AU_MARK_SPURIOUS] = AU_TURNF_SPURIOUS, [AU_MARK_TIMEOUT] = AU_TURNF_TIMEOUT};
    struct au_wire_turn *turn = to;
    for (size_t i = 0; i < s->n_turns; i++) {
        const au_turn *t = &s->turn[i];
        turn[i] = (struct au_wire_turn){t->thread, flag[t->mark] | (uint32_t)t->why << AU_TURNF_WHY,
                                        t->upto};
    }
}

au_status au_control_make(au_control_map *m, const struct au_control *plan, const au_script *s,
                          au_error *err) {
    *m = (au_control_map){.fd = -1};
    struct au_control c = *plan;
    memcpy(c.magic, AU_CONTROL_MAGIC, sizeof c.magic);
    c.version = AU_CONTROL_VERSION;
    c.ring_offset = page_up(sizeof c);
    c.turns_offset = c.ring_offset + (uint64_t)AU_CHUNKS * AU_CHUNK_BYTES;
    c.n_turns = s->n_turns;
    c.births_offset = page_up(c.turns_offset + s->n_turns * sizeof(struct au_wire_turn));
    c.n_births = s->n_births;
    c.inputs_offset = page_up(c.births_offset + s->n_births * sizeof *s->birth);
    c.inputs_size = s->inputs_size;
    c.made_offset = page_up(c.inputs_offset + s->inputs_size);
    c.made_size = AU_LIMIT_MADE_BYTES;
    c.total = page_up(c.made_offset + c.made_size);
    m->size = c.total;
    m->fd = memfd_create("augur-control", MFD_CLOEXEC);
    if (m->fd < 0 || ftruncate(m->fd, (off_t)c.total)) {
        au_error_errno(err, "cannot make memory to share with the program");
        au_control_release(m);
        return AU_EIO;
    }
    void *p = mmap(NULL, c.total, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
    if (p == MAP_FAILED) {
        au_error_errno(err, "cannot map the memory to share with the program");
        au_control_release(m);
        return AU_EIO;
    }
    m->c = p;
    m->ring = (unsigned char *)p + c.ring_offset;
    *m->c = c;
    put_turns((char *)p + c.turns_offset, s);
    if (s->n_births)
        memcpy((char *)p + c.births_offset, s->birth, s->n_births * sizeof *s->birth);
    if (s->inputs_size)
        memcpy((char *)p + c.inputs_offset, s->inputs, s->inputs_size);
    return AU_OK;
}

void au_control_release(au_control_map *m) {
    if (m->c)
        munmap(m->c, m->size);
    if (m->fd >= 0)
        close(m->fd);
    *m = (au_control_map){.fd = -1};
}
