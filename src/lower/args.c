/* lower/args.c: what a call hands over: values into the locals of the frame that it enters, structures by copying
 * them. */
#include "lower/build.h"

void au_bld_pass_arguments(bld *b, const au_src_call *r, const struct au_code_call *c, bool any) {
    src *s = b->s;
    const au_src_fn *g = &s->fn.at[r->fn];
    const au_code *code = s->fn.at[s->frame.at[b->block->frame].fn].code;
    /* What takes a step to know comes first. */
    for (uint32_t p = 0; p < g->f->n_params && !any; p++)
        for (uint32_t j = 0; p < c->n_args && j < code->arg[c->arg + p].slots; j++) {
            au_operand at = code->arg[c->arg + p].at;
            au_bld_value_of(b, at >= 0 ? at + (au_operand)j : at - (au_operand)j, 64);
        }
    for (uint32_t p = 0; p < g->f->n_params; p++) {
        const struct au_code_arg *to = &g->code->arg[g->f->param + p];
        for (uint32_t j = 0; j < to->slots; j++) {
            unsigned w = to->width ? to->width : 64;
            if (to->byval) {
                uint64_t *obj = au_map_find(&s->heap_at, au_key2(r->frame, UINT32_MAX - 16 - p));
                uint32_t v = au_bld_slot_var(b, r->frame, (uint32_t)to->at);
                if (obj)
                    au_bld_assign(b, v, au_term_const(b->t, 64, s->obj.at[*obj - 1].address));
                continue;
            }
            uint32_t v = au_bld_slot_var(b, r->frame, (uint32_t)to->at + j);
            if (any || p >= c->n_args || j >= code->arg[c->arg + p].slots) {
                au_bld_havoc(b, v, AU_OVER);
                continue;
            }
            au_operand at = code->arg[c->arg + p].at;
            au_bld_assign(b, v,
                          au_bld_value_of(b, at >= 0 ? at + (au_operand)j : at - (au_operand)j, w));
        }
    }
}

void au_bld_copy_byval(bld *b, const au_src_call *r, const struct au_code_call *c) {
    src *s = b->s;
    const au_src_fn *g = &s->fn.at[r->fn];
    const au_code *code = s->fn.at[s->frame.at[b->block->frame].fn].code;
    au_src_touches from = {0}, to = {0};
    for (uint32_t p = 0; p < g->f->n_params && p < c->n_args; p++) {
        const struct au_code_arg *k = &g->code->arg[g->f->param + p];
        uint64_t *obj = au_map_find(&s->heap_at, au_key2(r->frame, UINT32_MAX - 16 - p));
        if (!k->byval || !obj)
            continue;
        au_vec_clear(&from);
        au_vec_clear(&to);
        au_src_touch_operand(s, b->block->frame, code->arg[c->arg + p].at, k->byval, true, false,
                             &from);
        for (size_t i = 0; i < from.n; i++)
            from.at[i].bulk = from.at[i].bytes > 8;
        au_src_touch t = {.bytes = k->byval, .write = true, .bulk = k->byval > 8};
        t.loc = au_src_loc_of(s, (au_src_loc){.obj = (uint32_t)*obj - 1});
        au_vec_push(&to, t);
        au_bld_copy(b, &from, &to);
    }
    au_vec_release(&from);
    au_vec_release(&to);
}
