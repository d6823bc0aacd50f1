// Loops without events: a hook where they may last, none where they count to a constant.
#define CALLED __attribute__((noinline))
int g;
CALLED static int counted(int s) {
    unsigned char t[16];
    int h = 0;
    for (int j = 0; j < 16; j++)
        t[j] = (unsigned char)(j + s);
    for (int j = 15; j >= 0; j--)
        h = h * 31 + t[j];
    for (unsigned k = 0; k != 12; k += 3)
        h ^= (int)k;
    unsigned z = 3;
    do
        h += (int)z;
    while (--z);
    return h;
}
CALLED static int nested(int s) { // the outer one has a hook
    int h = s;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 8; j++)
            h = h * 31 + j;
    return h;
}
CALLED static int too_long(void) {
    int h = 0;
    for (int i = 0; i < 3 * 4096; i += 4096)
        h += i;
    for (int i = 4095; i < 4097; i--) {
        h += i;
        if (i < 4095)
            break;
    }
    return h;
}
CALLED static int unknown(int n) {
    int h = n;
    for (int i = 0; i < n; i++)
        h = h * 31 + i;
    return h;
}
int main(void) {
    g = counted(3);
    g = nested(1);
    g = too_long();
    g = unknown(2);
    return 0;
}
