/* lower/typed.c: by which types memory is accessed that is not told from other memory.
 *
 * Of large programs, and of those whose code is not all there, much is 'memory of the outside': pointers that may lead to too many
 * objects, and what unknown functions give. C lets an object be accessed by its type only (or as chars), so an access of
 * master->reading and one of path->length are of different memory if nothing of type 'struct master' is in a 'struct path' or the
 * other way round. clang says by which type a load or store is (TBAA; not with -fno-strict-aliasing); what it takes for
 * accesses of different memory, compilers move past each other. Members of the same type at the same offset are left as they are:
 * structures with a common head, which are taken for each other in much code that compilers happen not to break.
 *
 * Only where nothing else is known: of memory that is told from other memory, its bytes decide. And not as SV-COMP has it: its
 * verdict must hold of programs that break the rule, too. */
#include "lower/build.h"

static bool is_vague(src *s, uint32_t frame, au_operand o) {
    au_src_set set = au_src_points(s, frame, o);
    for (size_t i = 0; i < set.n; i++) {
        const au_src_obj *obj = &s->obj.at[s->loc.at[set.at ? set.at[i] : set.one].obj];
        if (obj->kind == OBJ_OUTSIDE || obj->absorbed || obj->collapsed)
            return true;
    }
    return false;
}

static uint32_t way_of(src *s, const au_code *c, uint32_t alias) {
    const struct au_code_alias *a = &c->alias[alias];
    AU_VEC(au_guard_link) link = {0};
    for (uint32_t k = 0; k < a->n; k++)
        au_vec_push(&link, ((au_guard_link){c->immediate[a->first + 2 * k],
                                            c->immediate[a->first + 2 * k + 1]}));
    uint32_t way = a->n ? au_guard_add_way(&s->out->guards, a->root, link.at, a->n) : 0;
    au_vec_release(&link);
    return way;
}

static uint32_t with_way(src *s, uint32_t way, uint32_t had) {
    au_src_guard g = {.bytes = 1};
    if (had)
        g = s->out->guards.at.at[had - 1]; /* borrows its lists */
    g.way = way;
    return au_guard_add(&s->out->guards, &g);
}

void au_bld_types(bld *b) {
    src *s = b->s;
    if (s->o.svcomp)
        return;
    for (uint32_t f = 0; f < s->frame.n && !au_src_late(s); f++) {
        const au_src_fn *g = &s->fn.at[s->frame.at[f].fn];
        for (uint32_t k = 0; k < g->f->n && g->code->alias_at; k++) {
            uint32_t at = g->f->first + k, alias = g->code->alias_at[at];
            if (!g->live[k] || !alias || !is_vague(s, f, g->code->insn[at].a))
                continue;
            uint32_t way = way_of(s, g->code, alias);
            uint64_t *is = au_map_put(&s->guard_at, au_key2(f, at), NULL);
            *is = (uint64_t)with_way(s, way, (uint32_t)(*is >> 32)) << 32 |
                  with_way(s, way, (uint32_t)*is);
        }
    }
}
