/* program/program.h: what a recording says, in its META entries, of the run it is of: all
 * that `augur replay` needs to start the program in the same way. No dates and no process
 * numbers: two recordings of the same run are to be the same bytes.
 *
 *   program      path as given to execve      argv, env   lists
 *   exe          its absolute path            exe-hash    XXH3_64bits of the file, hex
 *   cwd          working directory            libraries   list of "hash path"
 *   schedule     os, random or pct            seed, switch-every, pct-depth, max-events
 *   randomized   yes: addresses were not fixed
 *   stdin        file, pipe, null or none     terminals   of descriptors 0 to 2: "1 2"
 *   descriptors  open at the start: "0 1 2"   stack-limit bytes, "unlimited"
 *   kernel       release                      cpus        usable at the start
 *
 * In a list every item ends with a new line; a new line inside an item is "\n", a
 * backslash "\\". */
#ifndef AU_PROGRAM_PROGRAM_H
#define AU_PROGRAM_PROGRAM_H

#include "base/error.h"
#include "trace/recording_write.h"
#include "wire/control.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AU_STDIN_NONE, AU_STDIN_NULL, AU_STDIN_FILE, AU_STDIN_PIPE };

typedef struct {
    char *path, *exe, *cwd;
    uint64_t exe_hash;
    char **argv, **envp;    /* ended by NULL */
    char **libraries;       /* ended by NULL: "hash path" */
    struct au_control plan; /* policy, seed, switch_every, pct_depth, max_events, no_randomize */
    int stdin_kind;         /* AU_STDIN_* */
    bool terminal[3];
    int *fds;
    size_t n_fds;
    uint64_t stack_limit; /* RLIM_INFINITY: unlimited */
    char *kernel;
    unsigned cpus;
} au_program;

/* The machine's part: terminals, kind of standard input, descriptors, limits, kernel. The rest
 * is the caller's to fill in with malloc'ed memory. */
void au_program_init_here(au_program *p);
void au_program_release(au_program *p);

void au_program_put(const au_program *p, au_recording_out *w);
/* get: the value of a META key or NULL. AU_EFORMAT if something needed is missing. */
typedef const char *au_meta_get(void *ctx, const char *key);
au_status au_program_get(au_program *p, au_meta_get *get, void *ctx, au_error *err);

/* ---- trust.c: a recording is data ---- */

/* Variables of the recorded environment that load code (LD_PRELOAD, GCONV_PATH …) are renamed, unless the user of
 * this process has the same. names: which, "A, B". */
void au_program_distrust(au_program *p, char *names, size_t size);
/* "NAME=VALUE", which the user gave for the program. */
void au_program_trust(const char *item);

/* The descriptors that a program started now would inherit, ascending; caller frees. */
int *au_open_fds(size_t *n);

/* "os", "random", "pct"; -1 if unknown. */
const char *au_policy_name(uint32_t policy);
int au_policy_by_name(const char *name);

/* A copy of a list ended by NULL; caller frees with au_list_free. */
char **au_list_copy(char *const *list);
void au_list_free(char **list);

/* ---- libraries.c ---- */

/* The shared objects that the dynamic linker would load for this program (which is not run:
 * the linker only lists them), as "hash path"; ended by NULL. The caller frees the list, also after an error: the
 * linker cannot be asked, or one of them cannot be read. */
au_status au_libraries_of(const char *path, char *const *envp, const char *cwd, char ***list,
                          au_error *err);
/* The path in such an item. */
const char *au_library_path(const char *item);

#endif
