/* The checker of decoded code: a small module passes, and each way to break it is found. */
#include "ir/code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/*  0 ALLOCA s1        3 CONDBR s2 ->4 ->6    6 CALL direct f(s2)  (block)
 *  1 EV_ENTER         4 COPY s1 <- @g, 4     7 SWITCH s2 1: ->4, else ->8
 *  2 s2 = LOAD @g     5 BR ->8 [s3 = #4]     8 RET s3             */
static struct {
    au_code c;
    au_code_insn insn[9];
    uint32_t line[9], file[9], block[9], function_of[9];
    au_code_function function[1];
    struct au_code_edge edge[5];
    struct au_code_copy copy[2];
    struct au_code_switch sw[1];
    struct au_code_case kase[1];
    struct au_code_call call[1];
    struct au_code_arg arg[2];
    struct au_code_const pool[2];
    struct au_code_global global[1];
    struct au_code_reloc reloc[1];
    struct au_code_inlined inlined[3];
    uint32_t around[9];
    uint64_t immediate[2];
    uint32_t index[2];
    uint8_t bytes[8];
    char string[8];
    uint32_t site_insn[4];
    uint8_t site_part[4];
} m;

static void put(unsigned at, au_code_insn i) {
    if (!i.dst)
        i.dst = AU_NONE;
    if (!i.site)
        i.site = AU_NONE;
    else
        i.site--;
    m.insn[at] = i;
}

static void make(void) {
    memset(&m, 0, sizeof m);
    put(0, (au_code_insn){.op = AU_C_ALLOCA, .dst = 1, .b = ~1, .width = 64});
    put(1, (au_code_insn){.op = AU_C_EV_ENTER, .site = 1});
    put(2, (au_code_insn){.op = AU_C_LOAD, .dst = 2, .a = ~0, .width = 32, .site = 2});
    put(3, (au_code_insn){.op = AU_C_CONDBR, .a = 2, .b = 0, .c = 1, .width = 1});
    put(4, (au_code_insn){
               .op = AU_C_COPY, .a = 1, .b = ~0, .c = ~1, .width = 64, .site = 3, .aux = AU_NONE});
    put(5, (au_code_insn){.op = AU_C_BR, .a = 2});
    put(6, (au_code_insn){.op = AU_C_CALL, .dst = 3, .width = 32});
    put(7, (au_code_insn){.op = AU_C_SWITCH, .a = 2, .width = 32});
    put(8, (au_code_insn){.op = AU_C_RET, .a = 3, .aux = 1});
    static const uint32_t blocks[] = {0, 0, 0, 0, 4, 4, 6, 6, 8};
    memcpy(m.block, blocks, sizeof blocks);
    static const uint32_t targets[] = {4, 6, 8, 4, 8};
    for (unsigned k = 0; k < 5; k++)
        m.edge[k].target = targets[k];
    m.edge[2].n_copies = 1;
    m.copy[0] = (struct au_code_copy){.dst = 3, .src = ~1, .n = 1, .width = 32};
    m.function[0] = (au_code_function){
        .name = 1, .n = 9, .slots = 4, .n_params = 1, .hooked = true, .result_slots = 1};
    m.arg[0] = (struct au_code_arg){.at = 0, .slots = 1, .width = 32};
    m.arg[1] = (struct au_code_arg){.at = 2, .slots = 1, .width = 32};
    m.call[0] = (struct au_code_call){.kind = AU_CALL_DIRECT,
                                      .name = 1,
                                      .arg = 1,
                                      .n_args = 1,
                                      .xcall = AU_NONE,
                                      .land = AU_NONE,
                                      .xret = AU_NONE,
                                      .result_slots = 1,
                                      .result_width = 32,
                                      .normal = AU_NONE,
                                      .unwind = AU_NONE};
    m.sw[0] = (struct au_code_switch){.n = 1, .otherwise = 4, .width = 32, .bits = 1, .n_succ = 2};
    m.kase[0] = (struct au_code_case){.value = 1, .edge = 3};
    m.index[0] = 4;
    m.index[1] = 3;
    m.pool[0] = (struct au_code_const){.kind = AU_CONST_GLOBAL};
    m.pool[1] = (struct au_code_const){.kind = AU_CONST_NUMBER, .value = 4};
    m.global[0] = (struct au_code_global){.name = 3, .size = 8, .defined = true, .n_relocs = 1};
    m.reloc[0] = (struct au_code_reloc){.size = 8};
    m.inlined[1] = (struct au_code_inlined){.callee = 1, .file = 3, .line = 7};
    m.inlined[2] = (struct au_code_inlined){.callee = 3, .file = 3, .line = 8, .around = 1};
    m.around[4] = 2;
    m.immediate[0] = 4;
    memcpy(m.string, "\0f\0g\0", 5);
    m.site_insn[0] = 1;
    m.site_insn[1] = 2;
    m.site_insn[2] = 4;
    m.c = (au_code){.insn = m.insn,
                    .line = m.line,
                    .file = m.file,
                    .around = m.around,
                    .inlined = m.inlined,
                    .n_inlined = 3,
                    .block = m.block,
                    .n_insns = 9,
                    .function = m.function,
                    .n_functions = 1,
                    .function_of = m.function_of,
                    .edge = m.edge,
                    .copy = m.copy,
                    .sw = m.sw,
                    .kase = m.kase,
                    .call = m.call,
                    .arg = m.arg,
                    .pool = m.pool,
                    .global = m.global,
                    .reloc = m.reloc,
                    .immediate = m.immediate,
                    .index = m.index,
                    .bytes = m.bytes,
                    .string = m.string,
                    .n_edges = 5,
                    .n_copies = 1,
                    .n_switches = 1,
                    .n_cases = 1,
                    .n_calls = 1,
                    .n_args = 2,
                    .n_consts = 2,
                    .n_globals = 1,
                    .n_relocs = 1,
                    .n_immediates = 2,
                    .n_indexes = 2,
                    .n_strings = 5,
                    .n_bytes = 8,
                    .n_sites = 3,
                    .site_insn = m.site_insn,
                    .site_part = m.site_part};
}

static void good_code_passes(void **state) {
    (void)state;
    au_error err = AU_ERROR_NONE;
    make();
    if (au_code_check(&m.c, &err) != AU_OK)
        fail_msg("%s", err.text);
}

/* Breaks one thing after making all anew; the complaint must name it. */
#define BROKEN(change, word)                                                                       \
    do {                                                                                           \
        au_error err = AU_ERROR_NONE;                                                              \
        make();                                                                                    \
        change;                                                                                    \
        if (au_code_check(&m.c, &err) != AU_EINTERNAL || !strstr(err.text, word))                  \
            fail_msg("%s: '%s'", #change, err.text);                                               \
    } while (0)

static void broken_code_is_found(void **state) {
    (void)state;
    BROKEN(m.insn[2].op = AU_C_OPS, "?");
    BROKEN(m.insn[2].dst = 4, "LOAD of 'f'");
    BROKEN(m.insn[2].a = ~2, "LOAD of 'f'");
    BROKEN(m.insn[2].width = 65, "LOAD of 'f'");
    BROKEN(m.insn[2].width = 0, "LOAD of 'f'");
    BROKEN(m.insn[2].site = 3, "LOAD of 'f'");
    BROKEN(m.insn[2].site = AU_NONE, "AU_CF_PRIVATE");
    BROKEN(m.insn[2].flags = AU_CF_PRIVATE, "AU_CF_PRIVATE");
    BROKEN(m.insn[0].aux = 2, "ALLOCA of 'f'");
    BROKEN(m.insn[3].b = 5, "CONDBR of 'f'");
    BROKEN(m.edge[0].target = 5, "CONDBR of 'f'");
    BROKEN(m.edge[1].target = 9, "CONDBR of 'f'");
    BROKEN(m.copy[0].dst = 4, "BR of 'f'");
    BROKEN(m.edge[2].copy = 1, "BR of 'f'");
    BROKEN(m.insn[4].site = 1, "COPY of 'f'");
    BROKEN(m.insn[4].aux = 2, "COPY of 'f'");
    BROKEN(m.call[0].callee = 1, "CALL of 'f'");
    BROKEN(m.call[0].arg = 2, "CALL of 'f'");
    BROKEN(m.arg[1].at = 4, "CALL of 'f'");
    BROKEN(m.call[0].result_slots = 0, "CALL of 'f'");
    BROKEN(m.call[0].invoke = true, "CALL of 'f'");
    BROKEN(m.sw[0].n_succ = 3, "SWITCH of 'f'");
    BROKEN(m.kase[0].edge = 2, "SWITCH of 'f'");
    BROKEN(m.kase[0].value = UINT64_C(1) << 32, "SWITCH of 'f'");
    BROKEN(m.insn[8].aux = 0, "RET of 'f'");
    BROKEN(m.insn[8].op = AU_C_FENCE, "FENCE of 'f'");
    BROKEN(m.insn[5].op = AU_C_UNREACHABLE; m.insn[4].op = AU_C_UNREACHABLE, "UNREACHABLE");
    BROKEN(m.block[5] = 5, "BR of 'f'");
    BROKEN(m.function_of[5] = 1, "BR of 'f'");
    BROKEN(m.around[5] = 3, "BR of 'f'");
    BROKEN(m.inlined[1].around = 1, "inlined");
    BROKEN(m.inlined[2].callee = 5, "n_strings");
    BROKEN(m.function[0].n = 8, "of 'f'");
    BROKEN(m.function[0].first = 1, "of 'f'");
    BROKEN(m.function[0].enter_site = AU_NONE, "enter_site");
    BROKEN(m.function[0].name = 5, "n_strings");
    BROKEN(m.site_insn[1] = 3, "LOAD of 'f'");
    BROKEN(m.site_part[1] = 1, "LOAD of 'f'");
    BROKEN(m.c.n_sites = 4, "site");
    BROKEN(m.pool[0].index = 1, "n_globals");
    BROKEN(m.reloc[0].offset = 1, "inside");
    BROKEN(m.reloc[0].constant = 2, "n_consts");
    BROKEN(m.global[0].size = 9, "inside");
    BROKEN(m.global[0].table = 3, "table");
    BROKEN(m.string[4] = 'x', "string");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_code_passes),
        cmocka_unit_test(broken_code_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
