// Ways through the C library: each part defines 'static long route(long v)', which gives v for 0 to 9.

//! memcpy
static long route(long v) {
    long r;
    memcpy(&r, &v, sizeof r);
    return r;
}

//! memmove
static long route(long v) {
    long a[3] = {v, 1, 2};
    memmove(a + 1, a, 2 * sizeof *a);
    return a[1];
}

//! memset
static long route(long v) {
    unsigned char a[5];
    memset(a, (int)v, sizeof a);
    return a[3];
}

//! memcmp
static long route(long v) {
    char a = (char)v;
    for (char k = 0; k < 10; k++)
        if (memcmp(&a, &k, 1) == 0)
            return k;
    return -1;
}

//! memchr
static long route(long v) {
    const char s[] = "0123456789";
    return (const char *)memchr(s, '0' + (int)v, 10) - s;
}

//! memmem
static long route(long v) {
    const char s[] = "0123456789";
    char c = (char)('0' + v);
    return (const char *)memmem(s, 10, &c, 1) - s;
}

//! strlen
static long route(long v) {
    char s[16] = "aaaaaaaaaa";
    s[v] = 0;
    return (long)strlen(s);
}

//! strcpy
static long route(long v) {
    char a[2] = {(char)('0' + v), 0}, b[8];
    strcpy(b, a);
    return b[0] - '0';
}

//! strcat
static long route(long v) {
    char a[2] = {(char)('0' + v), 0}, b[8] = "x";
    strcat(b, a);
    return b[1] - '0';
}

//! strncpy
static long route(long v) {
    char a[2] = {(char)('0' + v), 0}, b[8];
    strncpy(b, a, sizeof b);
    return b[0] - '0';
}

//! strcmp
static long route(long v) {
    char a[2] = {(char)('0' + v), 0}, b[2] = "0";
    for (long k = 0; k < 10; k++) {
        b[0] = (char)('0' + k);
        if (strcmp(a, b) == 0)
            return k;
    }
    return -1;
}

//! strchr
static long route(long v) {
    const char s[] = "0123456789";
    return strchr(s, '0' + (int)v) - s;
}

//! strstr
static long route(long v) {
    const char s[] = "0123456789";
    char n[2] = {(char)('0' + v), 0};
    return strstr(s, n) - s;
}

//! strspn
static long route(long v) {
    char s[16] = "aaaaaaaaaa";
    s[v] = 'b';
    return (long)strspn(s, "a");
}

//! strcspn
static long route(long v) {
    char s[16] = "aaaaaaaaaa";
    s[v] = 'b';
    return (long)strcspn(s, "b");
}

//! strdup
static long route(long v) {
    char a[2] = {(char)('0' + v), 0};
    char *p = strdup(a);
    long r = p[0] - '0';
    free(p);
    return r;
}

//! strtok
static long route(long v) {
    char s[8] = "x,0,y";
    s[2] = (char)('0' + v);
    char *p = 0;
    strtok_r(s, ",", &p);
    return strtok_r(0, ",", &p)[0] - '0';
}

//! strsep
static long route(long v) {
    char s[8] = "x,0,y", *p = s;
    s[2] = (char)('0' + v);
    strsep(&p, ",");
    return strsep(&p, ",")[0] - '0';
}

//! atoi
static long route(long v) {
    char s[4] = {(char)('0' + v), 0};
    return atoi(s);
}

//! strtol
static long route(long v) {
    char s[4] = {(char)('0' + v), 0};
    return strtol(s, 0, 10);
}

//! strtol_end
static long route(long v) {
    char s[16] = "1111111111x", *e;
    s[v] = 'x';
    strtoul(s, &e, 10);
    return e - s;
}

//! strtod
static long route(long v) {
    char s[8] = {(char)('0' + v), '.', '5', 0};
    return (long)strtod(s, 0);
}

//! sprintf_atoi
static long route(long v) {
    char s[32];
    sprintf(s, "%ld", v);
    return atoi(s);
}

