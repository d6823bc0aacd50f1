#!/usr/bin/env bash
# Every format that is written, byte for byte as stored in tests/golden/formats
# (all made from bank.std), and every stored format that is read, back to the
# same events. A difference means that files of users change: if that is meant,
# UPDATE=1 bash tests/golden/formats.sh writes them anew; look at the difference.
. "$(dirname "$0")/../e2e/lib.sh"
golden=$SRC/tests/golden/formats

# written NAME ARGUMENT...: what augur prints is the stored file.
written() {
    local name=$1
    shift
    check "written: $name"
    run "$AUGUR" "$@"
    expect_status 0
    [ -z "${UPDATE:-}" ] || cp .lib/out "$golden/$name"
    expect_same "$golden/$name" "$TMP/.lib/out"
}
cp "$golden/bank.std" .
written bank.std convert bank.std --to std -o -
written bank.jsonl convert bank.std --to jsonl -o -
written bank.perfetto.json convert bank.std --to perfetto -o -
# zstd's bytes may differ between its versions: only the plain frames are compared.
written bank.trace convert bank.std --to binary --no-pack -o -
written bank.show show bank.std
written bank.summary show --summary bank.std
written bank.summary.json show --summary --format json bank.std

# The others hold less than STD: their input is made for them.
grep -vE 'req|begin|end|limit' bank.std >plain.std
written plain.rapidbin convert plain.std --to rapidbin -o -
awk -F '|' '{ sub(/^[^|]*/, ($1 == "main") ? 0 : ($1 == "deposit") ? 1 : 2); print }' plain.std |
    sed 's/deposit/1/; s/audit/2/' >numbered.std
written numbered.values convert numbered.std --to values -o -

check "read: bank.trace gives the events of bank.std"
run "$AUGUR" convert "$golden/bank.trace" --to std -o -
expect_status 0
expect_same "$golden/bank.std" "$TMP/.lib/out"

check "read: plain.rapidbin written again is the same"
run "$AUGUR" convert "$golden/plain.rapidbin" --to rapidbin -o -
expect_status 0
expect_same "$golden/plain.rapidbin" "$TMP/.lib/out"

check "read: numbered.values written again is the same"
run "$AUGUR" convert "$golden/numbered.values" --to values -o -
expect_status 0
expect_same "$golden/numbered.values" "$TMP/.lib/out"

check "read: the trace of version 1"
run "$AUGUR" show --summary "$SRC/tests/golden/v1.trace"
expect_status 0
expect_out '^events +[1-9]'
