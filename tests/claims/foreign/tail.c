
static void *sender(void *a) {
    y = 2;
    pthread_mutex_lock(&m);
    pass();
    pthread_mutex_unlock(&m);
    return a;
}
static void *hearer(void *a) {
    pthread_mutex_lock(&m);
    int there = is_there();
    pthread_mutex_unlock(&m);
    if (there)
        y = 1;
    return a;
}
int main(void) {
    pthread_t a, b;
    begin();
    pthread_create(&a, 0, sender, 0);
    pthread_create(&b, 0, hearer, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("%d\n", y); // 1: the word was there
    return 0;
}
