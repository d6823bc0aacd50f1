#!/usr/bin/env bash
# tools/limits.sh [--check | --write] [ROOT]: the table of limits in docs/limits.md is made from
# src/base/limits.def. --check (what it does if nothing is said) says whether it is, --write writes it.
set -euo pipefail
mode=check
case ${1:-} in
--check | --write)
    mode=${1#--}
    shift
    ;;
esac
cd "${1:-$(dirname "$0")/..}"
doc=docs/limits.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Everything between '<!-- limits -->' and '<!-- end of limits -->' is made here.
cat >"$work/table.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void number(uint64_t v) {
    if (v >= 1000) {
        number(v / 1000);
        printf(" %03u", (unsigned)(v % 1000));
    } else {
        printf("%u", (unsigned)v);
    }
}
static void put(const char *s) {
    for (; *s; s++)
        printf(*s == '|' ? "\\|" : "%c", *s);
}
static const char *told(const char *name) {
    static const char *const in[][2] = {{"NOTE", "note"},          {"OPEN", "inconclusive"},
                                        {"WHY", "reason"},         {"OVER", "over-approximated"},
                                        {"GAP", "not covered"},    {"ERROR", "message"},
                                        {"MORE", "beside what is shown"}};
    for (size_t i = 0; i < sizeof in / sizeof *in; i++)
        if (!strcmp(in[i][0], name))
            return in[i][1];
    return name;
}
static void row(const char *name, uint64_t value, const char *unit, const char *how,
                const char *lost, const char *words) {
    printf("| ");
    for (; *name; name++)
        putchar(*name == '_' ? '-' : *name | ('A' <= *name && *name <= 'Z' ? 32 : 0));
    printf(" | ");
    int mib = !strncmp(unit, "bytes", 5);
    number(mib ? value >> 20 : value);
    printf(" %s", mib ? "MiB" : "");
    put(mib ? unit + 5 : unit);
    printf(" | ");
    put(lost);
    printf(" | %s: \"", told(how));
    put(words);
    printf("\" |\n");
}
static void group(const char *title) {
    printf("\n### %s\n\n| limit | value | what is lost beyond it | how the report says it |\n|---|---|---|---|\n", title);
}
int main(void) {
#define GROUP(title) group(title);
#define LIMIT(name, value, unit, told, lost, words) row(#name, value, unit, #told, lost, words);
#include "limits.def"
    return 0;
}
END
"${CC:-cc}" -w -I src/base -o "$work/table" "$work/table.c"
"$work/table" >"$work/rows"
document() {
    awk -v rows="$work/rows" '
        /^<!-- end of limits -->$/ { inside = 0; print "" }
        !inside { print }
        /^<!-- limits -->$/ { inside = 1; while ((getline line < rows) > 0) print line }' $doc
}
document >"$work/new"
if [ "$mode" = write ]; then
    cp "$work/new" $doc
elif ! grep -q '^<!-- limits -->$' $doc || ! diff -u $doc "$work/new"; then
    echo "$doc: its table is not that of src/base/limits.def: run tools/limits.sh --write"
    exit 1
fi
