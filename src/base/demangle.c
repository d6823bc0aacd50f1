/* base/demangle.c: see demangle.h. */
#include "base/demangle.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* Of the C++ library (Itanium C++ ABI, 3.4). */
char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* Where the parameters begin: the bracket of the last one that closes; at a qualifier, 'f() const', before that. */
static char *parameters(char *s) {
    char *end = strrchr(s, ')');
    int depth = 0;
    for (char *p = end; p && p >= s; p--) {
        depth += *p == ')';
        depth -= *p == '(';
        if (!depth)
            return p;
    }
    return NULL;
}

/* 'std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >' is what everybody calls std::string. */
static void shorten(char *s) {
    static const char string[] = "std::__cxx11::basic_string<char, std::char_traits<char>, "
                                 "std::allocator<char> >";
    static const char told[] = "std::string";
    for (char *p = s; (p = strstr(p, string)); p += strlen(told)) {
        memcpy(p, told, strlen(told));
        memmove(p + strlen(told), p + strlen(string), strlen(p + strlen(string)) + 1);
    }
}

char *au_demangle(const char *name) {
    int status = -1;
    char *made = !strncmp(name, "_Z", 2) ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    if (!made || status) {
        free(made);
        return au_strdup(name);
    }
    char *from = parameters(made);
    if (from && from > made)
        *from = 0;
    shorten(made);
    char *copy = au_strdup(made); /* memory of our own allocator */
    free(made);
    return copy;
}
