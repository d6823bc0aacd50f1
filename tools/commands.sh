#!/usr/bin/env bash
# tools/commands.sh [--check]: writes docs/commands.md from the option table, or
# says whether it is what the table says. Needs build/augur (or $AUGUR).
set -euo pipefail
cd "$(dirname "$0")/.."
augur=${AUGUR:-build/augur}

if [ "${1:-}" = --check ]; then
    if ! diff -u docs/commands.md <("$augur" help --markdown); then
        echo "docs/commands.md is not what the option table says: run tools/commands.sh"
        exit 1
    fi
else
    mkdir -p docs
    "$augur" help --markdown >docs/commands.md.new
    mv docs/commands.md.new docs/commands.md
fi
