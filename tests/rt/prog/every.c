/* One of every hook; the test knows what each must log. */
#include "hook.h"

static unsigned char bytes[64], more[64];
static uint64_t wide;
static uint8_t one;
static uint16_t two;
static int value;

int main(void) {
    uint64_t depth = __augur_enter(&site[0]);
    ST(1, one, 0x12);
    ST(2, two, 0x3456);
    ST(3, value, -2);
    ST(4, wide, 0x1122334455667788);
    if (LD(5, one) != 0x12 || LD(6, two) != 0x3456 || LD(7, value) != -2)
        return 1;
    LD(8, wide);
    wide = 77; /* behind the hooks' back */
    LD(9, wide);
    __augur_set(bytes, 0xab, sizeof bytes, &site[10]);
    memset(bytes, 0xab, sizeof bytes);
    __augur_copy(more, bytes, 10, &site[11], &site[12]);
    memcpy(more, bytes, 10);
    __augur_ldn(more, &site[13], 24);
    struct {
        char c[24];
    } big;
    memset(&big, 7, sizeof big);
    __augur_stn(more, &site[14], &big, sizeof big);
    memcpy(more, &big, sizeof big);
    LD(15, *(uint64_t *)(void *)(more + 16));
    __augur_ast(&value, &site[16], 4, 5);
    __atomic_store_n(&value, 5, __ATOMIC_SEQ_CST);
    __augur_ald(&value, &site[17], 4);
    __augur_rmw_begin(&value, &site[18]);
    __atomic_fetch_add(&value, 3, __ATOMIC_SEQ_CST);
    __augur_rmw_end(&value, &site[18], 4, 1);
    __augur_rmw_begin(&value, &site[19]);
    __augur_rmw_end(&value, &site[19], 4, 0);
    __augur_fence(&site[20]);
    __augur_frame(&big, sizeof big, &site[21]);
    for (int i = 0; i < 200; i++)
        __augur_branch(i % 3 == 0);
    __augur_switch(5, 3);
    __augur_loop();
    __augur_atomic_begin("block");
    LD(22, value);
    __augur_atomic_end();
    __augur_ignore_begin();
    LD(23, value);
    ST(24, value, 9);
    __augur_ignore_end();
    LD(25, value);
    __augur_land(&site[26], depth);
    char *p = CALL(27, malloc, 100);
    p = CALL(29, realloc, p, 100000);
    CALLV(31, free, p);
    p = CALL(33, calloc, 10, 10);
    LD(35, p[50]);
    __augur_leave(&site[36]);
    return 0;
}
