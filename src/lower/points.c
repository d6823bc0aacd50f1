/* lower/points.c: what pointers may point to, by inclusion constraints.
 *
 * A node is a set of locs; it grows, and what it gets goes through its uses. Each object has parts:
 * patterns of offsets that something loads or stores, and what is stored to one part is loaded from
 * every part that may lie there too. An object of which too many places are looked at, or whose
 * pointers walk, loses its offsets ('collapsed'); so there are finitely many locs. */
#include "base/gcd.h"
#include "base/limits.h"
#include "lower/source_priv.h"

#include <string.h>

/* --- locs ------------------------------------------------------------------------ */

static bool same_loc(const void *ctx, uint32_t id, const void *key) {
    const src *s = ctx;
    const au_src_loc *a = &s->loc.at[id], *b = key;
    return a->obj == b->obj && a->off == b->off && a->stride == b->stride && a->count == b->count;
}

static uint64_t hash_loc(const au_src_loc *l) {
    return au_hash_join(au_hash_join(l->obj, (uint64_t)l->off), l->stride << 20 ^ l->count);
}

uint32_t au_src_loc_of(src *s, au_src_loc l) {
    if (s->obj.at[l.obj].absorbed)
        l.obj = s->outside;
    au_src_obj *o = &s->obj.at[l.obj];
    if (o->kind == OBJ_FUNCTION) {
        l.off = 0;
        l.stride = l.count = 0;
    } else if (o->kind == OBJ_OUTSIDE || o->collapsed) {
        l.off = 0;
        l.stride = 1;
        l.count = 0;
    } else {
        if (l.stride && l.count == 1)
            l.stride = l.count = 0;
        /* Beyond its object a pointer points to nothing; one past the end it may be compared. */
        if (o->size && l.count && l.stride >= o->size)
            l.stride = l.count = 0;
        if (l.stride && !l.count) {
            if (o->size && l.stride >= o->size && l.off >= 0 && (uint64_t)l.off < o->size)
                l.stride = 0;
            else {
                l.off %= (int64_t)l.stride;
                if (l.off < 0)
                    l.off += (int64_t)l.stride;
            }
        }
    }
    uint64_t h = hash_loc(&l);
    uint32_t id = au_idtable_find(&s->loc_index, h, same_loc, s, &l);
    if (id != AU_NONE)
        return id;
    if (o->kind != OBJ_FUNCTION && o->kind != OBJ_OUTSIDE && !o->collapsed &&
        ++o->n_exact > AU_LIMIT_SRC_PLACES) {
        o->collapsed = true;
        au_src_over_limit(s, AU_AT_SRC_PLACES);
        return au_src_loc_of(s, l);
    }
    id = (uint32_t)s->loc.n;
    au_vec_push(&s->loc, l);
    au_idtable_add(&s->loc_index, h, id);
    return id;
}

static uint32_t moved(src *s, uint32_t loc, int64_t by) {
    au_src_loc l = s->loc.at[loc];
    const au_src_obj *o = &s->obj.at[l.obj];
    if (o->kind == OBJ_FUNCTION)
        return loc;
    if (__builtin_add_overflow(l.off, by, &l.off) ||
        (o->size && !l.stride && (l.off < 0 || (uint64_t)l.off > o->size) && !o->collapsed))
        return AU_NONE;
    return au_src_loc_of(s, l);
}

static uint32_t scaled(src *s, uint32_t loc, uint64_t stride, uint32_t count) {
    au_src_loc l = s->loc.at[loc];
    if ((int64_t)stride < 0)
        stride = (uint64_t) - (int64_t)stride;
    if (!stride)
        return loc;
    if (!l.stride) {
        l.stride = stride;
        l.count = count;
        return au_src_loc_of(s, l);
    }
    uint64_t g = au_gcd(l.stride, stride), steps = 0;
    if (l.count && count)
        steps = l.stride / g * (l.count - 1) + stride / g * (count - 1) + 1;
    l.stride = g;
    l.count = steps > UINT32_MAX ? 0 : (uint32_t)steps;
    return au_src_loc_of(s, l);
}

static uint32_t anywhere(src *s, uint32_t loc) {
    au_src_loc l = {.obj = s->loc.at[loc].obj, .stride = 1};
    return au_src_loc_of(s, l);
}

