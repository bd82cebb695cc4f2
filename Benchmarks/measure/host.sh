# Sourced by Benchmarks/run: a daemon's half of the protocol in one process, no sockets.
# shellcheck shell=bash disable=SC2154

# instructions_of_change ROWS: the instructions of one action.
instructions_of_change() {
  local busy idle
  busy=$(counted "$bin/HostBench" change --rows "$1" --actions "$change_count")
  idle=$(counted "$bin/HostBench" change --rows "$1" --actions "$change_count" --idle)
  [ -n "$busy" ] && [ -n "$idle" ] || return 0
  printf '%d' $(((busy - idle) / change_count))
}

measure_change() {
  local line few many
  say "Measuring changes of one row of $many_rows and of $few_rows: $change_rounds rounds"
  line=$(host change --rows "$few_rows,$many_rows" --actions "$change_count" \
    --rounds "$change_rounds")
  figure_of change-time ratio "$line" \
    "$(printf '%.0f ns, with %s rows %.0f' "$(field many_ns "$line")" "$few_rows" \
      "$(field few_ns "$line")")"
  few=$(instructions_of_change "$few_rows")
  many=$(instructions_of_change "$many_rows")
  if [ -n "$few" ] && [ -n "$many" ]; then
    figure change-instructions "$(calculate 'many / few' "many=$many" "few=$few")" '' '' \
      "$many, with $few_rows rows $few"
  else
    unmeasured change-instructions 'needs valgrind, or a counter for perf'
  fi
}

# An action on a followed row: with a client that follows many scopes, and with many clients.
measure_rows() {
  local line note
  say "Measuring an action on one of $followed_rows followed rows: $change_rounds rounds"
  line=$(host rows --many "$followed_rows" --actions "$((change_count / 2 * 2 + 1))" \
    --rounds "$change_rounds")
  note=$(printf '%.0f ns' "$(field one_ns "$line")")
  figure_of row-scopes scopes_ratio "$line" "$(printf '%.0f ns, with 1 scope %s' \
    "$(field scopes_ns "$line")" "$note")"
  figure_of row-clients clients_ratio "$line" "$(printf '%.0f ns, with 1 client %s' \
    "$(field clients_ns "$line")" "$note")"
}

# The memory and the scopes that remain after stores were opened and dropped.
measure_open() {
  local line
  say "Opening and dropping $open_count stores"
  line=$(host open --count "$open_count")
  figure open-memory "$(field kib "$line")" '' '' "$(field snapshots "$line") snapshots"
  figure open-scopes "$(field scopes "$line")"
}

# Snapshots of three sizes for one joiner and for many, and the daemon's memory for them.
#
# The comparison of sizes keeps freed memory in the process: otherwise the allocator returns blocks
# of some sizes to the system and keeps others, and each new page costs as much as its encoding. The
# longest turn is measured with the allocator's defaults.
measure_snapshots() {
  local line small medium large longest=0
  read -r small medium large <<<"$snapshot_mib"
  say "Measuring snapshots of $small, $medium and $large MiB: $pairs rounds"
  for count in 1 "$snapshot_joiners"; do
    line=$(MALLOC_TRIM_THRESHOLD_=1073741824 MALLOC_MMAP_THRESHOLD_=33554432 \
      host snapshots --mib "$small,$medium,$large" --joiners "$count" --rounds "$pairs")
    figure_of "snapshot-small-$([ "$count" = 1 ] && echo one || echo many)" "ratio_$small" \
      "$line" "$(printf '%.0f MiB/s, of %s MiB %.0f' "$(field "mib_s_$small" "$line")" \
        "$medium" "$(field "mib_s_$medium" "$line")")"
    figure_of "snapshot-large-$([ "$count" = 1 ] && echo one || echo many)" "ratio_$large" \
      "$line" "$(printf '%.0f MiB/s' "$(field "mib_s_$large" "$line")")"
    line=$(host snapshots --mib "$small,$medium,$large" --joiners "$count" --rounds "$pairs")
    longest=$(printf '%s\n%s\n' "$longest" "$(field most_ms "$line")" | sort -g | tail -n 1)
  done
  figure snapshot-turn "$longest"
  line=$(host snapshots --memory --mib "$medium" --joiners "$snapshot_joiners")
  figure_of snapshot-memory each_mib "$line" "$(printf '%.1f MiB beside a capture of %.1f' \
    "$(field most_mib "$line")" "$(field capture_mib "$line")")"
}

# A refused action over real sockets, in turn with one that changes nothing.
measure_refused() {
  local line
  say "Measuring refused actions over ipc: $pairs rounds of $write_count"
  mkdir -m 700 "$work/decider"
  start decider "$bin/HostBench" decide --dir "$work/decider"
  line=$(host refused --dir "$work/decider" --actions "$write_count" --rounds "$pairs")
  figure_of refused-ipc ratio "$line" "$(printf 'unchanged %.1f us' "$(field unchanged_us "$line")")"
  stop_last
}

measure_host() {
  local line state
  measure_change
  measure_rows
  measure_refused
  measure_open
  measure_snapshots
  say 'Measuring joins, frames, versions and the codec'
  line=$(host join --rows "$join_rows" --joins "$pairs")
  figure_of join-turn most_ms "$line"
  figure_of join-bytes ratio "$line" "$(field bytes "$line") bytes"
  line=$(host frame --rows "$join_rows")
  figure_of delta-bytes bytes "$line"
  state=$(field mib "$(host versions --state --rows "$many_rows")")
  # The allocator returns freed pieces of a snapshot to the system, so they are not counted.
  line=$(MALLOC_MMAP_THRESHOLD_=32768 host versions --rows "$many_rows")
  figure versions "$(calculate 'all / state' "all=$(field mib "$line")" "state=$state")" '' '' \
    "$(field mib "$line") MiB, state alone $state"
  line=$(host codec --rounds "$pairs")
  figure_of encode encode_ratio "$line" "$(field encode_mb_s "$line") MB/s"
  figure_of decode decode_ratio "$line" "$(field decode_mb_s "$line") MB/s"
  figure_of decode-identified identified_decode_ratio "$line" \
    "$(field identified_decode_mb_s "$line") MB/s"
}
