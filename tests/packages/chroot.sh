#!/usr/bin/env bash
# tests/packages/chroot.sh: the packages of build/deb in a clean Debian: installed with apt, tested by
# debian/tests as autopkgtest would, purged without leaving anything. The system is made by debootstrap in a
# temporary directory, from the same sources as this machine's. Behind `make deb-check`, and in `make nightly`.
# Needs root, mounts, and the package registry; says what is missing where it skips.

# Mounts of ours are seen by nobody else, and vanish with this process.
if [ "$(id -u)" -eq 0 ] && [ -z "${AU_UNSHARED:-}" ] && unshare --mount true 2>/dev/null; then
    export AU_UNSHARED=1
    exec unshare --mount --propagation private bash "$0"
fi
. "$(dirname "$0")/../e2e/lib.sh"

debs=$SRC/build/deb
root=$TMP/root

check "a clean system can be made"
missing() {
    skip "$*"
    exit 0
}
[ "$(id -u)" -eq 0 ] || missing "not root: no chroot"
command -v debootstrap >/dev/null || missing "debootstrap is not installed"
[ -n "${AU_UNSHARED:-}" ] || missing "no mount namespace of our own"
compgen -G "$debs/*.deb" >/dev/null || missing "no packages in build/deb: run 'make deb' first"
mkdir -p "$root"
mount -t tmpfs none "$root" 2>/dev/null || missing "mounts are refused"
umount "$root"

# The registry: the first one that this machine's sources name for its release.
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v c="$codename" '$2 == c && $3 == "main" { print $1; exit }')
if [ -z "$mirror" ]; then
    mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
        awk -v c="$codename" '$2 == c && $3 == "main" { print $1; exit }')
fi
[ -n "$codename" ] && [ -n "$mirror" ] || missing "apt's sources name no registry for this release"
proxy=$(apt-config shell p Acquire::http::Proxy | sed "s/^p='\(.*\)'$/\1/")
[ -z "$proxy" ] || export http_proxy=$proxy
keyring=()
[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] ||
    missing "no keys of the archive: debian-archive-keyring is not installed"
keyring=(--keyring /usr/share/keyrings/debian-archive-keyring.gpg)
if ! timeout 900 debootstrap --variant=minbase "${keyring[@]}" "$codename" "$root" "$mirror" >bootstrap.log 2>&1; then
    missing "debootstrap: $(tail -n 1 bootstrap.log)"
fi
# Nothing of this machine's is bound into it: whatever removes the directory removes only that. Devices are
# debootstrap's own.
trap 'code=$?; umount -l "$root/proc" 2>/dev/null; (exit $code); au_at_exit' EXIT
mount -t proc proc "$root/proc" || missing "/proc cannot be mounted"
[ -c "$root/dev/null" ] || missing "debootstrap could not make devices"
mkdir -p -m 1777 "$root/dev/shm"

in_root() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"
}

check "the packages install from the same sources as this machine's"
rm -f "$root"/etc/apt/sources.list
for part in sources.list sources.list.d trusted.gpg trusted.gpg.d keyrings preferences preferences.d; do
    [ ! -e "/etc/apt/$part" ] || cp -aL "/etc/apt/$part" "$root/etc/apt/"
done
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
cp -L /etc/hosts "$root/etc/hosts" 2>/dev/null
mkdir -p "$root/debs"
cp "$debs"/*.deb "$root/debs"
run in_root apt-get update -q
expect_status 0
# The manual pages and documents are what a minimal system leaves out.
rm -f "$root"/etc/dpkg/dpkg.cfg.d/*exclude* "$root"/etc/dpkg/dpkg.cfg.d/docker
version=$(dpkg-deb -f "$(ls "$debs"/augur_*.deb)" Version)
ours=$(for deb in "$debs"/*.deb; do dpkg-deb -f "$deb" Package; done)
deb_of() { (cd "$root" && ls "debs/$1"_*.deb) | sed 's|^|/|'; }

# debian/tests/control, one paragraph a test. Our own packages come from /debs.
install_for() {
    local want=() package
    for package in "$@"; do
        if grep -qx -- "$package" <<<"$ours"; then
            want+=("$(deb_of "$package")")
            # apt takes what depends on each other from one command line only
            [ "$package" != libaugur-dev ] || want+=("$(deb_of libaugur0)")
        else
            want+=("$package")
        fi
    done
    run in_root apt-get install -q -y --no-install-recommends "${want[@]}"
    expect_status 0
}
tests() { sed -n 's/^Tests: *//p' "$SRC/debian/tests/control"; }
depends_of() {
    awk -v t="$1" 'BEGIN { RS = ""; FS = "\n" } $1 == "Tests: " t { for (i = 2; i <= NF; i++) if (sub(/^Depends: */, "", $i)) { gsub(/,/, "", $i); print $i } }' \
        "$SRC/debian/tests/control"
}
# shellcheck disable=SC2046
install_for $(depends_of command)
expect_true "augur is there" [ -x "$root/usr/bin/augur" ]

mkdir -p "$root/tests"
cp "$SRC"/debian/tests/* "$root/tests"
for name in $(tests); do
    check "debian/tests/$name"
    # shellcheck disable=SC2046
    install_for $(depends_of "$name")
    rm -rf "$root/tmp/test"
    mkdir "$root/tmp/test"
    run in_root env AUTOPKGTEST_TMP=/tmp/test timeout 600 "/tests/$name"
    expect_status 0
    expect_out "^$name: all is well"
    [ "$status" -eq 0 ] || cat "$TMP/.lib/out" "$TMP/.lib/err"
    rm -rf "$root/tmp/test"
done

check "and as somebody who is not root"
mkdir -m 1777 "$root/tmp/test"
run in_root chroot --userspec=nobody:nogroup / env HOME=/tmp/test AUTOPKGTEST_TMP=/tmp/test timeout 600 /tests/command
expect_status 0
rm -rf "$root/tmp/test"

check "all packages of version $version are installed"
# shellcheck disable=SC2086
install_for $ours
for package in $ours; do
    expect_true "$package" [ "$(in_root dpkg-query -W -f '${Status} ${Version}' "$package")" = "install ok installed $version" ]
done

check "purged, they leave nothing"
for package in $ours; do in_root dpkg -L "$package"; done | sort -u >listed
expect_true "there were files" [ "$(wc -l <listed)" -gt 100 ]
# shellcheck disable=SC2086
run in_root apt-get purge -q -y $ours
expect_status 0
while IFS= read -r path; do
    [ "$path" != /. ] || continue
    if [ -d "$root$path" ] && [ ! -L "$root$path" ]; then
        in_root dpkg -S "$path" >/dev/null 2>&1 || fail "directory '$path' is left and nobody's"
    elif [ -e "$root$path" ] || [ -L "$root$path" ]; then
        fail "file '$path' is left"
    fi
done <listed
left=$(find "$root" -xdev -iname '*augur*' -not -path "$root/debs/*" -not -path "$root/var/cache/*" \
    -not -path "$root/var/log/*" -not -path "$root/tests/*" -printf '/%P\n')
expect_true "no file of that name: $left" [ -z "$left" ]
run in_root dpkg -l
expect_true "no trace in dpkg's list" [ "$(grep -c augur "$TMP/.lib/out")" -eq 0 ]
run in_root dpkg --audit
expect_no_out
