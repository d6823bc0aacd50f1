/* engine/table_cc.c: the commands that compile. */
#include "engine/table_priv.h"

static const au_option cc_options[] = {
    FLAG("augur-verbose", 0, "print every command before it is run"),
};
static const au_example cc_examples[] = {
    {"augur cc -O2 -pthread bank.c -o bank", "compile and link a program that can be recorded"},
    {"make CC=\"augur cc\" CXX=\"augur c++\"", "the same for a whole build"},
    {"CC=\"augur cc\" CXX=\"augur c++\" cmake -B build-augur", "and with CMake, meson, autoconf"},
};
static const au_exit cc_exits[] = {
    {0, "clang's: everything was compiled and linked"},
    {1, "clang's: it was not; or it could not be recorded"},
};
#define CC_TEXT                                                                                    \
    "All arguments are those of clang-19, and so are its messages and its exit status. What is\n"  \
    "compiled carries hooks that 'augur record' needs, its own code before optimisation, and\n"    \
    "debug information; a program is linked with the runtime of augur. Run by itself it does\n"    \
    "what it would do otherwise.\n"                                                                \
    "\n"                                                                                           \
    "Options that begin with '--augur-' are augur's; a lone '--help' prints this text, and\n"      \
    "'clang-19 --help' the options of clang. Link-time optimisation is switched off. Static\n"     \
    "linking, targets other than x86_64 and sanitizers that bring a runtime of their own\n"        \
    "cannot be recorded and are refused. docs/recording.md says more."
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
    {"augur c++ -std=c++20 -O2 queue.cpp -o queue",
     "compile and link a program that can be recorded"},
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
