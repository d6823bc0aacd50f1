/* llvm/api.h: the door of `augur-llvm.so`, the only part of augur that links
 * libLLVM (loading it costs 10 to 40 ms, so it is opened with dlopen where it is needed).
 * Whoever opens it takes these functions by name with dlsym; nothing else is exported.
 *
 * What the driver must do around au_llvm_instrument:
 *
 * 1. clang's cc1 job of the source becomes bitcode before any optimisation:
 *        -emit-llvm-bc -O1 -disable-llvm-passes
 *    in place of -emit-obj (or -S) and of the user's -O. Not -O0: it would mark every
 *    function optnone. Everything else (-target-cpu, -fPIC, -D…) stays. Also:
 *      - lines and names come from debug information. If the user gave no -g, add
 *            -debug-info-kind=constructor -dwarf-version=5
 *        (`-g` in terms of the clang driver) and set AU_LLVM_DROP_DEBUG, which leaves
 *        it out of the object again. With -gline-tables-only or -g1 raise it to the same.
 *        Without any debug information it works too; tables then hold no lines;
 *      - no -flto, -fprofile-*, -fcoverage-* in this job;
 *      - -U_FORTIFY_SOURCE: the checked variants hide the calls that the runtime wraps;
 *      - precompiled headers and modules are fine.
 * 2. au_llvm_instrument(in, out, …)
 * 3. cc1 with the user's own flags (-O, -g, -S, -o …) and `-x ir` on the result.
 *    With AU_LLVM_DROP_DEBUG set, without the -debug-info-kind of step 1.
 *
 * The object then needs the symbols of rt/hooks.h, and carries its records
 * (wire/embed.h) in section .augurbc. The object of a module without any code or data
 * (an empty source) carries nothing and calls nothing. */
#ifndef AU_LLVM_API_H
#define AU_LLVM_API_H

#include <stddef.h>
#include <stdint.h>

#define AU_LLVM_MODULE "augur-llvm.so"
#define AU_LLVM_API 5u /* bumped when a struct or function below changes */

enum {
    AU_LLVM_DROP_DEBUG = 1, /* no debug information in the output */
    AU_LLVM_NO_HOOKS = 2,   /* only clean and number: for tests and for the static half */
    AU_LLVM_NO_ASM =
        4 /* no assembler in the output: it is for reading, not for running; the clean module keeps it */
};

struct au_llvm_options {
    uint32_t api;   /* AU_LLVM_API */
    uint32_t flags; /* AU_LLVM_* */
    /* NULL, or where to write the clean module too (plain bitcode, for tests). */
    const char *clean;
};

enum {
    AU_LLVM_OK = 0,
    AU_LLVM_EINPUT = 2,   /* the input cannot be read or the output not written */
    AU_LLVM_EINTERNAL = 3 /* our bug: what we made is not valid IR */
};

/* Reads the bitcode in_bc, writes the instrumented bitcode out_bc. The result is one of the
 * above; if it is not AU_LLVM_OK, *message is a text to be freed with
 * au_llvm_free (never NULL), and out_bc does not exist. in_bc and out_bc may be the same file.
 * Not thread-safe. */
typedef int au_llvm_instrument_fn(const char *in_bc, const char *out_bc,
                                  const struct au_llvm_options *options, char **message);
typedef void au_llvm_free_fn(char *message);
typedef uint32_t au_llvm_api_fn(void);
/* What the module does when it has no memory; the handler must not return (base/alloc.h). */
typedef void au_llvm_on_oom_fn(void (*handler)(size_t bytes));

/* A clean module (the unpacked payload of an AU_EMBED_BITCODE record) in the form of ir/code.h.
 * On AU_LLVM_OK *code is to be freed with au_llvm_code_free. The bytes come from a record
 * whose hash was right: LLVM's reader is not made for hostile bytes. */
struct au_code;
typedef int au_llvm_decode_fn(const void *bitcode, uint64_t n, uint64_t module,
                              struct au_code **code, char **message);
/* The same for the static half: small loops with a constant number of rounds are unrolled first, so
 * that what they create and index is told apart. Sites and instruction numbers are then not those
 * of recordings. */
typedef au_llvm_decode_fn au_llvm_decode_unrolled_fn;
typedef void au_llvm_code_free_fn(struct au_code *code);

#define AU_LLVM_EXPORT __attribute__((visibility("default")))
AU_LLVM_EXPORT au_llvm_instrument_fn au_llvm_instrument;
AU_LLVM_EXPORT au_llvm_free_fn au_llvm_free;
AU_LLVM_EXPORT au_llvm_decode_fn au_llvm_decode;
AU_LLVM_EXPORT au_llvm_decode_fn au_llvm_decode_unrolled;
AU_LLVM_EXPORT au_llvm_code_free_fn au_llvm_code_free;
AU_LLVM_EXPORT au_llvm_on_oom_fn au_llvm_on_oom;
AU_LLVM_EXPORT au_llvm_api_fn
    au_llvm_api; /* AU_LLVM_API the module was built with: check it first */

#endif
