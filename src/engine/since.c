/* engine/since.c: see since.h. */
#include "engine/since.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "record/replay.h"
#include "trace/tables.h"
#include "wire/stream.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef AU_VEC(uint32_t) lines;

typedef struct {
    char *name; /* from the top of the repository */
    lines line; /* changed; for what was taken away, the lines around it */
    bool all;   /* git does not know the file */
} changed;

struct au_since {
    char *root;
    bool everything; /* something changed that may concern any program */
    AU_VEC(changed) file;
};

/* ---- what a file is, by its name ---- */

static bool ends_as_one_of(const char *name, size_t n, const char *const *ending) {
    for (; *ending; ending++) {
        size_t k = strlen(*ending);
        if (n > k && !strncmp(name + n - k, *ending, k))
            return true;
    }
    return false;
}

static bool is_header(const char *name, size_t n) {
    static const char *const ending[] = {".h",   ".hh",  ".hpp", ".hxx", ".h++", ".inc",
                                         ".inl", ".ipp", ".tcc", ".def", ".H",   NULL};
    return ends_as_one_of(name, n, ending);
}

static bool is_source(const char *name, size_t n) {
    static const char *const ending[] = {".c",   ".cc", ".cpp", ".cxx", ".c++", ".C", ".s", ".S",
                                         ".asm", ".y",  ".yy",  ".l",   ".ll",  ".m", NULL};
    return ends_as_one_of(name, n, ending);
}

/* What programs are linked with, as it is. */
static bool is_object(const char *name, size_t n) {
    static const char *const ending[] = {".o", ".a", ".so", ".lo", ".la", ".bc", NULL};
    for (size_t i = 0; i + 4 <= n; i++)
        if (!strncmp(name + i, ".so.", 4))
            return true;
    return ends_as_one_of(name, n, ending);
}

/* It says how programs are built. */
static bool builds(const char *name, size_t n) {
    static const char *const begin[] = {"Makefile",      "makefile",
                                        "GNUmakefile",   "CMakeLists.txt",
                                        "CMakePresets",  "CMakeUserPresets",
                                        "meson.build",   "meson_options",
                                        "meson.options", "configure",
                                        "BUILD",         "WORKSPACE",
                                        "MODULE.bazel",  "SConstruct",
                                        "SConscript",    "build.ninja",
                                        "Kconfig",       "wscript",
                                        "premake",       "xmake.lua",
                                        "conanfile",     "vcpkg.json",
                                        "autogen",       ".gitmodules",
                                        "bootstrap",     NULL};
    static const char *const ending[] = {".mk",  ".mak",   ".cmake", ".am",  ".ac",  ".m4", ".in",
                                         ".bzl", ".ninja", ".wrap",  ".pro", ".pri", NULL};
    const char *base = name;
    for (size_t i = 0; i < n; i++)
        if (name[i] == '/')
            base = name + i + 1;
    size_t left = n - (size_t)(base - name);
    for (const char *const *b = begin; *b; b++)
        if (left >= strlen(*b) && !strncmp(base, *b, strlen(*b)))
            return true;
    return ends_as_one_of(name, n, ending);
}

/* ---- git ---- */

