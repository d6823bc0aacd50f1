#!/usr/bin/env bash
# Help, manual pages and completion: all made from the option table, so each must
# know every command and every option.
. "$(dirname "$0")/lib.sh"

commands=$("$AUGUR" help --names)
not_in_output() { ! grep -qE -e "$1" .lib/out; }

check "the list of commands"
run "$AUGUR" --help
expect_status 0
expect_no_err
for c in $commands; do
    expect_out "^  ${c//+/\\+} +[a-z]"
done
cp .lib/out root
run "$AUGUR" help
expect_same .lib/out root
run "$AUGUR" -h
expect_same .lib/out root

check "commands that are not there are not listed"
for c in cc run record check replay explore scan report merge list triage; do
    "$AUGUR" help --names | grep -qx "$c" && continue
    run "$AUGUR" --help
    expect_true "'$c' is not in the help" not_in_output "^  $c "
    run "$AUGUR" $c
    expect_status 2
    expect_err "^augur: unknown command '$c'"
done

for c in $commands; do
    check "help of $c"
    run "$AUGUR" "$c" --help
    expect_status 0
    expect_no_err
    case $c in
    cc | c++) usage='\[ARGUMENT OF CLANG\.\.\.\]' some=1 ;; # whose options are clang's
    *) usage='\[OPTION\.\.\.\]' some=5 ;;
    esac
    expect_out "^usage: augur ${c//+/\\+} $usage"
    expect_out "^exit status"
    expect_out "^examples"
    cp .lib/out text
    run "$AUGUR" help "$c"
    expect_same .lib/out text
    expect_true "lines fit a terminal" [ "$(awk 'length > 80' text | wc -l)" -eq 0 ]
    # The options as the completion knows them.
    options=$("$AUGUR" help --completion | sed -n "s/^        $c) words='\([^']*\)'.*/\1/p" |
        tr ' ' '\n' | grep '^-')
    expect_true "some options" [ "$(echo "$options" | wc -l)" -ge $some ]
    "$AUGUR" help --man "$c" | sed 's/\\-/-/g; s/\\f[BIR]//g' >page
    for o in $options; do
        grep -qE -e "(^| )$o([ ,=]|$)" text || fail "help of $c does not mention $o"
        grep -qE -e "(^| )$o([ ,=]|$)" page || fail "the manual page of $c does not mention $o"
        grep -qE -e "[\` ]$o[\`, =]" "$SRC/docs/commands.md" ||
            fail "docs/commands.md does not mention $o"
    done
done

check "what only people who work on the analyses use stands apart"
run "$AUGUR" run --help
for h in 'recording and executing' 'what to look for' 'time, memory and bounds' output \
    'store and known findings'; do
    expect_out "^$h\$"
done
run "$AUGUR" check --help
ours="^options for people who work on augur's analyses\$"
expect_out "$ours"
sed -n "/$ours/,/^examples/p" .lib/out >ours
sed "/$ours/,/^examples/d" .lib/out >theirs
for o in model backend widths window; do
    expect_true "--$o stands apart" grep -q -e "^ *--$o=" ours
    expect_true "--$o stands there only" [ "$(grep -c -e "^ *--$o=" theirs)" -eq 0 ]
done
expect_true "--prop is for everybody" grep -q -e '^ *--prop=' theirs
"$AUGUR" help --man check >page
expect_true "in the manual page" grep -q '^.SS Options for people who work on augur' page
expect_true "in docs/commands.md" [ "$(grep -c '^Options for people who work on augur' "$SRC/docs/commands.md")" -ge 5 ]

check "earlier names of options work and are not shown"
run "$AUGUR" gen --events 100 --atomic --values --depth 1
expect_status 0
cp .lib/out earlier
run "$AUGUR" gen --events 100 --with-blocks --with-values --nesting 1
expect_status 0
expect_same .lib/out earlier
run "$AUGUR" gen --help
expect_true "not in the help" not_in_output '--(atomic|values|depth)\b'
expect_true "nor completed" [ -z "$("$AUGUR" help --completion | grep '^        gen)' | grep -E -e ' --(atomic|values|depth)\b')" ]

check "manual pages have no roff warnings"
if command -v groff >/dev/null; then
    "$AUGUR" help --man >augur.1
    groff -man -Tutf8 -ww augur.1 >/dev/null 2>warnings
    [ -s warnings ] && fail "augur.1: $(head -3 warnings)"
    for c in $commands; do
        "$AUGUR" help --man "$c" >"augur-$c.1"
        groff -man -Tutf8 -P-c -P-b -P-u -P-o -ww "augur-$c.1" >text 2>warnings
        [ -s warnings ] && fail "augur-$c.1: $(head -3 warnings)"
        grep -q SYNOPSIS text || fail "augur-$c.1 has no synopsis"
    done
