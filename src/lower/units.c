/* lower/units.c: see units.h. */
#include "lower/units.h"

#include "base/alloc.h"
#include "base/in.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LIST_BYTES = 256 << 20, DEEPEST = 64 };

bool au_unit_is_source(const char *path, bool *cxx) {
    static const char *const c[] = {".c", ".i", NULL};
    static const char *const cc[] = {".cc", ".cpp", ".cxx", ".C", ".c++", ".ii", NULL};
    const char *dot = strrchr(path, '.');
    *cxx = false;
    if (!dot || strchr(dot, '/'))
        return false;
    for (size_t i = 0; c[i]; i++)
        if (!strcmp(dot, c[i]))
            return true;
    for (size_t i = 0; cc[i]; i++)
        if (!strcmp(dot, cc[i]))
            return *cxx = true;
    return false;
}

static bool ends_with(const char *path, const char *end) {
    size_t n = strlen(path), k = strlen(end);
    return n > k && !strcmp(path + n - k, end);
}

/* What another compiler preprocessed is preprocessed once more, with macros that take away what clang does not
 * read: attributes of newer headers. No macro is known that the text may use for a name. */
static const char *const preprocessed[] = {"-Ulinux",
                                           "-Uunix",
                                           "-D__malloc__(...)=__malloc__",
                                           "-Wno-unknown-attributes",
                                           "-Wno-incompatible-library-redeclaration",
                                           "-Wno-builtin-macro-redefined",
                                           "-x",
                                           "c"};
enum { PREPROCESSED = sizeof preprocessed / sizeof *preprocessed };

static void add(au_units *u, char *file) {
    au_unit one = {.file = file};
    if (ends_with(file, ".i")) {
        one.option = au_alloc_array(PREPROCESSED, sizeof *one.option);
        for (; one.n_options < PREPROCESSED; one.n_options++)
            one.option[one.n_options] = au_strdup(preprocessed[one.n_options]);
    }
    au_vec_push(u, one);
}

bool au_unit_is_narrow(const char *file) {
    static const char size[] = "typedef unsigned int size_t;";
    bool is = false;
    FILE *f = ends_with(file, ".i") ? fopen(file, "rb") : NULL;
    char line[256];
    while (f && !is && fgets(line, sizeof line, f))
        is = strstr(line, size) != NULL;
    if (f)
        fclose(f);
    return is;
}

/* --- lists of compile commands --------------------------------------------------------------------- */

typedef AU_VEC(char *) words;

static void release(words *w) {
    for (size_t i = 0; i < w->n; i++)
        free(w->at[i]);
    au_vec_release(w);
}

/* A command as a shell would cut it: quotes and backslashes, nothing else. */
static void cut(const char *s, words *into) {
    AU_VEC(char) word = {0};
    bool any = false;
    for (char quote = 0; *s; s++) {
        if (quote ? *s == quote : *s == '"' || *s == '\'') {
            quote = quote ? 0 : *s;
            any = true;
        } else if (!quote && strchr(" \t\n", *s)) {
            if (any)
                au_vec_push(into, au_strndup(word.n ? word.at : "", word.n));
            word.n = 0;
            any = false;
        } else {
            bool escaped = *s == '\\' && s[1] && (!quote || (quote == '"' && strchr("\"\\", s[1])));
            s += escaped;
            au_vec_push(&word, *s);
            any = true;
        }
    }
    if (any)
        au_vec_push(into, au_strndup(word.n ? word.at : "", word.n));
    au_vec_release(&word);
}

/* Where the output goes and which files it depends on is not ours, and no warning is an error. How many words. */
static size_t not_ours(const char *word) {
    static const char *const two[] = {"-o", "-MF", "-MT", "-MQ", "-MJ", NULL};
    static const char *const one[] = {"-c",
                                      "-S",
                                      "-E",
                                      "-M",
                                      "-MM",
                                      "-MD",
                                      "-MMD",
                                      "-MP",
                                      "-MG",
                                      "-Werror",
                                      "-pedantic-errors",
                                      "-save-temps",
                                      NULL};
    for (size_t i = 0; two[i]; i++)
        if (!strcmp(word, two[i]))
            return 2;
    for (size_t i = 0; one[i]; i++)
        if (!strcmp(word, one[i]))
            return 1;
    return !strncmp(word, "-Werror=", 8) || !strncmp(word, "-o./", 4);
}

static const char *text(const cJSON *o, const char *key) {
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, key);
    return cJSON_IsString(x) ? x->valuestring : NULL;
}

static char *in_directory(const char *dir, const char *file) {
    return *file == '/' ? au_strdup(file) : au_sprintf("%s/%s", dir, file);
}

/* One file once: what a second target makes of it would be a second program's. */
static bool known(au_units *u, size_t first, const char *file) {
    for (size_t i = first; i < u->n; i++)
        if (!strcmp(u->at[i].file, file))
            return u->at[i].again = true;
    return false;
}

