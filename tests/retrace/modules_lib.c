int lib_count, lib_values[3] = {10, 20, 30};
const int lib_limit = 7;
const char *const lib_names[] = {"one", "two", "three"};
struct pair {
    long a, b, c;
} lib_pair(long a);
int lib_add(int by);
int lib_square(int x);
int lib_call(int (*fn)(int, void *), int n, void *p);

int lib_add(int by) {
    lib_count += by;
    return lib_count > 10 ? by : -by;
}
int lib_square(int x) {
    int r = 0;
    for (int i = 0; i < (x & 15); i++)
        r += x;
    return r;
}
int lib_call(int (*fn)(int, void *), int n, void *p) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += fn(i, p);
    return s;
}
struct pair lib_pair(long a) {
    return (struct pair){a, a * 2 + lib_count, 3};
}
