// LINK: -lcrypto
// A digest of OpenSSL, used under a mutex.
#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static EVP_MD_CTX *c;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *w(void *a) {
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        EVP_DigestUpdate(c, a, strlen(a));
        n++;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
int main(void) {
    pthread_t t, u;
    unsigned char d[64];
    unsigned l;
    c = EVP_MD_CTX_new();
    EVP_DigestInit_ex(c, EVP_sha256(), 0);
    pthread_create(&t, 0, w, "a");
    pthread_create(&u, 0, w, "b");
    pthread_join(t, 0);
    pthread_join(u, 0);
    EVP_DigestFinal_ex(c, d, &l);
    EVP_MD_CTX_free(c);
    printf("%u %d\n", l, n);
    return 0;
}
