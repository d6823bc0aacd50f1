#!/usr/bin/env bash
# tools/nightly.sh: the runs that are too long for `make check`: the random tests
# with their nightly counts and a fresh seed each day, real programs recorded and replayed
# (tests/e2e/real_programs.sh) and scanned (scan_real.sh), all bugs from one run (tests/e2e/bugs.sh), generated
# programs of known truth (tests/claims), the growth of
# every stage against its baseline (in instructions, so a busy machine does not matter), the Debian packages in a clean system
# (tests/packages/chroot.sh), the soak, and an hour of fuzzing.
# NIGHTLY_FUZZ=S changes the seconds for each harness, NIGHTLY_SOAK=S those of the soak, RANDOM_SEED=N the seed.
# RECALL_SOURCES=DIR names a directory with a checkout of C-Thread-Pool.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

export RANDOM_SEED=${RANDOM_SEED:-$(date +%Y%m%d)} NIGHTLY=1 RANDOM_TIMEOUT=43200
echo "random seed $RANDOM_SEED"
bad=0
tools/check.sh build random || bad=1
# random schedules of real programs, recorded and replayed
AUGUR=$PWD/build/augur bash tests/e2e/replay_seeds.sh || bad=1
# schedules of the static half on random programs, executed
AUGUR=$PWD/build/augur bash tests/e2e/scan_confirm.sh || bad=1
if ! timeout 7200 bash tests/e2e/real_programs.sh; then
    bad=1
fi
# … and scanned, within ten minutes and 4 GiB each
if ! timeout 7200 bash tests/e2e/scan_real.sh; then
    bad=1
fi
# every program of bench/bugs from one run
AUGUR=$PWD/build/augur bash tests/e2e/bugs.sh || bad=1
# every word about 10 000 generated programs, and what ThreadSanitizer sees in others
python3 tests/claims/claims.py --seed "$RANDOM_SEED" --count "${NIGHTLY_CLAIMS:-10000}" || bad=1
sources=$(mktemp -d)
for package in lmdb libmicrohttpd; do
    bash tools/source.sh "$package" "$sources/$package" # recall.py names what could not be had
done
if [ -d "${RECALL_SOURCES:-}/C-Thread-Pool" ]; then # not in Debian
    cp -r "$RECALL_SOURCES/C-Thread-Pool" "$sources"
fi
python3 tests/claims/recall.py --sources "$sources" || bad=1
rm -rf "$sources"
# the exponents of every stage
if command -v valgrind >/dev/null; then
    BENCH_OUT=build/bench/nightly bench/run.sh --quick --strict growth || bad=1
else
    echo "skipped: growth: valgrind is not installed (packages.txt, bench)"
fi
# a proof of everything that is refuted in the papers' tables, verified, and what that costs
BENCH_OUT=build/bench/nightly bench/run.sh --strict certify || bad=1
# Debian packages, in a clean system
make --no-print-directory deb-check || bad=1
# random programs under injected faults, then some with the sanitized tool
T=${NIGHTLY_SOAK:-1800} SEED=$RANDOM_SEED tools/soak.sh || bad=1
T=600 SEED=$RANDOM_SEED SANITIZED=1 tools/soak.sh || bad=1
tools/fuzz.sh "${NIGHTLY_FUZZ:-1200}" || bad=1
exit $bad
