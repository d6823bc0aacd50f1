// Loads and stores of every size; the value's bits are told where 8 bytes hold them.
#include <stdint.h>
struct pair {
    int a, b;
};
struct bits {
    unsigned x : 3, y : 20, z : 24;
};
typedef float vec4 __attribute__((vector_size(16)));
typedef short vec2s __attribute__((vector_size(4)));
typedef unsigned _BitInt(24) u24;
char c;
short h;
int i;
long l;
float f;
double d;
void *p;
_Bool b;
long double ld;
__int128 big;
struct pair s1, s2;
struct bits bf;
vec4 v4;
vec2s v2;
volatile int vol;
_Complex float cf;
_Complex double cd;
u24 odd;
int main(void) {
    c = 1;
    h = 2;
    i = c + h;
    l = 0x1122;
    f = 1.5f;
    d = f;
    p = 0;
    b = 1;
    ld = 1;
    big = 5;
    s1.a = 7;
    s2 = s1;
    bf.z = 9;
    v4 = (vec4){1, 2, 3, 4};
    v2 = (vec2s){1, 2};
    vol = 3;
    vol;
    cf = 1;
    cd = cf;
    odd = 0x123456;
    return v2[1] == 2 && bf.z == 9 && big == 5 && ld == 1 && odd == 0x123456 && b ? 0 : 1;
}
