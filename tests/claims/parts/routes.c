// Ways that a small number can travel: each part defines 'static long route(long v)', which gives v for 0 to 9.

//! copy
static long route(long v) {
    return v;
}

//! arithmetic
static long route(long v) {
    return (v * 7 + 21) / 7 - 3;
}

//! narrow
static long route(long v) {
    signed char c = (signed char)v;
    unsigned short s = (unsigned short)(c << 3);
    return s >> 3;
}

//! wide
static long route(long v) {
    unsigned __int128 w = (unsigned __int128)v << 70;
    return (long)(w >> 70);
}

//! bitfield
struct bits {
    unsigned a : 3, b : 4, c : 9;
};
static long route(long v) {
    struct bits s = {1, 0, 2};
    s.b = (unsigned)v & 15u;
    return s.b;
}

//! float
static long route(long v) {
    float f = (float)v * 0.5f;
    return (long)(f * 2.0f);
}

//! double
static long route(long v) {
    double d = sqrt((double)v * (double)v);
    return (long)(d + 0.5);
}

//! long_double
static long route(long v) {
    long double d = (long double)v / 4.0L;
    return (long)(d * 4.0L);
}

//! vector
typedef int four __attribute__((vector_size(16)));
static long route(long v) {
    four a = {1, (int)v, 3, 4}, b = {4, 3, 2, 1};
    a = a + b;
    return a[1] - 3;
}