bool au_src_loc_meets(const au_src_loc *a, uint64_t a_bytes, const au_src_loc *b,
                      uint64_t b_bytes) {
    if (a->obj != b->obj)
        return false;
    bool a_open = a->stride && !a->count, b_open = b->stride && !b->count;
    if (!a_open && !b_open) {
        int64_t a_end = a->off + (int64_t)(a->stride * (a->count ? a->count - 1 : 0) + a_bytes);
        int64_t b_end = b->off + (int64_t)(b->stride * (b->count ? b->count - 1 : 0) + b_bytes);
        if (a_end <= b->off || b_end <= a->off)
            return false;
    }
    uint64_t g = au_gcd(a->stride, b->stride);
    if (!g)
        return true; /* both exact: the ranges meet */
    if (a_bytes >= g || b_bytes >= g)
        return true;
    int64_t d = (b->off - a->off) % (int64_t)g;
    if (d < 0)
        d += (int64_t)g;
    return (uint64_t)d < a_bytes || g - (uint64_t)d < b_bytes || d == 0;
}

/* --- nodes ----------------------------------------------------------------------- */

uint32_t au_src_node_add(src *s, uint32_t n) {
    uint32_t first = (uint32_t)s->node.n;
    for (uint32_t i = 0; i < n; i++)
        memset(au_vec_add(&s->node), 0, sizeof(au_src_node));
    return first;
}

bool au_src_points_add(src *s, uint32_t node, uint32_t loc) {
    au_src_node *n = &s->node.at[node];
    const au_src_obj *of = &s->obj.at[s->loc.at[loc].obj];
    if (of->absorbed || (of->constant && node == s->handed))
        loc = au_src_loc_of(s, (au_src_loc){.obj = s->outside});
    if (n->loc.n == AU_LIMIT_SRC_POINTER ||
        (node == s->handed && n->loc.n == AU_LIMIT_SRC_HANDED)) {
        s->absorb |= node == s->handed;
        au_src_over_limit(s, node == s->handed ? AU_AT_SRC_HANDED : AU_AT_SRC_POINTER);
        n->overfull = true;
        au_vec_push(&s->overfull, node);
    }
    if (n->set) {
        bool fresh;
        au_map_put(n->set, loc, &fresh);
        if (!fresh)
            return false;
    } else {
        for (size_t i = 0; i < n->loc.n; i++)
            if (n->loc.at[i] == loc)
                return false;
        if (n->loc.n >= 16) {
            n->set = AU_NEW(au_map);
            au_map_init(n->set);
            for (size_t i = 0; i < n->loc.n; i++)
                au_map_put(n->set, n->loc.at[i], NULL);
            au_map_put(n->set, loc, NULL);
        }
    }
    au_vec_push(&n->loc, loc);
    if (!n->queued) {
        n->queued = true;
        au_vec_push(&s->queue, node);
    }
    return true;
}

/* --- parts ----------------------------------------------------------------------- */

static void copy_part(src *s, uint32_t bulk, uint32_t loc);

static uint32_t outside_loc(src *s) {
    return au_src_loc_of(s, (au_src_loc){.obj = s->outside});
}

au_src_part au_src_part_of(src *s, uint32_t loc) {
    if (s->obj.at[s->loc.at[loc].obj].absorbed)
        loc = outside_loc(s);
    uint32_t obj = s->loc.at[loc].obj;
    au_src_obj *o = &s->obj.at[obj];
    if (o->part.n >= AU_LIMIT_SRC_PARTS && !o->collapsed && o->kind != OBJ_OUTSIDE) {
        au_src_over_limit(s, AU_AT_SRC_PARTS);
        o->collapsed = true;
    }
    if (o->collapsed)
        loc = anywhere(s, loc);
    for (uint32_t i = 0; i < o->part.n; i++)
        if (o->part.at[i].loc == loc)
            return o->part.at[i];
    au_src_part p = {.loc = loc, .stored = au_src_node_add(s, 2)};
    p.loaded = p.stored + 1;
    uint32_t at = (uint32_t)o->part.n;
    au_vec_push(&o->part, p);
    for (uint32_t i = 0; i <= at; i++) {
        au_src_part q = s->obj.at[obj].part.at[i];
        if (!au_src_loc_meets(&s->loc.at[loc], 8, &s->loc.at[q.loc], 8))
            continue;
        au_src_edge(s, p.stored, q.loaded);
        if (i != at)
            au_src_edge(s, q.stored, p.loaded);
    }
    for (size_t i = 0; i < s->obj.at[obj].bulk.n; i++)
        copy_part(s, s->obj.at[obj].bulk.at[i], loc);
    return p;
}

