# shellcheck shell=bash disable=SC2154
# tests/browser/lib.sh: installs playwright-core below $kept/npm, as the lock file says, unless it is there. $why says why it
# cannot ('' if all is well). The scripts beside it run at the same time.
why=''
for program in chromium node npm; do
    command -v $program >/dev/null || why="'$program' is not installed: make check installs it as root"
done
exec 8>"$kept/npm.lock"
flock 8
if [ -z "$why" ] && ! cmp -s "$here/package-lock.json" "$kept/npm/installed.json"; then
    cp "$here/package.json" "$here/package-lock.json" "$kept/npm/"
    if (cd "$kept/npm" && timeout 120 npm ci --ignore-scripts --no-audit --no-fund) >"$TMP/npm.log" 2>&1; then
        cp "$here/package-lock.json" "$kept/npm/installed.json"
    else
        why="npm cannot install playwright-core: $(grep -m1 -iE 'err' "$TMP/npm.log")"
    fi
fi
exec 8>&-
