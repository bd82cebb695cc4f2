# Sourced by Benchmarks/run: a daemon with many clients.
# shellcheck shell=bash disable=SC2154

# memory PID: the anonymous memory of a process, in KiB.
memory() { awk '/^Anonymous:/ { print $2 }' "/proc/$1/smaps_rollup"; }

# fan NAME OPTION…: runs HostBench fan with the processes NAME-one, NAME-many and NAME-floor.
fan() {
  local name=$1 options=()
  shift
  for kind in one many floor; do
    options+=("--$kind" "$work/$name-$kind" "--$kind-pid" "$(<"$work/$name-$kind.pid")")
  done
  host fan "${options[@]}" --clients "$fleet_clients" "$@"
}

# Compares a daemon with one client, a daemon with many clients, and the floor, which only
# publishes.
measure_fan_out() {
  local line
  say "Measuring $fleet_clients clients of one scope: $fleet_rounds rounds of $fleet_count actions"
  start_daemon fan-one
  start_daemon fan-many
  start_floor fan-floor publish
  line=$(fan fan --actions "$fleet_count" --rounds "$fleet_rounds")
  figure_of fan-out ratio "$line" "$(printf 'ours %.1f us, for 1 %.1f, raw XPUB %.1f' \
    "$(field many_us "$line")" "$(field one_us "$line")" "$(field floor_us "$line")")"
  figure fan-out-encodings "$(encodings fan-many)"
  stop_all
}

# counted_in NAME: instructions of a main thread between the two dumps that HostBench requested.
counted_in() { awk '/^(summary|totals):/ { count = $2 } END { print count + 0 }' \
  "$work/$1.callgrind.2-01"; }

# The same in instructions of the main thread: the load of other programs does not change them.
measure_fan_out_instructions() {
  local one many floor
  if ! command -v valgrind >/dev/null || ! command -v callgrind_control >/dev/null ||
    ! command -v strip >/dev/null; then
    unmeasured fan-out-instructions 'needs valgrind and strip'
    return
  fi
  say "Counting instructions for $fleet_clients clients of one scope: $fan_counted actions"
  # Valgrind ends at debug information that it cannot parse, so it is stripped. Valgrind needs the
  # names of functions, which the installed programs do not have.
  mkdir "$work/bare"
  strip -g -o "$work/bare/stored" "$bin/stored" || fail 'stored cannot be stripped'
  under=callgrind
  # Valgrind slows the daemons down, so leases are long: each client must keep its lease.
  programs=$work/bare start_daemon counted-one --lease-ms 600000
  programs=$work/bare start_daemon counted-many --lease-ms 600000
  start_floor counted-floor publish
  under=
  fan counted --actions "$fan_counted" --rounds 1 --counted >/dev/null
  read -r one many floor < <(for kind in one many floor; do
    calculate 'all / count' "all=$(counted_in "counted-$kind")" "count=$fan_counted"
  done | xargs)
  figure fan-out-instructions "$(calculate 'many / (one + floor)' "many=$many" "one=$one" \
    "floor=$floor")" '' '' "$(printf '%.0f, for 1 %.0f, raw XPUB %.0f' "$many" "$one" "$floor")"
  stop_all
}

# encodings NAME: deltas encoded for each action that changed something.
encodings() {
  local line
  line=$(ours "$1" status --json)
  calculate 'deltas / actions' "deltas=$(field deltas "$line")" \
    "actions=$(field actionsApplied "$line")"
}

# measure_each PID CLIENT…: sets $each to the KiB that the process PID takes for an additional
# client. It does not print them: in a subshell, `pids` would miss the programs that it starts.
measure_each() {
  local pid=$1 few
  shift
  start few "$@" --clients "$memory_few"
  sleep 0.3 # until the process has handled the last messages
  few=$(memory "$pid")
  start more "$@" --clients "$memory_more" --first "$memory_few"
  sleep 0.3
  each=$(calculate '(more - few) / count' "more=$(memory "$pid")" "few=$few" "count=$memory_more")
}

measure_memory() {
  local ours bare each median least greatest
  say 'Measuring the memory of idle clients'
  for ((i = 0; i < memory_rounds; i++)); do
    start_daemon "memory-$i"
    measure_each "$started" "$bin/HostBench" follow --dir "$work/memory-$i"
    ours=$each
    stop_all
    mkdir -m 700 "$work/bare-$i"
    start bare "$bin/HostBench" bare --dir "$work/bare-$i"
    measure_each "$started" "$bin/HostBench" hold --dir "$work/bare-$i"
    bare=$each
    stop_all
    printf '%s %s\n' "$ours" "$bare" >>"$work/memory"
  done
  read -r bare _ < <(awk '{ print $2 }' "$work/memory" | spread)
  read -r median least greatest < <(awk '{ print $1 - $2 }' "$work/memory" | spread)
  figure client-memory "$median" "$least" "$greatest" "KiB; libzmq itself $bare"
}

# writes NUMBER: the latency of a client that sends a thousand actions a second, in JSON.
writes() {
  host write --dir "$work/loaded" --rows "$join_rows" --actions "$write_count" --number "$1"
}

# The latency of a writer with and without clients that join a large scope continuously.
measure_join_load() {
  local quiet loaded median least greatest
  say "Measuring a writer beside joiners of $join_rows rows: $pairs pairs of $write_count actions"
  mkdir -m 700 "$work/loaded"
  start loaded "$bin/HostBench" serve --dir "$work/loaded" --rows "$join_rows"
  for ((i = 0; i < pairs; i++)); do
    quiet=$(writes "$i")
    start joiners "$bin/HostBench" rejoin --dir "$work/loaded" --first "$((i * 100000))"
    loaded=$(writes "$((1000 + i))")
    stop_last
    for name in p50_us p99_us; do
      printf '%s %s\n' "$(field $name "$loaded")" "$(field $name "$quiet")" >>"$work/load-$name"
    done
  done
  for name in p50_us p99_us; do
    read -r quiet _ < <(awk '{ print $2 }' "$work/load-$name" | spread)
    read -r loaded _ < <(awk '{ print $1 }' "$work/load-$name" | spread)
    read -r median least greatest < <(awk '{ print $1 / $2 }' "$work/load-$name" | spread)
    figure "join-load-${name%_us}" "$median" "$least" "$greatest" \
      "$(printf '%.0f us, without %.0f' "$loaded" "$quiet")"
  done
  stop_all
}

# Listed clients that return to a durable daemon that was killed, under load.
measure_return() {
  local line
  say "Measuring the return of $return_clients clients, $return_rounds times"
  for ((i = 0; i < return_rounds; i++)); do
    line=$(host return --programs "$programs" --dir "$work/return-$i" --data "$work/return-data-$i" \
      --clients "$return_clients" --earlier "$return_earlier")
    printf '%s %s %s\n' "$(field back_ms "$line")" "$(field snapshots "$line")" \
      "$(field longestTurnMicroseconds "$line")" >>"$work/return"
  done
  ratio_of return-time "$work/return" '$1 / 1000' 's'
  ratio_of return-snapshots "$work/return" '$2' ''
  ratio_of return-turn "$work/return" '$3 / 1000' 'ms'
}

measure_fleet() {
  measure_return
  if [ ! -r "/proc/$$/task/$$/schedstat" ]; then
    say 'The CPU time of another process can be read on Linux only'
    return
  fi
  measure_fan_out
  measure_fan_out_instructions
  measure_memory
  measure_join_load
}
