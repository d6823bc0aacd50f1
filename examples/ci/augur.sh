#!/bin/sh
# Builds a program with augur, looks at its other interleavings and fails if there is something
# new. For any continuous integration: needs nothing but augur in the path.
#     augur.sh ./PROGRAM ARGUMENT...
set -eu
make clean
make CC="augur cc"

known=''
[ ! -e augur-baseline.json ] || known='--baseline augur-baseline.json'
status=0
# shellcheck disable=SC2086
augur run --runs 3 --budget 60 --fail-on proved $known --html augur.html "$@" || status=$?

augur report --format sarif -o augur.sarif      # for code scanning
augur report --format junit -o augur-junit.xml  # for dashboards
exit $status
