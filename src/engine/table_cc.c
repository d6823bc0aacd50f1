/* engine/table_cc.c: the commands that compile. */
#include "engine/table_priv.h"

static const au_option cc_options[] = {
    FLAG("augur-verbose", 0, "print every command before running it"),
};
static const au_example cc_examples[] = {
    {"augur cc -O2 -pthread bank.c -o bank", "compile and link a program for recording"},
    {"make CC=\"augur cc\" CXX=\"augur c++\"", "a whole build with make"},
    {"CC=\"augur cc\" CXX=\"augur c++\" cmake -B build-augur",
     "with CMake; meson and autoconf work the same way"},
};
static const au_exit cc_exits[] = {
    {0, "compiled and linked (the status is clang's)"},
    {1, "not compiled (the status is clang's), or something that cannot be recorded"},
};
#define CC_TEXT                                                                                    \
    "Takes the arguments of clang-19 and prints its messages. The output carries the hooks that\n" \
    "'augur record' needs, its own code before optimisation, and debug information; programs "     \
    "are\n"                                                                                        \
    "linked with augur's runtime. Run on its own, a program behaves as usual.\n"                   \
    "\n"                                                                                           \
    "Options that begin with '--augur-' are augur's; '--help' alone prints this text,\n"           \
    "'clang-19 --help' the options of clang. Link-time optimisation is switched off. Static\n"     \
    "linking, targets other than x86_64 and sanitizers with their own runtime are refused: they\n" \
    "cannot be recorded. See docs/recording.md."
const au_command au_cc_command = {
    .name = "cc",
    .summary = "compile and link C for recording",
    .operands = "[ARGUMENT OF CLANG...]",
    .description = CC_TEXT,
    .options = cc_options,
    .n_options = LEN(cc_options),
    .examples = cc_examples,
    .n_examples = LEN(cc_examples),
    .exits = cc_exits,
    .n_exits = LEN(cc_exits),
    .max_operands = UINT8_MAX,
    .foreign = true,
};

static const au_example cxx_examples[] = {
    {"augur c++ -std=c++20 -O2 queue.cpp -o queue", "compile and link a program for recording"},
};
const au_command au_cxx_command = {
    .name = "c++",
    .summary = "compile and link C++ for recording",
    .operands = "[ARGUMENT OF CLANG...]",
    .description = CC_TEXT,
    .options = cc_options,
    .n_options = LEN(cc_options),
    .examples = cxx_examples,
    .n_examples = LEN(cxx_examples),
    .exits = cc_exits,
    .n_exits = LEN(cc_exits),
    .max_operands = UINT8_MAX,
    .foreign = true,
};
