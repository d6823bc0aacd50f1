/* tests/code/code_dump.c: decodes a clean module (ir/code.h), checks it and prints it.
 * usage: code_dump MODULE CLEAN.bc [--quiet | --sites]
 *        code_dump MODULE --raw FILE.bc...
 * --quiet: only how much there is and the processor time it took; --sites: the instruction of
 * every site; --raw: cleans what comes from clang (FILE.bc becomes the clean module), decodes and
 * checks it, and prints only what is wrong. */
#include "ir/code.h"
#include "llvm/api.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void operand(const au_code *c, au_operand o) {
    if (o >= 0) {
        printf(" s%d", o);
        return;
    }
    const struct au_code_const *k = &c->pool[~o];
    switch (k->kind) {
    case AU_CONST_NUMBER:
        printf(" #%" PRId64, (int64_t)k->value);
        break;
    case AU_CONST_GLOBAL:
        printf(" @%s", au_code_text(c, c->global[k->index].name));
        break;
    case AU_CONST_FUNCTION:
        printf(" @%s()", au_code_text(c, k->index));
        break;
    default:
        printf(" ?");
    }
    if (k->kind != AU_CONST_NUMBER && k->value)
        printf("%+" PRId64, (int64_t)k->value);
}

static void edge(const au_code *c, uint32_t e) {
    printf(" ->%" PRIu32, c->edge[e].target);
    for (uint32_t k = 0; k < c->edge[e].n_copies; k++) {
        const struct au_code_copy *y = &c->copy[c->edge[e].copy + k];
        printf("%ss%" PRIu32 "=", k ? "," : "[", y->dst);
        operand(c, y->src);
        if (k + 1 == c->edge[e].n_copies)
            putchar(']');
    }
}

static void call(const au_code *c, const struct au_code_call *k) {
    static const char *const kinds[] = {"direct", "foreign", "indirect", "asm", "silent"};
    printf(" %s %s%s%s%s", kinds[k->kind], au_code_text(c, k->name), k->noreturn ? " noreturn" : "",
           k->fails ? " fails" : "", k->result_used ? "" : " unused");
    if (k->kind == AU_CALL_INDIRECT)
        operand(c, k->target);
    putchar('(');
    for (uint32_t a = 0; a < k->n_args; a++) {
        operand(c, c->arg[k->arg + a].at);
        if (c->arg[k->arg + a].byval)
            printf(" byval %" PRIu32, c->arg[k->arg + a].byval);
    }
    printf(" )");
    if (k->told_width)
        printf(" tells %u", k->told_width);
    if (k->invoke) {
        edge(c, k->normal);
        edge(c, k->unwind);
    }
}

static void wide(const au_code *c, const struct au_code_wide *w) {
    printf(" %s %s %u %u x%u <- %u x%u", au_code_wide_name(w->op), au_code_text(c, w->name),
           w->pred, w->bits, w->lanes, w->from_bits, w->from_lanes);
    for (uint32_t k = 0; k < w->n_operands; k++)
        operand(c, w->operand[k]);
    for (uint32_t k = 0; k < w->n_mask; k++)
        printf("%s%d", k ? "," : " mask ", (int)c->index[w->mask + k]);
}

