#include <stdarg.h>
struct two {
    long a, b;
};
int ext_int(int x) {
    return x;
}
float ext_float(float x) {
    return x;
}
double ext_double(double x) {
    return x;
}
void *ext_pointer(void *p) {
    return p;
}
struct two ext_two(long a, long b) {
    return (struct two){a, b};
}
void ext_void(void) {
}
int ext_sum(int n, ...) {
    va_list l;
    int s = 0;
    va_start(l, n);
    while (n-- > 0)
        s += va_arg(l, int);
    va_end(l);
    return s;
}
