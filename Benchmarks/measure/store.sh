# Sourced by Benchmarks/run: stores in one process.
# shellcheck shell=bash disable=SC2154

# store_field CASE NAME: a number of a case.
store_field() { field "$2" "$(grep "\"case\":\"$1\"" "$work/store")"; }

# instructions_of_case CASE: of one operation, as 100,000 more of them take.
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
}