static bool add_row(const cJSON *row, const char *list_dir, size_t first, au_units *u) {
    const char *dir = text(row, "directory"), *file = text(row, "file");
    const char *command = text(row, "command");
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(row, "arguments");
    bool cxx;
    if (!file || (!command && !cJSON_IsArray(arguments)))
        return false;
    if (!au_unit_is_source(file, &cxx)) /* assembler and the like */
        return true;
    char *where = in_directory(list_dir, dir ? dir : "."), *path = in_directory(where, file);
    words w = {0};
    if (known(u, first, path)) {
        free(path);
        free(where);
        return true;
    }
    if (cJSON_IsArray(arguments)) {
        const cJSON *x;
        cJSON_ArrayForEach(x, arguments) if (cJSON_IsString(x))
            au_vec_push(&w, au_strdup(x->valuestring));
    } else {
        cut(command, &w);
    }
    AU_VEC(char *) option = {0};
    au_vec_push(&option, au_sprintf("-working-directory=%s", where));
    au_vec_push(&option, au_strdup("-Qunused-arguments"));
    au_vec_push(&option, au_strdup("-Wno-unknown-warning-option"));
    for (size_t i = 1; i < w.n; i++) { /* behind the compiler's name */
        char *full = w.at[i][0] == '-' ? NULL : in_directory(where, w.at[i]);
        size_t skip = full && !strcmp(full, path) ? 1 : not_ours(w.at[i]);
        /* Launchers (ccache gcc …) have the compiler behind them. */
        bool compiler = i == 1 && w.at[i][0] != '-' && !au_unit_is_source(w.at[i], &cxx);
        if (!skip && !compiler && strcmp(w.at[i], "--"))
            au_vec_push(&option, au_strdup(w.at[i]));
        i += skip ? skip - 1 : 0;
        free(full);
    }
    au_unit one = {.file = path, .option = option.at, .n_options = option.n};
    au_vec_push(u, one);
    release(&w);
    free(where);
    return true;
}

static au_status add_list(const char *path, au_units *u, au_error *err) {
    char *bytes, *dir = NULL, *full = realpath(path, NULL);
    size_t n, first = u->n;
    au_status st = au_in_whole(path, LIST_BYTES, "a list of compile commands", &bytes, &n, err);
    if (st != AU_OK) {
        free(full);
        return st;
    }
    cJSON *all = cJSON_ParseWithLength(bytes, n);
    free(bytes);
    if (full)
        dir = au_strndup(full, (size_t)(strrchr(full, '/') - full));
    bool good = cJSON_IsArray(all) && dir;
    const cJSON *row;
    if (good)
        cJSON_ArrayForEach(row, all) good &= cJSON_IsObject(row) && add_row(row, dir, first, u);
    cJSON_Delete(all);
    free(dir);
    free(full);
    if (!good)
        return au_error_set(err, AU_EFORMAT,
                            "'%s' is no list of compile commands: an array of objects with 'file' "
                            "and 'command' or 'arguments'",
                            path);
    if (u->n == first)
        return au_error_set(err, AU_EFORMAT, "'%s' names no C or C++ source", path);
    return AU_OK;
}

/* --- directories ---------------------------------------------------------------------------------- */

static int is_seen(const struct dirent *e) {
    return e->d_name[0] != '.';
}

static au_status add_below(const char *dir, unsigned depth, au_units *u, au_error *err) {
    struct dirent **entry;
    int n = scandir(dir, &entry, is_seen, alphasort);
    if (n < 0)
        return au_error_errno(err, "cannot read '%s'", dir);
    au_status st = AU_OK;
    for (int i = 0; i < n; i++) {
        bool cxx;
        struct stat is;
        char *path = au_sprintf("%s/%s", dir, entry[i]->d_name);
        free(entry[i]);
        if (st != AU_OK || lstat(path, &is)) {
            free(path);
        } else if (S_ISDIR(is.st_mode)) {
            if (depth < DEEPEST)
                st = add_below(path, depth + 1, u, err);
            free(path);
        } else if (S_ISREG(is.st_mode) && au_unit_is_source(path, &cxx)) {
            add(u, path);
        } else {
            free(path);
        }
    }
    free(entry);
    return st;
}

static au_status add_directory(const char *dir, au_units *u, au_error *err) {
    struct stat is;
    size_t n = strlen(dir), first = u->n;
    while (n > 1 && dir[n - 1] == '/')
        n--;
    char *plain = au_strndup(dir, n), *list = au_sprintf("%s/compile_commands.json", plain);
    au_status st;
    if (!stat(list, &is)) {
        st = add_list(list, u, err);
    } else {
        st = add_below(plain, 0, u, err);
        if (st == AU_OK && u->n == first)
            st = au_error_set(err, AU_EFORMAT, "there is no C or C++ source below '%s'", dir);
    }
    free(list);
    free(plain);
    return st;
}

/* --- all ------------------------------------------------------------------------------------------ */

au_status au_units_of(const char *const *operand, size_t n, au_units *u, au_error *err) {
    *u = (au_units){0};
    for (size_t i = 0; i < n; i++) {
        struct stat is;
        const char *dot = strrchr(operand[i], '.');
        au_status st = AU_OK;
        if (!stat(operand[i], &is) && S_ISDIR(is.st_mode))
            st = add_directory(operand[i], u, err);
        else if (dot && !strcmp(dot, ".json"))
            st = add_list(operand[i], u, err);
        else
            add(u, au_strdup(operand[i]));
        if (st != AU_OK)
            return st;
    }
    return AU_OK;
}

void au_units_release(au_units *u) {
    for (size_t i = 0; i < u->n; i++) {
        for (size_t k = 0; k < u->at[i].n_options; k++)
            free(u->at[i].option[k]);
        free(u->at[i].option);
        free(u->at[i].file);
    }
    au_vec_release(u);
}
