/* report/case_source.c: lines of source that cases speak of.
 *
 * File names come from the trace, so a file is read only if it is a regular one of moderate size
 * without NUL bytes. Of a recording, only if the program on the disk names it, too, or it lies below the recording or
 * the working directory. Around every line that is wanted CONTEXT more are kept, and ranges that
 * nearly touch become one. */
#include "base/limits.h"
#include "report/case_words.h"

#include "base/hash.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    CONTEXT = 6,
    CALLERS = 4,           /* of an event, whose lines are kept */
    JOINED = 12,           /* ranges with so few lines between them */
    FUNCTION_LINES = 3000, /* so far up a function's first line is looked for; see nth_of */
    LINE_BYTES = 400
};

typedef struct {
    const char *file;
    AU_VEC(uint32_t) wanted;
    char *bytes;   /* NULL: not to be had */
    bool large;    /* … since it is too large */
    uint32_t lost; /* ranges of it for which there was no room */
    size_t size;
    time_t changed;
    int why;              /* it is there, but cannot be read: errno */
    AU_VEC(size_t) start; /* of each line, and one past the last */
} source;
typedef AU_VEC(source) sources;

static source *source_of(sources *all, au_map *index, const char *file) {
    uint64_t *k = au_map_put(index, au_hash_bytes(file, strlen(file)), NULL);
    if (*k && !strcmp(all->at[*k - 1].file, file))
        return &all->at[*k - 1];
    au_vec_push(all, ((source){.file = file}));
    *k = all->n;
    return &au_vec_last(all);
}

static void want_line(sources *all, au_map *index, const char *file, uint32_t line) {
    if (!*file || !line || line >= UINT32_MAX - 2 * CONTEXT)
        return;
    source *s = source_of(all, index, file);
    if (!s->wanted.n || au_vec_last(&s->wanted) != line)
        au_vec_push(&s->wanted, line);
}

static void want(sources *all, au_map *index, const au_case_events *v) {
    for (size_t i = 0; i < v->n; i++) {
        const au_case_frame *user = au_case_told_frame(&v->at[i]);
        want_line(all, index, v->at[i].file, v->at[i].line);
        if (user)
            want_line(all, index, user->file, user->line);
        for (uint32_t k = 0; k < v->at[i].n_callers && k < CALLERS; k++)
            if (!au_case_is_foreign(v->at[i].caller[k].file))
                want_line(all, index, v->at[i].caller[k].file, v->at[i].caller[k].line);
    }
}

/* ---- files ------------------------------------------------------------------------------- */

static bool goes_up(const char *file) {
    for (const char *s = file; s; s = strchr(s, '/'), s = s ? s + 1 : NULL)
        if (!strncmp(s, "..", 2) && (!s[2] || s[2] == '/'))
            return true;
    return false;
}

/* A file that is not there is nothing to speak of: programs are checked far from their sources. */
static bool cannot(source *s, int why) {
    if (why != ENOENT && why != ENOTDIR && why != ENAMETOOLONG && !s->why)
        s->why = why;
    return false;
}

static bool read_file(source *s, const char *path) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return cannot(s, errno);
    if (fstat(fd, &st)) {
        cannot(s, errno);
        close(fd);
        return false;
    }
    s->large |= S_ISREG(st.st_mode) && st.st_size > AU_LIMIT_SOURCE_BYTES;
    if (!S_ISREG(st.st_mode) || st.st_size > AU_LIMIT_SOURCE_BYTES) {
        close(fd);
        return false;
    }
    s->bytes = au_alloc((size_t)st.st_size + 1);
    s->changed = st.st_mtime;
    bool whole = true;
    while (s->size < (size_t)st.st_size) {
        ssize_t n = read(fd, s->bytes + s->size, (size_t)st.st_size - s->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            whole = cannot(s, errno);
        if (n <= 0)
            break;
        s->size += (size_t)n;
    }
    close(fd);
    if (!whole || memchr(s->bytes, 0, s->size)) {
        free(s->bytes);
        s->bytes = NULL;
        s->size = 0;
    }
    return s->bytes;
}

static bool is_compiled(const au_dossier *d, const char *file) {
    for (size_t i = 0; i < d->compiled.n; i++)
        if (!strcmp(d->compiled.at[i], file))
            return true;
    return false;
}

