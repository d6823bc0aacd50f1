#include "scan/bmc.h"
au_status au_bmc_stage(au_refiner *k, au_error *err) {
    (void)k;
    (void)err;
    return AU_OK;
}