/* What lies at loc of the source lies, moved, in the target of a copy. */
static void copy_part(src *s, uint32_t bulk, uint32_t loc) {
    au_src_bulk b = s->bulk.at[bulk];
    au_src_loc l = s->loc.at[loc];
    if (l.obj != b.from)
        return;
    bool open = l.stride && !l.count;
    int64_t end = l.off + (int64_t)(l.stride * (l.count ? l.count - 1 : 0)) + 8;
    if (!open && (end <= b.low || l.off >= b.high))
        return;
    au_src_loc to = {.obj = b.to, .off = l.off + b.shift, .stride = l.stride, .count = l.count};
    if (b.high == INT64_MAX || open) {
        to.off = 0;
        to.stride = 1;
        to.count = 0;
    }
    au_src_part from = au_src_part_of(s, loc);
    au_src_part into = au_src_part_of(s, au_src_loc_of(s, to));
    au_src_edge(s, from.loaded, into.stored);
}

void au_src_bulk_link(src *s, uint32_t to, uint32_t from, int64_t bytes) {
    au_src_loc a = s->loc.at[to], b = s->loc.at[from];
    if (s->obj.at[a.obj].kind == OBJ_FUNCTION || s->obj.at[b.obj].kind == OBJ_FUNCTION)
        return;
    au_src_bulk k = {.from = b.obj, .to = a.obj, .low = 0, .high = INT64_MAX};
    if (!a.stride && !b.stride && bytes >= 0) {
        k.shift = a.off - b.off;
        k.low = b.off;
        k.high = b.off + bytes;
    } else {
        k.low = INT64_MIN;
    }
    uint64_t h = au_hash_join(au_hash_join(au_key2(k.from, k.to), (uint64_t)k.shift),
                              au_hash_join((uint64_t)k.low, (uint64_t)k.high));
    bool fresh;
    au_map_put(&s->bulk_seen, h, &fresh);
    if (!fresh)
        return;
    uint32_t id = (uint32_t)s->bulk.n;
    au_vec_push(&s->bulk, k);
    au_vec_push(&s->obj.at[k.from].bulk, id);
    for (size_t i = 0; i < s->obj.at[k.from].part.n; i++)
        copy_part(s, id, s->obj.at[k.from].part.at[i].loc);
}

/* Not told from the outside's memory any more: so large programs stay within reach. */
static void absorb(src *s, uint32_t obj) {
    au_src_obj *o = &s->obj.at[obj];
    if (o->absorbed || o->kind == OBJ_FUNCTION || o->kind == OBJ_OUTSIDE)
        return;
    o->escaped = true;
    au_src_part out = au_src_part_of(s, outside_loc(s));
    s->obj.at[obj].absorbed = true;
    for (size_t i = 0; i < s->obj.at[obj].part.n; i++) {
        au_src_part p = s->obj.at[obj].part.at[i];
        au_src_edge(s, p.stored, out.stored);
        au_src_edge(s, out.loaded, p.loaded);
    }
}

static void absorb_overfull(src *s) {
    while (s->overfull.n) {
        uint32_t node = au_vec_pop(&s->overfull);
        for (size_t i = 0; i < s->node.at[node].loc.n; i++)
            absorb(s, s->loc.at[s->node.at[node].loc.at[i]].obj);
        for (uint32_t o = 0; s->absorb && node == s->handed && o < s->obj.n; o++)
            if (s->obj.at[o].escaped && !s->obj.at[o].constant)
                absorb(s, o);
    }
}

/* The outside may read all of it and put there what it holds. */
void au_src_escape(src *s, uint32_t obj) {
    au_src_obj *o = &s->obj.at[obj];
    if (o->escaped || o->kind == OBJ_FUNCTION)
        return;
    o->escaped = true;
    if (s->absorb && !o->constant) {
        absorb(s, obj);
        return;
    }
    au_src_loc l = {.obj = obj, .stride = 1};
    au_src_part p = au_src_part_of(s, au_src_loc_of(s, l));
    au_src_edge(s, p.loaded, s->out_node);
    if (!s->obj.at[obj].constant)
        au_src_points_add(s, p.stored, au_src_loc_of(s, (au_src_loc){.obj = s->outside}));
}

/* --- solving --------------------------------------------------------------------- */

