/* retrace/codes.c: the decoded modules of a recorded program.
 *
 * A module's id is the hash of its clean bitcode, so a record that unpacks to the right hash is
 * the right one, wherever it lies: a program that was linked anew from the same objects
 * still serves. Looked for in the files that the recording's MODULE records name, then in the
 * program and its libraries as META names them. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/pack.h"
#include "base/parts.h"
#include "base/vec.h"
#include "ir/code.h"
#include "program/elf.h"
#include "program/program.h"
#include "retrace/retrace.h"
#include "trace/recording.h"
#include "llvm/api.h"
#include "llvm/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

struct au_codes {
    AU_VEC(au_code *) code;
    au_map at; /* module id -> place in code + 1; 0: wanted and not there yet */
    size_t missing;
    bool failed;
    au_llvm_decode_fn *decode;
    au_llvm_code_free_fn *code_free;
    au_llvm_free_fn *message_free;
    AU_VEC(char) note;
};

static void add_note(au_codes *c, const char *text) {
    if (c->note.n)
        au_vec_append(&c->note, "; ", 2);
    au_vec_append(&c->note, text, strlen(text));
}

static au_status open_llvm(au_codes *c, bool unroll, au_error *err) {
    char *path = au_part_find(AU_PART_LLVM, err);
    if (!path)
        return err ? err->status : AU_EIO;
    void *dl = au_llvm_load(path);
    au_status st = AU_OK;
    au_llvm_api_fn *api = NULL;
    if (dl) {
        /* ISO C has no conversion from object to function pointers; POSIX wants this one. */
        *(void **)&api = dlsym(dl, "au_llvm_api");
        *(void **)&c->decode = dlsym(dl, unroll ? "au_llvm_decode_unrolled" : "au_llvm_decode");
        *(void **)&c->code_free = dlsym(dl, "au_llvm_code_free");
        *(void **)&c->message_free = dlsym(dl, "au_llvm_free");
    }
    if (!dl)
        st = au_error_set(err, AU_EINTERNAL, "cannot load '%s': %s", path, dlerror());
    else if (!api || api() != AU_LLVM_API || !c->decode || !c->code_free || !c->message_free)
        st = au_error_set(err, AU_EINTERNAL, "'%s' belongs to another version of augur", path);
    free(path);
    return st;
}

/* The payload of a record, unpacked; NULL if it is not what it says. */
static void *unpack(const struct au_embed *head, const unsigned char *payload) {
    if (head->raw > AU_LIMIT_BITCODE)
        au_limit_reached(AU_AT_BITCODE, 1);
    if (head->raw == 0 || head->raw > AU_LIMIT_BITCODE)
        return NULL;
    void *raw = NULL;
    if (head->raw == head->length) {
        raw = au_alloc(head->raw);
        memcpy(raw, payload, head->raw);
    } else if (ZSTD_getFrameContentSize(payload, head->length) == head->raw) {
        raw = au_alloc(head->raw);
        if (au_zstd(ZSTD_decompress(raw, head->raw, payload, head->length)) != head->raw) {
            free(raw);
            return NULL;
        }
    }
    if (raw && XXH3_64bits(raw, head->raw) == head->module)
        return raw;
    free(raw);
    return NULL;
}

static void decode(au_codes *c, const struct au_embed *head, const void *raw, const char *path) {
    au_code *code = NULL;
    char *message = NULL;
    au_error err = AU_ERROR_NONE;
    int status = c->decode(raw, head->raw, head->module, &code, &message);
    if (status != AU_LLVM_OK) {
        au_error_set(&err, AU_EINTERNAL, "%s", message ? message : "no reason given");
        c->message_free(message);
    } else if (au_code_check(code, &err) != AU_OK) {
        c->code_free(code);
        code = NULL;
    }
    if (!code) {
        char *text = au_sprintf("module %016" PRIx64 " of '%s' cannot be used: %s", head->module,
                                path, err.text);
        add_note(c, text);
        free(text);
        return;
    }
    au_vec_push(&c->code, code);
    *au_map_put(&c->at, head->module, NULL) = c->code.n;
    c->missing--;
}

static void take_records(au_codes *c, const au_elf *e, const char *path, bool all) {
    struct au_embed head;
    const unsigned char *record;
    for (size_t at = 0; (record = au_elf_record(e, AU_EMBED_BITCODE, &at, &head));) {
        uint64_t *wanted =
            all ? au_map_put(&c->at, head.module, NULL) : au_map_find(&c->at, head.module);
        if (!wanted || *wanted)
            continue;
        c->missing += all;
        void *raw = unpack(&head, record + sizeof head);
        if (raw)
            decode(c, &head, raw, path);
        free(raw);
    }
}

static void search(au_codes *c, const char *path) {
    au_elf e;
    if (!c->missing || !path)
        return;
    errno = 0;
    if (au_elf_open(&e, path, NULL) != AU_OK) {
        /* One that is not there any more is something else than one that cannot be read now. */
        c->failed |= errno && errno != ENOENT && errno != ENOTDIR && errno != EACCES;
        return;
    }
    take_records(c, &e, path, false);
    au_elf_close(&e);
}

