/* trace/format.c: the formats by name. */
#include "trace/reader.h"

#include <string.h>

static const struct {
    const char *name;
    au_format format;
} by_name[] = {
    {"bin", AU_FORMAT_BINARY},        {"binary", AU_FORMAT_BINARY}, {"std", AU_FORMAT_STD},
    {"rapidbin", AU_FORMAT_RAPIDBIN}, {"values", AU_FORMAT_VALUES}, {"jsonl", AU_FORMAT_JSONL},
    {"perfetto", AU_FORMAT_PERFETTO}, {"json", AU_FORMAT_PERFETTO},
};

static const struct {
    const char *ending;
    au_format format;
} by_ending[] = {
    {".trace", AU_FORMAT_BINARY},      {".augur", AU_FORMAT_BINARY},
    {".std", AU_FORMAT_STD},           {".rapidbin", AU_FORMAT_RAPIDBIN},
    {".rbin", AU_FORMAT_RAPIDBIN},     {".values", AU_FORMAT_VALUES},
    {".jsonl", AU_FORMAT_JSONL},       {".ndjson", AU_FORMAT_JSONL},
    {".perfetto", AU_FORMAT_PERFETTO}, {".json", AU_FORMAT_PERFETTO},
};

au_format au_format_by_name(const char *name) {
    for (size_t i = 0; i < sizeof by_name / sizeof *by_name; i++)
        if (!strcmp(name, by_name[i].name))
            return by_name[i].format;
    return AU_FORMAT_AUTO;
}

static bool ends_in(const char *s, size_t n, const char *ending) {
    size_t m = strlen(ending);
    return n > m && !memcmp(s + n - m, ending, m);
}

au_format au_format_by_path(const char *path) {
    size_t n = strlen(path);
    if (ends_in(path, n, ".gz"))
        n -= 3;
    else if (ends_in(path, n, ".zst"))
        n -= 4;
    for (size_t i = 0; i < sizeof by_ending / sizeof *by_ending; i++)
        if (ends_in(path, n, by_ending[i].ending))
            return by_ending[i].format;
    return AU_FORMAT_AUTO;
}
