# Sourced by Benchmarks/run: collections of state in one process.
# shellcheck shell=bash disable=SC2154

# state_bytes KIND: the resident memory of rows at the end.
state_bytes() {
  "$bin/StateBench" memory "$1" "$many_rows" 2>"$work/StateBench.err" |
    sed -n '$s/.*: \([0-9]*\) bytes/\1/p'
}

measure_state() {
  local key line plain tree
  say "Measuring collections: $state_rounds rounds, up to $state_rows rows; $many_rows for memory"
  "$bin/StateBench" figures "$state_rounds" "$state_operations" "$state_rows" \
    >"$work/state" 2>"$work/StateBench.err" || fail 'StateBench failed'
  for key in small-read small-change iterate build; do
    line=$(grep "\"case\":\"$key\"" "$work/state") || fail "StateBench printed no case $key"
    figure_of "$key" ratio "$line" "$(field ns "$line") ns and $(field plain_ns "$line") ns a row, \
$(field rows "$line") rows"
  done
  plain=$(state_bytes bare-plain)
  tree=$(state_bytes bare-tree)
  [ "${plain:-0}" -gt 0 ] && [ "${tree:-0}" -gt 0 ] || {
    unmeasured bare-versions 'needs /proc/self/statm'
    return 0
  }
  figure bare-versions "$(calculate 'tree / plain' "tree=$tree" "plain=$plain")" '' '' \
    "$((tree / 1048576)) MiB and $((plain / 1048576)) MiB"
}
