/* report/case_name.c: names as the user wrote them (au_case_plain, au_dossier_plain in case_words.h and case.h).
 *
 * A variable of a recording is named by the members that lead to it, down into the types of the C++ library:
 * 'backend.lock_._M_mutex', 'cache.entries_._M_t._M_impl._M_node_count'. Who reads a report knows 'backend.lock_' and
 * 'cache.entries_.size()'. Names that the language leaves to its implementation (_M_x, __x) are left out, but for indices of
 * arrays; nodes of containers are called that. Fingerprints are made before, so that they stay what they were. */
#include "report/case_words.h"

#include <ctype.h>
#include <stdlib.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Letters of a member that is the implementation's, with its point: "._M_impl"; 0: it is none. */
static size_t reserved(const char *s) {
    size_t n = 2;
    if (s[0] != '.' || s[1] != '_' || !(s[2] == '_' || (s[2] >= 'A' && s[2] <= 'Z')))
        return 0;
    while (is_word(s[n]))
        n++;
    return n;
}

static bool is_one_of(const char *s, size_t n, const char *const *word) {
    for (; *word; word++)
        if (strlen(*word) == n && !memcmp(s, *word, n))
            return true;
    return false;
}

/* A run of such members at s: what is left of it. Returns how much of s it is. */
static size_t put_reserved(au_out *out, const char *s) {
    static const char *const counts[] = {"._M_node_count", "._M_element_count", "._M_size",
                                         "._M_string_length", NULL};
    static const char *const arrays[] = {"._M_elems", NULL};
    const char *from = s, *last = s;
    size_t n, last_n = 0;
    while ((n = reserved(s))) {
        last = s;
        last_n = n;
        s += n;
        while (*s == '[' && strspn(s + 1, "0123456789") &&
               s[1 + strspn(s + 1, "0123456789")] == ']') {
            size_t index = 2 + strspn(s + 1, "0123456789");
            if (is_one_of(last, last_n, arrays))
                au_out_write(out, s, index);
            s += index;
        }
    }
    if (*s == '+' && isdigit((unsigned char)s[1])) /* bytes of such a member */
        s += 1 + strspn(s + 1, "0123456789");
    if (is_one_of(last, last_n, counts))
        au_out_str(out, ".size()");
    return (size_t)(s - from);
}

/* Letters from '<' to its '>'; 0: it has none. */
static size_t in_angles(const char *s) {
    size_t depth = 0, n = 0;
    do {
        depth += s[n] == '<';
        depth -= s[n] == '>';
        if (!s[n++])
            return 0;
    } while (depth);
    return n;
}

/* "<T>" of "T, std::allocator<void>>" and of "T*, …>". */
static void put_first(au_out *out, const char *s) {
    int depth = 0;
    size_t n = 0;
    while (s[n] && (depth > 0 || (s[n] != ',' && s[n] != '>'))) {
        depth += s[n] == '<';
        depth -= s[n] == '>';
        n++;
    }
    while (n && (s[n - 1] == '*' || s[n - 1] == ' '))
        n--;
    au_out_char(out, '<');
    au_out_write(out, s, n);
    au_out_char(out, '>');
}

/* Types of the library that have a name that everybody knows; 'whole': with the parameters behind it. */
static size_t put_type(au_out *out, const char *s) {
    static const struct {
        const char *is, *told;
        bool whole, of; /* 'of': of what, the first parameter, is told */
    } type[] = {{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                 "std::string", false, false},
                {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>",
                 "std::string", false, false},
                {"std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
                 "std::string", false, false},
                {"std::__cxx11::", "std::", false, false},
                {"std::_Rb_tree_node<", "std::map node", true, false},
                {"std::_List_node<", "std::list node", true, false},
                {"std::__detail::_Hash_node<", "std::unordered_map node", true, false},
                {"std::_Fwd_list_node<", "std::forward_list node", true, false},
                {"std::thread::_State_impl<", "std::thread", true, false},
                {"std::_Sp_counted_ptr_inplace<", "std::shared_ptr", true, true},
                {"std::_Sp_counted_ptr<", "std::shared_ptr", true, true}};
    for (size_t i = 0; i < sizeof type / sizeof *type; i++) {
        size_t n = strlen(type[i].is);
        if (strncmp(s, type[i].is, n))
            continue;
        size_t more = type[i].whole ? in_angles(s + n - 1) : 1;
        if (!more)
            continue;
        au_out_str(out, type[i].told);
        if (type[i].of)
            put_first(out, s + n);
        return n - 1 + more;
    }
    return 0;
}

void au_case_put_plain(au_out *out, const char *s) {
    bool word = false; /* the letter before is of a word */
    while (*s) {
        size_t n = *s == '.'            ? (reserved(s) ? put_reserved(out, s) : 0)
                   : !word && *s == 's' ? put_type(out, s)
                                        : 0;
        if (!n) {
            au_out_char(out, *s);
            n = 1;
        }
        word = is_word(s[n - 1]);
        s += n;
    }
}

static const char *plain(au_dossier *d, const char *s) {
    if (!strstr(s, "._") && !strstr(s, "std::"))
        return s;
    au_out *out = au_out_memory();
    size_t n;
    au_case_put_plain(out, s);
    const char *made = au_out_memory_data(out, &n);
    made = n == strlen(s) && !memcmp(made, s, n) ? s : au_arena_strndup(&d->arena, made, n);
    au_out_abandon(out);
    return made;
}

/* 'Cache<int>::get' is 'Cache::get': which instance it is, a line that several have does not tell. */
static const char *function(au_dossier *d, const char *s) {
    size_t n = strcspn(s, "<");
    if (!s[n] || strstr(s, "operator"))
        return plain(d, s);
    char *made = au_strndup(s, strlen(s)), *to = made;
    while (*s) {
        n = *s == '<' ? in_angles(s) : 0;
        s += n;
        if (!n)
            *to++ = *s++;
    }
    *to = 0;
    const char *kept = plain(d, au_dossier_text_copy(d, made));
    free(made);
    return kept;
}

static void of_events(au_dossier *d, au_case_events *v) {
    for (size_t i = 0; i < v->n; i++) {
        au_case_event *e = &v->at[i];
        e->object = plain(d, e->object);
        e->function = function(d, e->function);
        if (!e->n_held)
            continue;
        const char **held = AU_ARENA_ARRAY(&d->arena, const char *, e->n_held);
        for (uint32_t k = 0; k < e->n_held; k++)
            held[k] = plain(d, e->held[k]);
        e->held = held;
    }
}

static void of_case(au_dossier *d, au_case *c) {
    c->var = plain(d, c->var);
    c->message = plain(d, c->message);
    c->what = plain(d, c->what);
    of_events(d, &c->event);
    of_events(d, &c->witness);
    of_events(d, &c->observed);
    for (size_t i = 0; i < c->value.n; i++)
        c->value.at[i].var = plain(d, c->value.at[i].var);
    for (size_t i = 0; i < c->variant.n; i++)
        of_case(d, &c->variant.at[i]);
}

void au_dossier_plain(au_dossier *d) {
    for (size_t i = 0; i < d->at.n; i++)
        of_case(d, &d->at.at[i]);
}
