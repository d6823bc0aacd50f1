#!/usr/bin/env bash
# tools/shells.sh: every shell script parses.
set -euo pipefail
cd "$(dirname "$0")/.."
bad=0
while IFS= read -r f; do
    bash -n "$f" || bad=1
done < <(find .ci tools tests bench examples -type f \( -name '*.sh' -o -path '.ci/run' \) 2>/dev/null)
exit $bad
