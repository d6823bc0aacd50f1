/* tests/code/replan.c: reads a clean module back, as an interpreter would, plans its hooks
 * again and prints the sites: they must be those of the tables record.
 * usage: replan CLEAN.bc */
#include "llvm/plan.h"

#include <llvm-c/BitReader.h>
#include <stdio.h>

int main(int argc, char **argv) {
    LLVMMemoryBufferRef file;
    LLVMModuleRef m;
    char *text;
    LLVMContextRef ctx = LLVMContextCreate();
    if (argc != 2 || LLVMCreateMemoryBufferWithContentsOfFile(argv[1], &file, &text) ||
        LLVMParseBitcodeInContext2(ctx, file, &m))
        return 2;
    au_ir ir;
    au_ir_init(&ir, m);
    au_hook_plan p;
    au_plan_init(&p, &ir);
    for (size_t i = 0; i < p.site.n; i++)
        printf("site %u %u %u\n", p.site.at[i].insn, p.site.at[i].op, p.site.at[i].size);
    au_plan_release(&p);
    LLVMDisposeModule(m);
    LLVMDisposeMemoryBuffer(file);
    LLVMContextDispose(ctx);
    return 0;
}