static void find_file(const au_dossier *d, source *s, const char *const *dir, size_t n) {
    bool any = !d->recorded || is_compiled(d, s->file);
    const char *slash = strrchr(d->program, '/');
    size_t program = slash ? (size_t)(slash - d->program) + 1 : 0;
    for (size_t i = 0; i < n && !s->bytes; i++) {
        bool named = dir[i] && (!*dir[i] || !strcmp(dir[i], d->cwd) ||
                                (program && !strncmp(dir[i], d->program, program)));
        if (!dir[i] || (!any && named)) /* as a recording likes */
            continue;
        if (!*dir[i]) {
            read_file(s, s->file);
        } else if (*s->file != '/' && !goes_up(s->file)) {
            char *path = au_sprintf("%s/%s", dir[i], s->file);
            read_file(s, path);
            free(path);
        }
    }
    for (size_t i = 0; i < s->size; i++)
        if (!i || s->bytes[i - 1] == '\n')
            au_vec_push(&s->start, i);
    if (s->bytes)
        au_vec_push(&s->start, s->size + (s->size && s->bytes[s->size - 1] != '\n'));
}

/* Line 'number' without its newline; "" past the end. */
static const char *line_of(au_dossier *d, const source *s, uint32_t number, bool trimmed) {
    if (!number || number >= s->start.n)
        return "";
    const char *from = s->bytes + s->start.at[number - 1];
    const char *to = s->bytes + s->start.at[number] - 1;
    if (to > from && to[-1] == '\r')
        to--;
    while (trimmed && from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    size_t n = (size_t)(to - from);
    if (n > LINE_BYTES)
        for (n = LINE_BYTES; n && (from[n] & 0xc0) == 0x80;)
            n--; /* not inside of a character */
    return n ? au_arena_strndup(&d->arena, from, n) : "";
}

/* ---- what is kept -------------------------------------------------------------------------- */

static void keep_range(au_dossier *d, const source *s, uint32_t first, uint32_t last) {
    const char **line = AU_ARENA_ARRAY(&d->arena, const char *, last - first + 1);
    for (uint32_t k = first; k <= last; k++)
        line[k - first] = line_of(d, s, k, false);
    au_vec_push(&d->source, ((au_case_source){au_dossier_text_copy(d, s->file), first,
                                              last - first + 1, line}));
}

static int by_number(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void take_range(au_dossier *d, source *s, uint32_t first, uint32_t end, uint32_t *room) {
    if (end && end - first < *room) {
        *room -= end - first + 1;
        keep_range(d, s, first, end);
    } else if (end) {
        s->lost++;
    }
}

static void keep_lines(au_dossier *d, source *s, uint32_t *room) {
    uint32_t last = s->start.n ? (uint32_t)(s->start.n - 1) : 0, first = 0, end = 0;
    if (!last || !s->wanted.n)
        return;
    qsort(s->wanted.at, s->wanted.n, sizeof *s->wanted.at, by_number);
    for (size_t i = 0; i < s->wanted.n; i++) {
        uint32_t from = s->wanted.at[i] > CONTEXT ? s->wanted.at[i] - CONTEXT : 1;
        uint32_t to = s->wanted.at[i] + CONTEXT;
        if (s->wanted.at[i] > last)
            break; /* the file is not the one that was compiled */
        if (to > last)
            to = last;
        if (end && from <= end + JOINED) {
            end = to > end ? to : end;
            continue;
        }
        take_range(d, s, first, end, room);
        first = from;
        end = to;
    }
    take_range(d, s, first, end, room);
}

static void note_once(au_dossier *d, const char *text) {
    bool told = false;
    for (size_t i = 0; i < d->note.n; i++)
        told |= !strcmp(d->note.at[i], text);
    if (!told)
        au_vec_push(&d->note, au_dossier_text_copy(d, text));
}

/* Lines of another text than the one that ran would only mislead. */
static void warn_if_newer(au_dossier *d, const source *s) {
    struct tm tm;
    char when[32];
    if (!s->bytes || !*d->when || !gmtime_r(&s->changed, &tm) ||
        !strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm) || strcmp(when, d->when) <= 0)
        return;
    char *text = au_sprintf(
        "'%s' was changed after the run was recorded: the lines shown may not be the ones that ran",
        s->file);
    note_once(d, text);
    free(text);
}

/* Baselines and suppressions know findings by their fingerprints, and those by the lines. */
static void warn_if_unread(au_dossier *d, const source *s) {
    if (s->bytes || !s->why)
        return;
    char *text = au_sprintf("'%s' cannot be read (%s): findings are shown without its lines, and "
                            "their fingerprints differ",
                            s->file, strerror(s->why));
    note_once(d, text);
    free(text);
}

static bool is_user_file(const source *s) {
    return *s->file && s->wanted.n && !au_case_is_foreign(s->file);
}

/* Without the text of the lines a report is hard to read: what is missing, and where it is looked for. */
static void note_missing(au_dossier *d, const sources *all) {
    const char *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < all->n; i++) {
        const source *s = &all->at[i];
        if (s->bytes || s->why || s->large || !is_user_file(s))
            continue;
        more += first != NULL;
        first = first ? first : s->file;
    }
    if (!*d->program || !first)
        return;
    char others[40] = "";
    if (more)
        snprintf(others, sizeof others, " and %zu more", more);
    char *text = au_sprintf("the source '%s'%s was not found: findings are shown without its "
                            "lines; run augur where it was compiled",
                            first, others);
    note_once(d, text);
    free(text);
}