/* Why modules of this file were not found. */
static char *why(const char *path, const char *hash) {
    au_elf e;
    errno = 0;
    if (au_elf_open(&e, path, NULL) != AU_OK)
        return errno && errno != ENOENT
                   ? au_sprintf("'%s' cannot be read: %s", path, strerror(errno))
                   : au_sprintf("'%s' cannot be read", path);
    bool changed = hash && strtoull(hash, NULL, 16) != e.hash;
    au_elf_close(&e);
    return changed ? au_sprintf("'%s' has changed since it was recorded", path)
                   : au_sprintf("'%s' does not hold the code of all its modules", path);
}

static void add_missing(au_codes *c, const au_recording_facts *f, const au_program *p) {
    char *last = NULL;
    for (size_t i = 0; i < f->module.n; i++) {
        const char *path = f->module.at[i].path, *hash = NULL;
        if (*au_map_find(&c->at, f->module.at[i].id))
            continue;
        char exe[24];
        if (p->exe && !strcmp(path, p->exe)) {
            snprintf(exe, sizeof exe, "%016" PRIx64, p->exe_hash);
            hash = exe;
        }
        for (size_t k = 0; p->libraries && p->libraries[k] && !hash; k++)
            if (!strcmp(path, au_library_path(p->libraries[k])))
                hash = p->libraries[k];
        char *text = why(path, hash);
        if (!last || strcmp(last, text))
            add_note(c, text);
        free(last);
        last = text;
    }
    free(last);
    char *count = au_sprintf("%zu of %zu modules have no code to follow", c->missing, f->module.n);
    add_note(c, count);
    free(count);
}

static const char *get_meta(void *recording, const char *key) {
    return au_reader_meta(recording, key);
}

au_codes *au_codes_open(const au_reader *recording, char **note, au_error *err) {
    *note = NULL;
    const au_recording_facts *f = au_reader_facts(recording);
    if (!f) {
        au_error_set(err, AU_EUNSUPPORTED, "not a recording: it has no code to follow");
        return NULL;
    }
    au_codes *c = AU_NEW(au_codes);
    au_map_init(&c->at);
    if (open_llvm(c, false, err) != AU_OK) {
        au_codes_free(c);
        return NULL;
    }
    for (size_t i = 0; i < f->module.n; i++) {
        bool fresh;
        au_map_put(&c->at, f->module.at[i].id, &fresh);
        c->missing += fresh;
    }
    au_program p = {0};
    bool known = au_program_get(&p, get_meta, (void *)(uintptr_t)recording, NULL) == AU_OK;
    if (!known)
        p = (au_program){0};
    for (size_t i = 0; i < f->module.n; i++)
        if (!i || strcmp(f->module.at[i].path, f->module.at[i - 1].path))
            search(c, f->module.at[i].path);
    search(c, p.exe);
    for (size_t i = 0; p.libraries && p.libraries[i]; i++)
        search(c, au_library_path(p.libraries[i]));
    if (c->missing)
        add_missing(c, f, &p);
    if (known)
        au_program_release(&p);
    if (c->note.n) {
        au_vec_push(&c->note, '\0');
        *note = c->note.at;
        c->note.at = NULL;
    }
    return c;
}

au_codes *au_codes_of_recording(const char *path, const au_read_options *how, char **note,
                                au_error *err) {
    *note = NULL;
    au_reader *r = au_reader_open(path, how, err);
    au_codes *c = NULL;
    au_block first; /* all modules are known with it */
    if (r && au_reader_next(r, &first, err) == AU_OK)
        c = au_codes_open(r, note, err);
    if (r)
        au_reader_free(r);
    return c;
}

au_codes *au_codes_of_files(const char *const *path, size_t n, char **note, au_error *err) {
    *note = NULL;
    au_codes *c = AU_NEW(au_codes);
    au_map_init(&c->at);
    au_status st = open_llvm(c, true, err);
    for (size_t i = 0; i < n && st == AU_OK; i++) {
        au_elf e;
        size_t before = c->at.n;
        st = au_elf_open(&e, path[i], err);
        if (st != AU_OK)
            break;
        take_records(c, &e, path[i], true);
        if (c->at.n == before)
            st = au_error_set(err, AU_EFORMAT, "'%s' has no code of augur cc in it", path[i]);
        au_elf_close(&e);
    }
    if (st == AU_OK && !c->code.n)
        st = au_error_set(err, AU_EFORMAT, "no module could be read%s%.*s", c->note.n ? ": " : "",
                          (int)c->note.n, c->note.n ? c->note.at : "");
    if (st != AU_OK) {
        au_codes_free(c);
        return NULL;
    }
    if (c->note.n) {
        au_vec_push(&c->note, '\0');
        *note = c->note.at;
        c->note.at = NULL;
    }
    return c;
}

bool au_codes_failed(const au_codes *c) {
    return c->failed;
}

size_t au_codes_count(const au_codes *c) {
    return c->code.n;
}

const au_code *au_codes_at(const au_codes *c, size_t i) {
    return c->code.at[i];
}

const au_code *au_codes_find(const au_codes *c, uint64_t module) {
    uint64_t *at = au_map_find(&c->at, module);
    return at && *at ? c->code.at[*at - 1] : NULL;
}

void au_codes_free(au_codes *c) {
    if (!c)
        return;
    for (size_t i = 0; i < c->code.n; i++)
        c->code_free(c->code.at[i]);
    au_vec_release(&c->code);
    au_vec_release(&c->note);
    au_map_release(&c->at);
    free(c);
}
