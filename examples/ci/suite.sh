#!/bin/sh
# The tests of a project under augur, in any continuous integration: fails for what is new.
#     suite.sh COMMAND ARGUMENT...
# AUGUR_BUDGET   seconds for all analyses (300)
# AUGUR_SINCE    a branch or commit: only tests that execute functions which were changed since
set -eu
known=''
[ ! -e augur-baseline.json ] || known='--baseline augur-baseline.json'
status=0
# shellcheck disable=SC2086
augur test --budget "${AUGUR_BUDGET:-300}" --fail-on proved $known ${AUGUR_SINCE:+--since "$AUGUR_SINCE"} \
    --html augur.html "$@" || status=$?
[ $status -ne 2 ] || exit 2 # nothing was built with augur cc, or a usage error: there is no report

augur report --format sarif -o augur.sarif       # for code scanning
augur report --format junit -o augur-junit.xml   # for dashboards
augur report --format markdown -o augur.md       # a comment for the pull request
[ -z "${GITHUB_ACTIONS:-}" ] || augur report --format github                 # annotations
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat augur.md >>"$GITHUB_STEP_SUMMARY"   # the job's page
exit $status
