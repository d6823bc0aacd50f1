// Outcomes of branches: told only where neither the next event nor a told value tells.
#define CALLED __attribute__((noinline))
int g, h, a[4];
CALLED static int pure(int n) { // not hooked: its branches are told
    int s = 0;
    while (n > 1) {
        s += n & 1 ? n : 1;
        if (n % 3 == 0)
            s ^= 5;
        n /= 2;
    }
    return s;
}
CALLED static void by_event(int c) { // different next events
    if (c)
        g = 1;
    else
        h = 1;
}
CALLED static void by_value(void) { // the condition was loaded under a hook
    int max = 0;
    for (int i = 0; i < 4; i++)
        if (a[i] > max)
            max = a[i] * 2 + 1;
    g = max;
}
CALLED static void untold(int c) { // same next event, the condition is a parameter
    int x = 1;
    if (c > 2)
        x = c / (c - 1);
    g = x;
}
CALLED static void many(int c) {
    int x;
    switch (c) {
    case 0:
        x = pure(7);
        break;
    case 1:
    case 5:
        x = 3;
        break;
    case 9:
        x = pure(3);
        break;
    default:
        x = c / 3;
    }
    g = x;
}
CALLED static void computed(int c) {
    static void *const to[] = {&&zero, &&one, &&two};
    int x = c;
    goto *to[c];
zero:
    x += 5;
one:
    x += pure(x);
two:
    g = x;
}
int main(void) {
    a[1] = 5;
    by_event(0);
    by_event(1);
    by_value();
    untold(1);
    untold(5);
    many(5);
    many(9);
    many(20);
    computed(0);
    computed(2);
    return pure(9) == 0;
}
