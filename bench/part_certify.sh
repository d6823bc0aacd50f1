# bench/part_certify.sh: certificates of what the exact stage refutes (sourced by run.sh).
# The models are those of part_solve.sh and part_tsg.sh, which have the shapes of the papers' tables. Every refutation must be
# certified: 'augur verify' says 0, or the benchmark stops. A cost is judged where the check takes long enough to be measured.
cat >"$dir/certify" <<'END'
#!/bin/sh
rm -rf "$1"
shift
"$@"
[ $? -le 1 ]
END
chmod +x "$dir/certify"

#              name       shape            prop
certify_rows=("locked-4x4 models/locked/4/4 assert,race"
              "flags-4x4  models/flags/4/4  assert,race"
              "indexer-25 models/indexer/25 assert"
              "bank-nav-2 models/bank-nav/2 atomicity"
              "bank-nav-4 models/bank-nav/4 atomicity"
              "bank-nav-8 models/bank-nav/8 atomicity"
              "bank-sav-8 models/bank-sav/8 atomicity"
              "bank-av-8  models/bank-av/8  atomicity")
for name in $(paper_rows tsg.1); do
    [ -n "$quick" ] && [[ $name == index[34] ]] && continue
    certify_rows+=("$name tsg_models/$name assert")
done

for r in "${certify_rows[@]}"; do
    read -r name shape prop <<<"$r"
    read -r script shape <<<"${shape/\// }"
    # shellcheck disable=SC2086
    bash "bench/$script.sh" ${shape//\// } >"$dir/$name.ctp"
done
for ((round = 0; round < rounds; round++)); do
    for r in "${certify_rows[@]}"; do
        read -r name _ prop <<<"$r"
        check=("$AUGUR" check --quiet --jobs 1 --window 0 -o "$dir/answer" --prop "$prop")
        time_command "$name" "$dir/certify" "$dir/none" "${check[@]}" "$dir/$name.ctp"
        time_command "$name-write" "$dir/certify" "$dir/c-$name" "${check[@]}" --certify "$dir/c-$name" "$dir/$name.ctp"
        time_command "$name-verify" "$AUGUR" verify --jobs 1 "$dir/c-$name"
    done
done

cat <<EOF

## Certificates: what they cost

\`augur check --jobs 1 --certify DIR\` beside the same without it, and \`augur verify --jobs 1 DIR\`. Every refutation is certified.

| model | refuted | check, s | with certificates, s | verify, s | size, KiB |
|---|---|---|---|---|---|
EOF
for r in "${certify_rows[@]}"; do
    read -r name _ <<<"$r"
    printf '| %s | %s | %.3f | %.3f | %.3f | %s |\n' "$name" "$(grep -c '^refuted ' "$dir/c-$name/refuted.txt" || true)" \
        "${cpu[$name]}" "${cpu[$name-write]}" "${cpu[$name-verify]}" "$(du -sk "$dir/c-$name" | cut -f 1)"
done
headed
for r in "${certify_rows[@]}"; do
    read -r name _ <<<"$r"
    awk -v s="${cpu[$name]}" 'BEGIN { exit !(s >= 0.05) }' || continue
    of() { awk -v a="${cpu[$1]}" -v b="${cpu[$name]}" 'BEGIN { printf "%.2f", a / b }'; }
    row "$name: check with certificates" "<=" 3 × "$(of "$name-write")" '' ''
    row "$name: verifying" "<=" 5 × "$(of "$name-verify")" '' ''
done