//! array_index
static long route(long v) {
    static const char at[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    return 9 - at[v];
}

//! switch_case
static long route(long v) {
    switch (v) {
    case 0:
        return 0;
    case 1:
        return 1;
    case 2:
        return 2;
    case 3:
        return 3;
    case 4:
        return 4;
    case 5:
        return 5;
    default:
        return v;
    }
}

//! computed_goto: c-only
static long route(long v) {
    static void *const to[] = {&&even, &&odd};
    goto *to[v & 1];
even:
    return v;
odd:
    return v;
}

//! branches
static long route(long v) {
    long r = 0;
    for (int k = 0; k < 4; k++)
        if (v & (1 << k))
            r += 1 << k;
    return r;
}

//! loop_count
static long route(long v) {
    volatile long r = 0;
    while (r < v)
        r++;
    return r;
}

//! recursion
static long down(long v) {
    return v == 0 ? 0 : 1 + down(v - 1);
}
static long route(long v) {
    return down(v);
}

//! function_pointer
static long even(long v) {
    return v;
}
static long odd(long v) {
    return v;
}
static long route(long v) {
    long (*f)(long) = v & 1 ? odd : even;
    return f(v);
}

//! struct_by_value
struct pair {
    long a, b, c;
};
static struct pair make(long v) {
    struct pair p = {1, v, 3};
    return p;
}
static long route(long v) {
    struct pair p = make(v);
    return p.b;
}

//! union_bytes
static long route(long v) {
    union {
        long l;
        unsigned char b[8];
    } u;
    u.l = v << 16;
    return u.b[2];
}

//! heap
static long route(long v) {
    long *p = (long *)malloc(3 * sizeof *p);
    p[1] = v;
    long r = p[1];
    free(p);
    return r;
}

//! realloc
static long route(long v) {
    long *p = (long *)calloc(2, sizeof *p);
    p[1] = v;
    p = (long *)realloc(p, 4096 * sizeof *p);
    long r = p[1];
    free(p);
    return r;
}

//! thread_local
static __thread long mine;
static long route(long v) {
    mine = v;
    return mine;
}

//! thread_key
static pthread_key_t key;
static pthread_once_t once_key = PTHREAD_ONCE_INIT;
static void make_key(void) {
    pthread_key_create(&key, 0);
}
static long route(long v) {
    pthread_once(&once_key, make_key);
    pthread_setspecific(key, (void *)(v + 1));
    return (long)pthread_getspecific(key) - 1;
}

//! variable_length
static long route(long v) {
    char a[v + 1];
    memset(a, 1, sizeof a);
    return (long)sizeof a - 1;
}

//! variadic
static long take(int n, ...) {
    va_list l;
    va_start(l, n);
    long r = 0;
    while (n--)
        r = va_arg(l, long);
    va_end(l);
    return r;
}
static long route(long v) {
    return take(3, 1L, 2L, v);
}

//! variadic_stack
static long take(int n, ...) {
    va_list l, m;
    va_start(l, n);
    va_copy(m, l);
    long r = 0;
    while (n--)
        r = va_arg(m, long);
    va_end(l);
    va_end(m);
    return r;
}
static long route(long v) {
    return take(9, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, v);
}

//! setjmp_value
static jmp_buf back;
static long route(long v) {
    int r = setjmp(back);
    if (r == 0)
        longjmp(back, (int)v + 1);
    return r - 1;
}

//! swapcontext
static ucontext_t out, in;
static char stack[65536];
static long carried;
static void inside(void) {
    carried++;
    swapcontext(&in, &out);
}
static long route(long v) {
    getcontext(&in);
    in.uc_stack.ss_sp = stack;
    in.uc_stack.ss_size = sizeof stack;
    in.uc_link = &out;
    makecontext(&in, inside, 0);
    carried = v;
    swapcontext(&out, &in);
    return carried - 1;
}

//! join_result
static void *give(void *a) {
    return a;
}
static long route(long v) {
    pthread_t t;
    void *r;
    pthread_create(&t, 0, give, (void *)v);
    pthread_join(t, &r);
    return (long)r;
}

//! exit_result
static void *give(void *a) {
    pthread_exit(a);
}
static long route(long v) {
    pthread_t t;
    void *r;
    pthread_create(&t, 0, give, (void *)(v + 3));
    pthread_join(t, &r);
    return (long)r - 3;
}

//! sem_value
static long route(long v) {
    sem_t s;
    int r;
    sem_init(&s, 0, (unsigned)v);
    sem_post(&s);
    sem_getvalue(&s, &r);
    sem_destroy(&s);
    return r - 1;
}

//! trylock_result
static long route(long v) {
    long r = 0;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    for (long k = 0; k < v; k++) {
        pthread_mutex_lock(&m);
        r += pthread_mutex_trylock(&m) == EBUSY;
        pthread_mutex_unlock(&m);
    }
    return r;
}

//! asm_move
static long route(long v) {
    long r;
    __asm__("mov %1, %0" : "=r"(r) : "r"(v));
    return r;
}

//! asm_memory
static long route(long v) {
    long m = 0;
    __asm__ volatile("mov %1, %0" : "=m"(m) : "r"(v) : "memory");
    return m;
}

//! asm_exchange
static long route(long v) {
    long m = v, r = 3;
    __asm__ volatile("xchg %0, %1" : "+r"(r), "+m"(m) : : "memory");
    return r;
}

//! asm_add
static long route(long v) {
    long m = v;
    __asm__ volatile("lock; addq %1, %0" : "+m"(m) : "r"(4L) : "memory", "cc");
    return m - 4;
}

//! asm_cmpxchg
static long route(long v) {
    long m = v, a = 99;
    __asm__ volatile("lock cmpxchgq %2, %1" : "+a"(a), "+m"(m) : "r"(5L) : "memory", "cc");
    return a;
}

//! atomic
static long route(long v) {
    static long a;
    __atomic_store_n(&a, v, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&a, 2, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&a, __ATOMIC_SEQ_CST) - 2;
}

//! atomic16: -latomic c-only
struct two {
    long a, b;
};
static _Atomic struct two both;
static long route(long v) {
    struct two s = {1, v};
    both = s;
    s = both;
    return s.b;
}

//! signal_raise
static volatile sig_atomic_t got;
static void handler(int s) {
    (void)s;
    got = got + 1;
}
static long route(long v) {
    signal(SIGUSR1, handler);
    got = 0;
    for (long k = 0; k < v; k++)
        raise(SIGUSR1);
    return got;
}

//! unhooked: nohook
extern long without_hooks(long v);
static long route(long v) {
    return without_hooks(v);
}

//! unhooked_memory: nohook
extern void fill_without_hooks(long *to, long v);
static long route(long v) {
    long r = 0;
    fill_without_hooks(&r, v);
    return r;
}

//! unhooked_callback: nohook
extern long call_without_hooks(long (*f)(long), long v);
static long add(long v) {
    return v + 2;
}
static long route(long v) {
    return call_without_hooks(add, v) - 2;
}
