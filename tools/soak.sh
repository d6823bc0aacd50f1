#!/usr/bin/env bash
# tools/soak.sh: random programs through everything for T seconds while faults are injected (docs/testing.md).
#     T=600 SEED=N JOBS=2 SANITIZED=1 (the sanitized build) KEEP=DIR (failures; default: soak in the build directory)
# Exit status 1 if anything diverged or was lost.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build kind=release
if [ -n "${SANITIZED:-}" ]; then
    build=build-asan kind=asan
fi
QUIET=1 tools/build.sh $kind
seed=${SEED:-$(date +%Y%m%d%H%M)}
keep=${KEEP:-$build/soak}
echo "soak: ${T:-600} s, seed $seed; failures go to '$keep'"
AUGUR=$PWD/$build/augur SANITIZED=${SANITIZED:-} exec "$build/tests/soak/soak" \
    --seconds "${T:-600}" --seed "$seed" --jobs "${JOBS:-2}" --keep "$keep"
