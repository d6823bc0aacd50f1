// memcpy, memmove, memset: private sides have no event.
#include <string.h>
char a[32], b[32];
struct big {
    char bytes[64];
} s, t;
int main(int argc, char **argv) {
    char local[32];
    unsigned long n = (unsigned long)argc * 4;
    (void)argv;
    memset(a, 7, 32);
    memset(a, argc, n);
    memcpy(b, a, 32);
    memmove(b, b + 1, n);
    memcpy(b, a, (unsigned long)argc - 1);
    memset(local, 1, 32);
    memcpy(local, a, 16);
    memcpy(b, local, 16);
    memcpy(b, "0123456789abcdef", 16);
    s = t;
    return a[0] == 1 && b[0] == '0' && local[31] == 1 ? 0 : 1;
}