static void flags(const au_code_insn *i) {
    static const struct {
        uint8_t bit;
        const char *name;
    } all[] = {{AU_CF_ATOMIC, "atomic"},         {AU_CF_PRIVATE, "private"},
               {AU_CF_CONST, "const"},           {AU_CF_TOLD, "told"},
               {AU_CF_FAIL_FIRST, "fail-first"}, {AU_CF_FAIL_SECOND, "fail-second"},
               {AU_CF_SIGNED, "signed"},         {AU_CF_VOLATILE, "volatile"}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (i->flags & all[k].bit)
            printf(" %s", all[k].name);
}

static void instruction(const au_code *c, uint32_t n) {
    const au_code_insn *i = &c->insn[n];
    printf("  %" PRIu32 " (%" PRIu32 ", line %" PRIu32 ")", n, i->number, c->line[n]);
    if (i->dst != AU_NONE)
        printf(" s%" PRIu32 " =", i->dst);
    printf(" %s", au_code_op_name(i->op));
    if (i->width)
        printf(".%u", i->width);
    flags(i);
    switch (i->op) {
    case AU_C_BR:
        edge(c, (uint32_t)i->a);
        break;
    case AU_C_CONDBR:
        operand(c, i->a);
        edge(c, (uint32_t)i->b);
        edge(c, (uint32_t)i->c);
        break;
    case AU_C_SWITCH:
    case AU_C_INDIRECTBR: {
        const struct au_code_switch *s = &c->sw[i->aux];
        operand(c, i->a);
        for (uint32_t k = 0; k < s->n; k++) {
            printf(" %" PRIu64 ":", c->kase[s->first + k].value);
            edge(c, c->kase[s->first + k].edge);
        }
        printf(" of");
        for (uint32_t k = 0; k < s->n_succ; k++)
            edge(c, c->index[s->succ + k]);
        break;
    }
    case AU_C_CALL:
    case AU_C_ANNOTATE:
        call(c, &c->call[i->aux]);
        break;
    case AU_C_WIDE:
        wide(c, &c->wide[i->aux]);
        break;
    case AU_C_UNMODELLED:
        printf(" '%s' %d slots", au_code_text(c, i->aux), i->c);
        for (int32_t k = 0; k < i->b; k++)
            operand(c, c->operand[i->a + k]);
        break;
    case AU_C_SCALE:
    case AU_C_ALLOCA:
        if (i->op == AU_C_SCALE)
            operand(c, i->a);
        operand(c, i->b);
        printf(" * %" PRId64, (int64_t)c->immediate[i->aux]);
        break;
    case AU_C_RET:
        if (i->aux)
            operand(c, i->a);
        break;
    case AU_C_EV_ENTER:
    case AU_C_EV_LEAVE:
    case AU_C_EV_LAND:
    case AU_C_FENCE:
    case AU_C_UNREACHABLE:
    case AU_C_RESUME:
    case AU_C_LANDINGPAD:
        break;
    default:
        operand(c, i->a);
        if (i->op != AU_C_MOVE && i->op != AU_C_LOAD && i->op != AU_C_EV_FRAME)
            operand(c, i->b);
        if (i->op == AU_C_SELECT || i->op == AU_C_COPY || i->op == AU_C_SET ||
            i->op == AU_C_CMPXCHG || i->op == AU_C_FSHL || i->op == AU_C_FSHR)
            operand(c, i->c);
        if (i->aux)
            printf(" aux %" PRId32, (int32_t)i->aux);
        if (i->from)
            printf(" from %u", i->from);
    }
    if (i->site != AU_NONE)
        printf(" site %" PRIu32, i->site);
    putchar('\n');
}

static void print(const au_code *c) {
    for (uint32_t k = 0; k < c->n_globals; k++) {
        const struct au_code_global *g = &c->global[k];
        printf("global %s table %d size %" PRIu64 "%s%s%s%s relocs %" PRIu32,
               au_code_text(c, g->name), (int)g->table, g->size, g->constant ? " constant" : "",
               g->tls ? " tls" : "", g->is_private ? " private" : "",
               !g->defined ? " undefined"
               : g->zero   ? " zero"
                           : "",
               g->n_relocs);
        for (uint64_t b = 0; g->defined && !g->zero && b < g->size && b < 16; b++)
            printf(" %02x", c->bytes[g->data + b]);
        putchar('\n');
    }
    for (uint32_t k = 0; k < c->n_functions; k++) {
        const au_code_function *f = &c->function[k];
        printf("function %s slots %" PRIu32 " params %" PRIu32 "%s%s%s\n", au_code_text(c, f->name),
               f->slots, f->n_params, f->hooked ? " hooked" : "", f->left_out ? " left-out" : "",
               f->internal ? " internal" : "");
        for (uint32_t i = 0; i < f->n; i++)
            instruction(c, f->first + i);
    }
}

static void *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return NULL;
    long size = ftell(f);
    void *bytes = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(f);
    *n = bytes ? fread(bytes, 1, (size_t)size, f) : 0;
    fclose(f);
    return bytes;
}

