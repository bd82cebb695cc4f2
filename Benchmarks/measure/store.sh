# Sourced by Benchmarks/run: stores in one process.
# shellcheck shell=bash disable=SC2154

# store_field CASE NAME: a field of a case.
store_field() { field "$2" "$(grep "\"case\":\"$1\"" "$work/store")"; }

# instructions_of_case CASE: the instructions of one operation, as the mean over 100,000 operations.
instructions_of_case() {
  local some more
  some=$(counted "$bin/StoreBench" --count 10000 "$1")
  more=$(counted "$bin/StoreBench" --count 110000 "$1")
  [ -n "$some" ] && [ -n "$more" ] || return 0
  printf '%s instructions' $(((more - some) / 100000))
}

# store_figure CASE: nanoseconds of one operation.
store_figure() {
  figure "$1" "$(store_field "$1" ns)" "$(store_field "$1" min_ns)" "$(store_field "$1" max_ns)" \
    "$(instructions_of_case "$1")"
}

measure_store() {
  say "Measuring stores in one process: $store_rounds rounds"
  "$bin/StoreBench" --rounds "$store_rounds" >"$work/store" 2>"$work/StoreBench.err" ||
    fail 'StoreBench failed'
  for case in send-depth-0 send-depth-3 send-depth-10 read-property read-property-tracked \
    scope-known; do
    store_figure "$case"
  done
  figure send-children "$(calculate 'many / one' "many=$(store_field send-children-1000 ns)" \
    "one=$(store_field send-children-1 ns)")"
  measure_observed
  measure_presented
  figure send-refused "$(calculate 'refused / unchanged' "refused=$(store_field send-refused ns)" \
    "unchanged=$(store_field send-unchanged ns)")"
  measure_bare
  measure_sharing
}

# The ways to observe rows: by stores from a scope of the list, by a key path to one of them, and
# through a computed property. The figure is that of the slowest way.
observed_ways='observed observed-by-key-path observed-computed'

# worst_of KEY EXPRESSION: the greatest value of an expression over all ways. Its variables are the
# times with 0, 1 and 1,000 observed rows: `none`, `one` and `many` of an action that concerns no
# row, `to_one` and `to_many` of an action on the first row.
worst_of() {
  local key=$1 expression=$2 way value worst=
  for way in $observed_ways; do
    value=$(calculate "$expression" "none=$(store_field "send-$way-0" ns)" \
      "one=$(store_field "send-$way-1" ns)" "many=$(store_field "send-$way-1000" ns)" \
      "to_one=$(store_field "send-to-$way-1" ns)" "to_many=$(store_field "send-to-$way-1000" ns)")
    printf '%s %s\n' "$value" "$way"
  done | sort -g | tail -n 1 >"$work/worst"
  read -r value way <"$work/worst"
  figure "$key" "$value" '' '' "$way"
}

measure_observed() {
  worst_of observed-row 'one - none'
  worst_of observed-rows 'many / one'
  worst_of observed-row-of-rows 'to_many / to_one'
}

# A destination as an enum without macros: each action looks up its case and its id.
measure_presented() {
  figure plain-destination "$(calculate 'plain - struct' \
    "plain=$(store_field send-to-presented-plain-enum ns)" \
    "struct=$(store_field send-to-presented-struct ns)")" '' '' \
    "by an enum with macros $(calculate 'plain - macros' \
      "plain=$(store_field send-to-presented-plain-enum ns)" \
      "macros=$(store_field send-to-presented-macro-enum ns)")"
}

# sharing_figure KEY CASE: the ratio of a case's instructions to those of the case without shared
# values. Each case runs in its own process, since shared values exist for the whole process.
sharing_figure() {
  local shared
  shared=$(instructions_of_case "$2")
  if [ -n "$shared" ] && [ -n "$bare" ]; then
    figure "$1" "$(calculate 'shared / bare' "shared=${shared% *}" "bare=${bare% *}")" '' '' \
      "$shared"
  else
    unmeasured "$1" 'needs perf or valgrind, to count instructions'
  fi
}

# The cost of a plain feature in instructions: a program from its start to its first action, and one
# action. Instruction counts are equal on all machines of a kind.
measure_bare() {
  local start
  start=$(counted "$bin/StoreBench" --count 1 send-depth-3)
  bare=$(instructions_of_case send-depth-3)
  if [ -n "$start" ] && [ -n "$bare" ]; then
    figure start-up "$start"
    figure send-depth-3-instructions "${bare% *}"
  else
    unmeasured start-up 'needs perf or valgrind, to count instructions'
    unmeasured send-depth-3-instructions 'needs perf or valgrind, to count instructions'
  fi
}

measure_sharing() {
  sharing_figure shared-elsewhere send-depth-3-shared-elsewhere
  sharing_figure shared-depth-3 send-depth-3-sharing
  # These cases are too slow to count their instructions.
  for case in send-shared send-shared-other send-shared-rows-1000 send-shared-rows-1000-row \
    send-shared-rows-1000-other; do
    figure "$case" "$(store_field "$case" ns)" "$(store_field "$case" min_ns)" \
      "$(store_field "$case" max_ns)"
  done
}
