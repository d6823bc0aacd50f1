#!/usr/bin/env bash
# tools/deps.sh with imitated package tools: it must never run the real ones.
. "$(dirname "$0")/../e2e/lib.sh"

mkdir -p tree/tools fake
cp "$SRC/tools/deps.sh" tree/tools/
printf '# comment\nbuild  aaa  for a\nbuild  bbb  for b\ncheck  ccc  for c\n' >tree/packages.txt
cat >fake/dpkg-query <<'END'
#!/bin/sh
for p; do :; done
case $p in *Provides*) echo "installed ${GIVES:-}"; exit ;; esac
case " $HAVE " in *" $p "*) echo installed ;; *) exit 1 ;; esac
END
printf '#!/bin/sh\necho "$WHO"\n' >fake/id
printf '#!/bin/sh\necho "ran apt-get $*"\n' >fake/apt-get
chmod +x fake/*
deps() {
    run env PATH="$TMP/fake:$PATH" bash tree/tools/deps.sh "$@"
}
export WHO HAVE GIVES

check "nothing is said when all is there"
WHO=1000 HAVE="aaa bbb" deps build
expect_status 0
expect_no_out
expect_no_err

check "what another package provides is there"
WHO=1000 HAVE="aaa" GIVES="zzz, bbb (= 1.0)" deps build
expect_status 0
WHO=1000 HAVE="aaa" GIVES="bbbb, b-bbb" deps build
expect_status 1
GIVES=''

check "a user gets one apt-get line"
WHO=1000 HAVE="aaa" deps build check
expect_status 1
expect_err "^apt-get install -y --no-install-recommends bbb ccc$"
expect_no_out

check "root installs what is missing"
WHO=0 HAVE="aaa" deps build
expect_status 0
expect_out "^ran apt-get install -y --no-install-recommends bbb$"

check "an unknown stage is an error"
WHO=0 HAVE="" deps nonsense
expect_status 2

check "every package in packages.txt has a stage and a reason"
bad=$(grep -vE '^(#|$)' "$SRC/packages.txt" | grep -vE '^(build|check|bench|deb) +[a-z0-9.+-]+ +[^ ]')
[ -z "$bad" ] || fail "bad line: $bad"