static au_llvm_instrument_fn *instrument;
static au_llvm_decode_fn *decode;
static au_llvm_code_free_fn *code_free;
static au_llvm_free_fn *message_free;

/* Decodes a file; 0 or an exit status. */
static int decode_file(const char *path, au_code **c, double *seconds) {
    size_t n;
    void *bytes = read_file(path, &n);
    if (!bytes) {
        fprintf(stderr, "code_dump: cannot read '%s'\n", path);
        return 2;
    }
    char *message = NULL;
    struct timespec t0, t1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t0);
    int status = decode(bytes, n, 1, c, &message);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t1);
    *seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
    free(bytes);
    if (status) {
        fprintf(stderr, "code_dump: '%s': %s\n", path, message);
        message_free(message);
    }
    return status;
}

static int check_file(const char *path, const au_code *c) {
    au_error err = AU_ERROR_NONE;
    if (au_code_check(c, &err) == AU_OK)
        return 0;
    fprintf(stderr, "code_dump: '%s': %s\n", path, err.text);
    return 3;
}

static int clean_and_check(const char *path) {
    struct au_llvm_options o = {.api = AU_LLVM_API, .flags = AU_LLVM_NO_HOOKS};
    char *message = NULL;
    au_code *c = NULL;
    double seconds;
    int status = instrument(path, path, &o, &message);
    if (status) {
        fprintf(stderr, "code_dump: %s\n", message);
        message_free(message);
        return status;
    }
    status = decode_file(path, &c, &seconds);
    if (!status)
        status = check_file(path, c);
    code_free(c);
    return status;
}

static void print_amount(const au_code *c, double seconds) {
    uint32_t unmodelled = 0;
    for (uint32_t i = 0; i < c->n_insns; i++)
        unmodelled += c->insn[i].op == AU_C_UNMODELLED;
    printf("%" PRIu32 " functions, %" PRIu32 " instructions, %" PRIu32 " not modelled, %" PRIu32
           " sites, %.3f s\n",
           c->n_functions, c->n_insns, unmodelled, c->n_sites, seconds);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: code_dump MODULE CLEAN.bc [--quiet | --sites]\n");
        return 2;
    }
    void *so = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!so) {
        fprintf(stderr, "code_dump: %s\n", dlerror());
        return 2;
    }
    *(void **)&instrument = dlsym(so, "au_llvm_instrument");
    *(void **)&decode = dlsym(so, "au_llvm_decode");
    *(void **)&code_free = dlsym(so, "au_llvm_code_free");
    *(void **)&message_free = dlsym(so, "au_llvm_free");
    if (!instrument || !decode || !code_free || !message_free)
        return 2;
    if (strcmp(argv[2], "--raw") == 0) {
        int worst = 0;
        for (int i = 3; i < argc; i++) {
            int status = clean_and_check(argv[i]);
            worst = status > worst ? status : worst;
        }
        return worst;
    }
    au_code *c = NULL;
    double seconds;
    int status = decode_file(argv[2], &c, &seconds);
    if (status)
        return status;
    const char *mode = argc > 3 ? argv[3] : "";
    if (strcmp(mode, "--quiet") == 0) {
        print_amount(c, seconds);
    } else if (strcmp(mode, "--sites") == 0) {
        for (uint32_t s = 0; s < c->n_sites; s++)
            printf("site %" PRIu32 " %s %u\n", c->insn[c->site_insn[s]].number,
                   au_code_op_name(c->insn[c->site_insn[s]].op), c->site_part[s]);
    } else {
        print(c);
    }
    status = check_file(argv[2], c);
    code_free(c);
    return status;
}