/* What the program prints, ended by a zero; NULL: it failed. Caller frees. */
static char *output_of(char *const *argv) {
    int ends[2];
    pid_t pid;
    AU_VEC(char) text = {0};
    char block[4096];
    ssize_t n;
    int status = -1;
    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool begun = !posix_spawnp(&pid, argv[0], &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    while (begun && (n = read(ends[0], block, sizeof block)) > 0)
        for (ssize_t i = 0; i < n; i++)
            au_vec_push(&text, block[i]);
    close(ends[0]);
    while (begun && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    char *all = begun && !status ? au_strndup(text.at ? text.at : "", text.n) : NULL;
    au_vec_release(&text);
    return all;
}

static changed *add_file(au_since *s, const char *name, size_t n, bool all) {
    au_vec_push(&s->file, ((changed){.name = au_strndup(name, n), .all = all}));
    return &s->file.at[s->file.n - 1];
}

/* A comment of one line, nothing. A bracket does say something: where the life of a guard ends. */
static bool says_nothing(const char *s, size_t n) {
    while (n && isspace((unsigned char)*s))
        s++, n--;
    while (n && isspace((unsigned char)s[n - 1]))
        n--;
    if (n < 2 || s[0] != '/' || s[1] != '/')
        return !n;
    for (size_t i = 2; i + 1 < n; i++)
        if (s[i] == '*' && s[i + 1] == '/')
            return false; /* the end of a longer comment */
    return s[n - 1] != '\\';
}

static void add_line(changed *c, uint32_t line) {
    if (c && (!c->line.n || c->line.at[c->line.n - 1] != line))
        au_vec_push(&c->line, line);
}

/* "@@ -a,b +c,d @@": c and d. */
static void read_hunk(const char *s, uint32_t *first, uint32_t *count) {
    const char *plus = strstr(s, " +");
    *first = *count = 0;
    if (!plus)
        return;
    char *end;
    *first = (uint32_t)strtoul(plus + 2, &end, 10);
    *count = *end == ',' ? (uint32_t)strtoul(end + 1, NULL, 10) : 1;
}

/* "diff --git a/NAME b/NAME": there are no renames. A name with quotes is not read. */
static void read_name(au_since *s, const char *line, size_t n, const char **name, size_t *length) {
    size_t head = strlen("diff --git "), both = n > head ? n - head : 0;
    *length = both >= 5 && both % 2 && !strncmp(line + head, "a/", 2) ? (both - 5) / 2 : 0;
    *name = line + n - *length;
    if (!*length || is_object(*name, *length) || builds(*name, *length))
        s->everything = true;
}

/* Nothing but curly brackets. */
static bool is_bracket(const char *s, size_t n) {
    bool any = false;
    for (; n; s++, n--) {
        if (!isspace((unsigned char)*s) && *s != '{' && *s != '}')
            return false;
        any |= !isspace((unsigned char)*s);
    }
    return any;
}

/* Counts the curly brackets of a line; false: one of them, here or below, may be none (comments, texts, macros). */
static bool count_brackets(const char *s, size_t n, int *depth) {
    bool any = false, quotes = false;
    while (n && isspace((unsigned char)*s))
        s++, n--;
    if (n && (*s == '#' || s[n - 1] == '\\'))
        return false;
    for (size_t i = 0; i < n; i++) {
        char next = i + 1 < n ? s[i + 1] : ' ';
        if ((s[i] == '/' && (next == '*' || next == '/')) || (s[i] == '*' && next == '/') ||
            (s[i] == 'R' && next == '"') || s[i] == '%' || (s[i] == '?' && next == '?'))
            return false;
        quotes |= s[i] == '"' || s[i] == '\'';
        any |= s[i] == '{' || s[i] == '}';
        *depth += (s[i] == '{') - (s[i] == '}');
        if (*depth < 0)
            return false;
    }
    return !any || !quotes;
}

/* Are the lines of the hunk with this sign whole blocks, and something else? Then their brackets change nothing around
 * them, and belong to what the other lines belong to. */
static bool are_whole(const char *hunk, char sign) {
    int depth = 0;
    bool other = false;
    for (const char *line = hunk; *line == '+' || *line == '-' || *line == '\\';) {
        size_t n = strcspn(line, "\n");
        if (*line == sign && !says_nothing(line + 1, n - 1)) {
            if (!count_brackets(line + 1, n - 1, &depth))
                return false;
            other |= !is_bracket(line + 1, n - 1);
        }
        line += n + (line[n] == '\n');
    }
    return !depth && other;
}

/* One line in a hunk that is at line 'at' of the new file. */
static void read_line(au_since *s, changed *c, const char *line, size_t n, uint32_t at,
                      const uint32_t hunk[2], const bool whole[2]) {
    if (!strncmp(line + 1, "Subproject commit ", strlen("Subproject commit ")))
        s->everything = true;
    if (says_nothing(line + 1, n - 1) || (whole[*line == '+'] && is_bracket(line + 1, n - 1)))
        return;
    if (*line == '+') {
        add_line(c, at);
        return;
    }
    add_line(c, hunk[0]); /* of what was taken away without anything in its place: … */
    if (!hunk[1])
        add_line(c, hunk[0] + 1); /* … it stood between these */
}

/* A unified diff without context. */
static void read_diff(au_since *s, const char *text) {
    changed *c = NULL;
    const char *name = "";
    size_t length = 0;
    uint32_t hunk[2] = {0}, at = 0;
    bool inside = false, whole[2] = {false, false};
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (!strncmp(line, "@@ ", 3)) {
            read_hunk(line, &hunk[0], &hunk[1]);
            at = hunk[0];
            inside = true;
            whole[0] = are_whole(line + n + (line[n] == '\n'), '-');
            whole[1] = are_whole(line + n + (line[n] == '\n'), '+');
        } else if (inside && (*line == '+' || *line == '-')) {
            read_line(s, c, line, n, at, hunk, whole);
            at += *line == '+';
        } else if (!strncmp(line, "diff ", 5)) {
            inside = false;
            c = NULL;
            read_name(s, line, n, &name, &length);
        } else if (!strncmp(line, "* Unmerged path ", 16)) {
            s->everything = true;
        } else if (!inside && !strncmp(line, "deleted file ", 13)) {
            s->everything |= is_source(name, length) || is_header(name, length);
        } else if (!inside && !strncmp(line, "+++ b/", 6)) {
            c = add_file(s, line + 6, n - 6 - (n > 6 && line[n - 1] == '\t'), false);
        }
        line += n + (line[n] == '\n');
    }
}

static void read_unknown(au_since *s, const char *text) {
    for (const char *name = text; *name;) {
        size_t n = strcspn(name, "\n");
        add_file(s, name, n, true);
        s->everything |= *name == '"' || builds(name, n);
        name += n + (name[n] == '\n');
    }
}

au_since *au_since_open(const char *revision, au_error *err) {
    char *commit = au_sprintf("%s^{commit}", revision);
    char *const top[] = {"git", "rev-parse", "--show-toplevel", NULL};
    char *const verify[] = {"git",  "rev-parse", "--verify", "--quiet", "--end-of-options",
                            commit, NULL};
    char *root = output_of(top), *known = root ? output_of(verify) : NULL;
    au_since *s = NULL;
    if (!root)
        au_error_set(err, AU_EUSAGE,
                     "--since asks git what changed, and there is no repository here");
    else if (!known)
        au_error_set(err, AU_EUSAGE, "git does not know the revision '%s'", revision);
    if (known) {
        known[strcspn(known, "\n")] = 0;
        root[strcspn(root, "\n")] = 0;
        char *const diff[] = {"git",
                              "-C",
                              root,
                              "-c",
                              "core.quotePath=false",
                              "diff",
                              "--merge-base",
                              "--unified=0",
                              "--no-color",
                              "--no-ext-diff",
                              "--no-textconv",
                              "--no-renames",
                              "--no-relative",
                              "--text",
                              "--inter-hunk-context=0",
                              "--submodule=short",
                              "--ignore-submodules=none",
                              "--src-prefix=a/",
                              "--dst-prefix=b/",
                              known,
                              "--",
                              NULL};
        char *const others[] = {"git",
                                "-C",
                                root,
                                "-c",
                                "core.quotePath=false",
                                "ls-files",
                                "--others",
                                "--exclude-standard",
                                NULL};
        char *text = output_of(diff), *unknown = output_of(others);
        if (text) {
            s = au_alloc_array(1, sizeof *s);
            *s = (au_since){.root = au_strdup(root)};
            read_diff(s, text);
            read_unknown(s, unknown ? unknown : "");
            s->everything |= !unknown;
        } else {
            au_error_set(err, AU_EUSAGE,
                         "git cannot say what changed since '%s': have they a commit in common? "
                         "(a clone that is not whole has not: git fetch --unshallow)",
                         revision);
        }
        free(text);
        free(unknown);
    }
    free(commit);
    free(root);
    free(known);
    return s;
}

void au_since_free(au_since *s) {
    for (size_t i = 0; s && i < s->file.n; i++) {
        free(s->file.at[i].name);
        au_vec_release(&s->file.at[i].line);
    }
    if (s) {
        au_vec_release(&s->file);
        free(s->root);
    }
    free(s);
}

/* ---- a recording ---- */

typedef struct {
    au_tables *t;
    bool *done; /* by site: was executed */
} module;

/* A module in the stream: its sites have numbers from 'first' on. */
typedef struct {
    uint64_t id;
    uint32_t first, n;
} loaded;

typedef struct {
    AU_VEC(module) at;
    AU_VEC(loaded) loaded;
    AU_VEC(bool) executed; /* by number in the stream */
} modules;

static bool *zeroes(size_t n) {
    return memset(au_alloc_array(n + 1, sizeof(bool)), 0, n + 1);
}

static void take_tables(void *ctx, uint8_t kind, uint32_t count, const char *at, size_t n) {
    modules *m = ctx;
    au_error err = AU_ERROR_NONE;
    (void)count;
    au_tables *t = kind == AU_WIRE_TABLES ? au_tables_read(at, n, &err) : NULL;
    if (t)
        au_vec_push(&m->at, ((module){t, zeroes(t->head.n_sites)}));
}

static void release(modules *m) {
    for (size_t i = 0; i < m->at.n; i++) {
        free(m->at.at[i].done);
        au_tables_free(m->at.at[i].t);
    }
    au_vec_release(&m->at);
    au_vec_release(&m->loaded);
    au_vec_release(&m->executed);
}

/* Is it known where its code stands? Not of modules without tables; nor if the compiler was told other names of the
 * sources, or they lie elsewhere: then no file of the repository would be theirs. */
static bool has_sources(const au_since *s, const modules *m) {
    size_t n = strlen(s->root);
    bool any = false;
    for (size_t i = 0; i < m->at.n; i++) {
        const char *name = au_tables_text(m->at.at[i].t, m->at.at[i].t->head.source);
        char *real = *name == '/' ? realpath(name, NULL) : NULL;
        bool gone = *name == '/' && !real;
        any |= *name && (*name != '/' || (real && !strncmp(real, s->root, n) && real[n] == '/'));
        free(real);
        if (gone)
            return false;
    }
    for (size_t i = 0; i < m->loaded.n; i++) {
        bool known = false;
        for (size_t k = 0; k < m->at.n && !known; k++)
            known = m->at.at[k].t->module == m->loaded.at[i].id;
        if (!known)
            return false;
    }
    return any;
}

/* Is this the file that the compiler calls so? Names that are no whole paths are compared by their ends. */
static bool is_file(const au_since *s, const changed *c, const char *name) {
    if (*name == '/') {
        char *real = realpath(name, NULL);
        const char *path = real ? real : name;
        size_t n = strlen(s->root);
        bool same = !strncmp(path, s->root, n) && path[n] == '/' && !strcmp(path + n + 1, c->name);
        free(real);
        return same;
    }
    while (!strncmp(name, "./", 2) || !strncmp(name, "../", 3))
        name = strchr(name, '/') + 1;
    size_t all = strlen(c->name), n = strlen(name);
    return n && n <= all && !strcmp(c->name + all - n, name) &&
           (n == all || c->name[all - n - 1] == '/');
}

/* A function of a file, by what has hooks in it. */
typedef struct {
    const char *name;
    uint32_t first, last;
    bool done;
} function;
typedef AU_VEC(function) functions;

static void add_site(functions *f, const char *name, uint32_t line, bool done) {
    for (size_t i = f->n; i-- > 0;)
        if (!strcmp(f->at[i].name, name)) {
            function *x = &f->at[i];
            x->first = line < x->first ? line : x->first;
            x->last = line > x->last ? line : x->last;
            x->done |= done;
            return;
        }
    au_vec_push(f, ((function){name, line, line, done}));
}

/* Functions of the file, in all modules; *has: some module has code of it, or comes of it. */
static void functions_of(const au_since *s, const changed *c, const modules *m, functions *f,
                         bool *has) {
    for (size_t i = 0; i < m->at.n; i++) {
        const module *x = &m->at.at[i];
        const char *last = NULL;
        bool same = false;
        *has |= is_file(s, c, au_tables_text(x->t, x->t->head.source));
        for (uint32_t k = 0; k < x->t->head.n_sites; k++) {
            const struct au_tab_site *site = &x->t->site[k];
            const char *file = au_tables_text(x->t, site->file);
            if (file != last)
                same = *file && is_file(s, c, file);
            last = file;
            if (same && site->line)
                add_site(f, au_tables_text(x->t, site->func), site->line, x->done[k]);
            *has |= same;
        }
    }
}

static bool line_concerns(const functions *f, uint32_t line) {
    bool inside = false, done = false;
    for (size_t i = 0; i < f->n; i++)
        if (line >= f->at[i].first && line <= f->at[i].last) {
            inside = true;
            done |= f->at[i].done;
        }
    return done || !inside;
}

static bool file_concerns(const au_since *s, const changed *c, const modules *m) {
    functions f = {0};
    bool has = false, concerns = false;
    functions_of(s, c, m, &f, &has);
    if (has) {
        for (size_t i = 0; i < f.n && c->all; i++)
            concerns |= f.at[i].done;
        for (size_t i = 0; i < c->line.n && !concerns; i++)
            concerns = line_concerns(&f, c->line.at[i]);
    } else {
        concerns = is_header(c->name, strlen(c->name)) && (c->all || c->line.n);
    }
    au_vec_release(&f);
    return concerns;
}

static void mark(modules *m, uint32_t site) {
    while (m->executed.n <= site)
        au_vec_push(&m->executed, false);
    m->executed.at[site] = true;
}

/* What was executed, by modules and their places. */
static void sort_out(modules *m) {
    for (size_t i = 0; i < m->loaded.n; i++)
        for (size_t k = 0; k < m->at.n; k++) {
            const loaded *l = &m->loaded.at[i];
            module *x = &m->at.at[k];
            for (uint32_t j = 0; x->t->module == l->id && j < l->n && j < x->t->head.n_sites; j++)
                x->done[j] |= l->first + j < m->executed.n && m->executed.at[l->first + j];
        }
}

bool au_since_concerns(const au_since *s, const char *recording) {
    if (s->everything)
        return true;
    modules m = {0};
    au_error err = AU_ERROR_NONE;
    au_stream_record r = {.tag = AU_TAG_END};
    au_walk *w = au_walk_open(recording, take_tables, &m, &err);
    bool good = w != NULL, concerns = false;
    if (good) {
        au_stream_be_blind(au_walk_stream(w));
        au_walk_ends(w);
    }
    while (good && (good = au_walk_next(w, &r, &err) == AU_OK) && r.tag != AU_TAG_PAD) {
        if (r.tag == AU_TAG_MODULE)
            au_vec_push(&m.loaded, ((loaded){r.value, r.first_site, r.n_sites}));
        else if (r.tag == AU_TAG_EV)
            mark(&m, r.site);
    }
    sort_out(&m);
    concerns = good && s->file.n && !has_sources(s, &m);
    for (size_t i = 0; i < s->file.n && good && !concerns; i++)
        concerns = file_concerns(s, &s->file.at[i], &m);
    au_walk_free(w);
    release(&m);
    return concerns || !good;
}