else
    skip "groff is not installed"
fi

check "man shows the pages"
if command -v man >/dev/null && [ -e augur-show.1 ]; then
    man --warnings -l ./augur-show.1 >shown 2>warnings </dev/null
    [ -s warnings ] && fail "$(head -3 warnings)"
    grep -q 'augur-show' shown || fail "nothing shown"
else
    skip "man is not installed"
fi

# complete WORD...: what bash would offer for the last word.
complete_words() {
    bash -c '
        source <("$0" help --completion)
        COMP_WORDS=("$@")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMPREPLY=()
        _augur 2>/dev/null
        printf "%s\n" "${COMPREPLY[@]}"' "$AUGUR" "$@"
}

check "completion of commands, options, values and files"
touch 'a trace.std' other.std
expect_true "commands" [ "$(complete_words augur sho)" = show ]
expect_true "options" [ "$(complete_words augur show --su)" = --summary ]
expect_true "the other side of a switch" [ "$(complete_words augur convert x --no-p)" = --no-pack ]
expect_true "values" [ "$(complete_words augur show --format j)" = json ]
expect_true "values after =" [ "$(complete_words augur show --format = j)" = json ]
expect_true "values of a common option" [ "$(complete_words augur show --color al)" = always ]
expect_true "command after a common option" [ "$(complete_words augur --color = never sho)" = show ]
expect_true "files with spaces" [ "$(complete_words augur show "a t")" = 'a trace.std' ]
expect_true "commands after help" [ "$(complete_words augur help con)" = convert ]
expect_true "hidden options are not offered" [ -z "$(complete_words augur help --man)" ]

check "completion of findings, by their ids and fingerprints"
augur_cc -g -O1 -pthread "$SRC/examples/first/bank.c" -o bank
run "$AUGUR" run ./bank
print=$("$AUGUR" list | sed -n "s/^\([0-9a-f]\{8\}\) .*account.visits.*/\1/p")
ln -sf "$AUGUR" augur
expect_true "an id" [ "$(complete_words ./augur replay --finding R)" = R1 ]
expect_true "a fingerprint" [ "$(complete_words ./augur triage "${print:0:6}")" = "$print" ]

# The same in zsh, whose completion system is replaced by functions that print; $1 the words.
zsh_words() {
    zsh -fc '
        compdef() { }
        compset() { }
        compadd() { shift; print -l -- "$@"; }
        _files() { print FILES; }
        source <("$1" help --completion-zsh)
        shift
        words=("$@")
        CURRENT=$#words
        _augur' zsh "$AUGUR" "$@" 2>&1
}
check "completion in zsh"
if ! command -v zsh >/dev/null; then
    skip "zsh is not installed"
else
    expect_true "commands" grep -qx show <(zsh_words ./augur sho)
    expect_true "options" grep -qx -e --summary <(zsh_words ./augur show --su)
    expect_true "values" [ "$(zsh_words ./augur check x --format j | sort | tr '\n' ' ')" = 'github html json junit sarif text ' ]
    expect_true "files" [ "$(zsh_words ./augur show x)" = FILES ]
    expect_true "findings" grep -qx R1 <(zsh_words ./augur replay --finding R)
    expect_true "fingerprints" grep -qx "$print" <(zsh_words ./augur triage "${print:0:6}")
fi

fish_words() {
    PATH=$PWD:$PATH XDG_CONFIG_HOME=$PWD/fish fish -c 'augur help --completion-fish | source; complete -C "$argv[1]"' "$1" |
        cut -f 1
}
check "completion in fish"
if ! command -v fish >/dev/null; then
    skip "fish is not installed"
else
    expect_true "commands" grep -qx show <(fish_words 'augur sho')
    expect_true "options" grep -qx -e --summary <(fish_words 'augur show --su')
    expect_true "values" grep -qx json <(fish_words 'augur check --format j')
    expect_true "findings" grep -qx R1 <(fish_words 'augur replay --finding R')
    expect_true "fingerprints" grep -qx "$print" <(fish_words "augur triage ${print:0:6}")
fi

check "every command has a manual page in the build"
expect_true "the same list" cmp -s <(echo "$commands" | sort) \
    <(sed -n "s/^cli_commands = \[\(.*\)\]/\1/p" "$SRC/src/cli/meson.build" | tr -d "' " | tr ',' '\n')