//! snprintf_sscanf
static long route(long v) {
    char s[32];
    int r = -1;
    snprintf(s, sizeof s, "<%d>", (int)v);
    sscanf(s, "<%d>", &r);
    return r;
}

//! snprintf_string
static long route(long v) {
    char a[2] = {(char)('0' + v), 0}, s[32];
    snprintf(s, sizeof s, "%s!", a);
    return s[0] - '0';
}

//! snprintf_length
static long route(long v) {
    return snprintf(0, 0, "%*s", (int)v + 1, "") - 1;
}

//! asprintf
static long route(long v) {
    char *s;
    if (asprintf(&s, "%ld", v) < 0)
        return -1;
    long r = strtol(s, 0, 10);
    free(s);
    return r;
}

//! wide_characters
static long route(long v) {
    wchar_t s[4] = {(wchar_t)(L'0' + v), 0};
    return wcstol(s, 0, 10);
}

//! mbstowcs
static long route(long v) {
    char a[2] = {(char)('0' + v), 0};
    wchar_t s[4];
    mbstowcs(s, a, 4);
    return s[0] - L'0';
}

//! qsort
static int compare(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}
static long route(long v) {
    long a[3] = {100, v, -1};
    qsort(a, 3, sizeof *a, compare);
    return a[1];
}

//! bsearch
static int compare(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}
static long route(long v) {
    static long a[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    return (long *)bsearch(&v, a, 10, sizeof *a, compare) - a;
}

//! tsearch
static int compare(const void *a, const void *b) {
    long x = (long)a, y = (long)b;
    return (x > y) - (x < y);
}
static long route(long v) {
    void *root = 0;
    tsearch((void *)(v + 1), &root, compare);
    void *f = tfind((void *)(v + 1), &root, compare);
    long r = (long)*(void **)f - 1;
    tdelete((void *)(v + 1), &root, compare);
    return r;
}

//! environment
static long route(long v) {
    char s[4] = {(char)('0' + v), 0};
    setenv("CLAIM", s, 1);
    return getenv("CLAIM")[0] - '0';
}

//! stream
static long route(long v) {
    FILE *f = tmpfile();
    fprintf(f, "%ld\n", v);
    rewind(f);
    char s[16] = "";
    if (!fgets(s, sizeof s, f))
        return -1;
    fclose(f);
    return atol(s);
}

//! memory_stream
static long route(long v) {
    char b[32] = "";
    FILE *f = fmemopen(b, sizeof b, "w");
    fputc('0' + (int)v, f);
    fclose(f);
    return b[0] - '0';
}

//! stream_position
static long route(long v) {
    FILE *f = tmpfile();
    for (long k = 0; k < v; k++)
        putc('a', f);
    long r = ftell(f);
    fclose(f);
    return r;
}

//! open_memstream
static long route(long v) {
    char *b;
    size_t n;
    FILE *f = open_memstream(&b, &n);
    fprintf(f, "%ld", v);
    fclose(f);
    long r = atol(b);
    free(b);
    return r;
}

//! fwrite_fread
static long route(long v) {
    FILE *f = tmpfile();
    long r = -1;
    fwrite(&v, sizeof v, 1, f);
    fseek(f, 0, SEEK_SET);
    if (fread(&r, sizeof r, 1, f) != 1)
        return -1;
    fclose(f);
    return r;
}

//! gmtime
static long route(long v) {
    time_t t = (time_t)v * 60;
    struct tm m;
    gmtime_r(&t, &m);
    return m.tm_min;
}

//! gmtime_static
static long route(long v) {
    time_t t = (time_t)v * 60;
    return gmtime(&t)->tm_min;
}

//! inet
static long route(long v) {
    struct in_addr a;
    char s[32];
    snprintf(s, sizeof s, "10.0.0.%ld", v);
    inet_aton(s, &a);
    return (long)(ntohl(a.s_addr) & 255);
}

//! div
static long route(long v) {
    ldiv_t d = ldiv(v * 10 + 3, 10);
    return d.quot;
}

//! frexp
static long route(long v) {
    int e;
    frexp(ldexp(1.0, (int)v), &e);
    return e - 1;
}