/* What its size, or that of the report, takes away. */
static void note_limits(au_dossier *d, const source *s, uint64_t *lost) {
    if (!s->bytes && s->large)
        note_once(d, au_limit_say_at(AU_AT_SOURCE_BYTES, s->file, 0, 0, (char[AU_LIMIT_TEXT]){0}));
    *lost += s->lost;
}

/* The name of a function as its definition has it: "Queue::push(int)" is "push". */
static size_t plain_name(const char *function, const char **from) {
    size_t n = strcspn(function, "(<[ ");
    *from = function;
    for (size_t i = 0; i < n; i++)
        if (function[i] == ':')
            *from = function + i + 1;
    return n - (size_t)(*from - function);
}

/* Line 'number' without the blanks around it; in the file's bytes. */
static size_t trimmed_line(const source *s, uint32_t number, const char **from) {
    const char *to = s->bytes + s->start.at[number] - 1;
    *from = s->bytes + s->start.at[number - 1];
    while (*from < to && isspace((unsigned char)**from))
        ++*from;
    while (to > *from && isspace((unsigned char)to[-1]))
        to--;
    return (size_t)(to - *from);
}

static bool begins(const char *line, size_t n, const char *name, size_t k) {
    for (const char *at = line; (at = memmem(at, (size_t)(line + n - at), name, k)); at += k)
        if (at + k < line + n && at[k] == '(' && (at == line || !isalnum((unsigned char)at[-1])))
            return true;
    return false;
}

/* How many lines of the function before this one have the same text: 'n++;' may stand there twice. The function begins
 * at the last line above that has its name and a parenthesis. Without such a line nobody knows: 0, and what then looks the
 * same is told apart by its place (case_fold.c). */
static uint32_t nth_of(const source *s, uint32_t number, const char *function) {
    const char *name, *own, *line;
    size_t k = plain_name(function, &name), n, own_n;
    uint32_t same = 0;
    if (!k || !number || number >= s->start.n)
        return 0;
    own_n = trimmed_line(s, number, &own);
    for (uint32_t l = number - 1; l && number - l < FUNCTION_LINES; l--) {
        n = trimmed_line(s, l, &line);
        if (begins(line, n, name, k))
            return same;
        same += n == own_n && !memcmp(line, own, n);
    }
    return 0;
}

static void tell_text(au_dossier *d, sources *all, au_map *index, au_case_event *e) {
    const au_case_frame *user = au_case_told_frame(e);
    if (*e->file && e->line) {
        const source *s = source_of(all, index, e->file);
        if (!*e->text)
            e->text = line_of(d, s, e->line, true);
        e->nth = nth_of(s, e->line, e->function);
    }
    if (user) {
        const source *s = source_of(all, index, user->file);
        e->from_text = line_of(d, s, user->line, true);
        e->nth = nth_of(s, user->line, user->function);
    }
}

static void tell_texts(au_dossier *d, sources *all, au_map *index) {
    for (size_t i = 0; i < d->at.n; i++)
        for (size_t k = 0; k < d->at.at[i].event.n; k++)
            tell_text(d, all, index, &d->at.at[i].event.at[k]);
}

void au_dossier_sources(au_dossier *d, const char *const *dir, size_t n_dirs) {
    sources all = {0};
    au_map index;
    uint32_t room = AU_LIMIT_SOURCE_LINES;
    uint64_t lost = 0;
    au_map_init(&index);
    for (size_t i = 0; i < d->at.n; i++) {
        want(&all, &index, &d->at.at[i].event);
        want(&all, &index, &d->at.at[i].witness);
        want(&all, &index, &d->at.at[i].observed);
    }
    for (size_t i = 0; i < all.n; i++)
        find_file(d, &all.at[i], dir, n_dirs);
    tell_texts(d, &all, &index);
    au_vec_clear(&d->source); /* told before: told anew */
    for (size_t i = 0; i < all.n; i++) {
        keep_lines(d, &all.at[i], &room);
        warn_if_newer(d, &all.at[i]);
        warn_if_unread(d, &all.at[i]);
        note_limits(d, &all.at[i], &lost);
    }
    note_missing(d, &all);
    for (size_t i = 0; i < all.n; i++) {
        au_vec_release(&all.at[i].wanted);
        au_vec_release(&all.at[i].start);
        free(all.at[i].bytes);
    }
    if (lost)
        note_once(d, au_limit_say(AU_AT_SOURCE_LINES, lost, 0, (char[AU_LIMIT_TEXT]){0}));
    au_vec_release(&all);
    au_map_release(&index);
}