static void apply(src *s, const au_src_use *u, uint32_t loc) {
    uint32_t obj = s->loc.at[loc].obj;
    au_src_obj_kind kind = s->obj.at[obj].kind;
    s->work++;
    switch ((au_src_use_kind)u->kind) {
    case USE_COPY:
        au_src_points_add(s, u->to, loc);
        break;
    case USE_ADD: {
        uint32_t l = moved(s, loc, u->number);
        if (l != AU_NONE)
            au_src_points_add(s, u->to, l);
        break;
    }
    case USE_SCALE:
        if (kind != OBJ_FUNCTION)
            au_src_points_add(s, u->to, scaled(s, loc, (uint64_t)u->number, u->count));
        break;
    case USE_ANY:
        au_src_points_add(s, u->to, kind == OBJ_FUNCTION ? loc : anywhere(s, loc));
        break;
    case USE_LOAD:
    case USE_STORE:
    case USE_PUT: {
        if (kind == OBJ_FUNCTION)
            break;
        uint32_t l = u->number ? moved(s, loc, u->number) : loc;
        if (l == AU_NONE)
            break;
        au_src_part p = au_src_part_of(s, l);
        if (u->kind == USE_LOAD)
            au_src_edge(s, p.loaded, u->to);
        else if (u->kind == USE_STORE)
            au_src_edge(s, u->to, p.stored);
        else
            au_src_points_add(s, p.stored, u->to);
        break;
    }
    case USE_CALL:
    case USE_INSIDE:
        if (kind == OBJ_FUNCTION)
            au_src_call_found(s, u->frame, u->to, s->obj.at[obj].place, u->kind == USE_INSIDE);
        else if (kind == OBJ_OUTSIDE && u->kind == USE_CALL)
            au_src_flow_unknown(s, u->frame, u->to);
        break;
    case USE_CREATE:
        if (kind == OBJ_FUNCTION)
            au_src_create_found(s, u->frame, u->to, s->obj.at[obj].place);
        break;
    case USE_ONCE:
        break;
    case USE_BULK_TO: {
        au_src_bulk_call b = s->bulk_call.at[u->to];
        for (size_t i = 0; i < s->node.at[b.from].loc.n; i++)
            au_src_bulk_link(s, loc, s->node.at[b.from].loc.at[i], b.bytes);
        break;
    }
    case USE_BULK_FROM: {
        au_src_bulk_call b = s->bulk_call.at[u->to];
        for (size_t i = 0; i < s->node.at[b.to].loc.n; i++)
            au_src_bulk_link(s, s->node.at[b.to].loc.at[i], loc, b.bytes);
        break;
    }
    case USE_OUTSIDE:
        au_src_escape(s, obj);
        break;
    }
}

void au_src_use_add(src *s, uint32_t node, au_src_use u) {
    if (u.kind == USE_COPY && u.to == node)
        return;
    for (size_t i = 0; u.kind == USE_COPY && i < s->node.at[node].use.n; i++)
        if (s->node.at[node].use.at[i].kind == USE_COPY && s->node.at[node].use.at[i].to == u.to)
            return;
    au_vec_push(&s->node.at[node].use, u);
    size_t done = s->node.at[node].done;
    for (size_t i = 0; i < done; i++)
        apply(s, &u, s->node.at[node].loc.at[i]);
}

void au_src_edge(src *s, uint32_t from, uint32_t to) {
    au_src_use_add(s, from, (au_src_use){.kind = USE_COPY, .to = to});
}

void au_src_solve(src *s) {
    while ((s->queue_at < s->queue.n || s->new_frame.n) && !s->failed) {
        while (s->new_frame.n && !au_src_late(s)) {
            uint32_t f = au_vec_pop(&s->new_frame);
            au_src_flow_frame(s, f);
        }
        absorb_overfull(s);
        if (au_src_late(s) || s->queue_at == s->queue.n)
            continue;
        uint32_t at = s->queue.at[s->queue_at++];
        s->node.at[at].queued = false;
        size_t from = s->node.at[at].done, to = s->node.at[at].loc.n;
        size_t n = s->node.at[at].use.n;
        s->node.at[at].done = to;
        /* Uses that come up meanwhile see all that is done already. */
        for (size_t k = 0; k < n; k++) {
            au_src_use u = s->node.at[at].use.at[k];
            for (size_t i = from; i < to; i++)
                apply(s, &u, s->node.at[at].loc.at[i]);
        }
        if (s->queue_at > 1u << 20) {
            memmove(s->queue.at, s->queue.at + s->queue_at,
                    (s->queue.n - s->queue_at) * sizeof *s->queue.at);
            s->queue.n -= s->queue_at;
            s->queue_at = 0;
        }
        if (s->work > s->most_work) {
            au_error_set(s->err, AU_EUNSUPPORTED,
                         "the program is too large for the analysis of its pointers");
            s->failed = true;
        }
    }
}
