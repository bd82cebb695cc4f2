# Sourced by Benchmarks/run: a daemon with many clients.
# shellcheck shell=bash disable=SC2154

# main_thread PID: nanoseconds of CPU time that a process's main thread has used.
main_thread() {
  local time
  read -r time _ <"/proc/$1/task/$1/schedstat"
  printf '%s' "$time"
}

# memory PID: KiB that are the process's own.
memory() { awk '/^Anonymous:/ { print $2 }' "/proc/$1/smaps_rollup"; }

deltas() {
  local line
  line=$(ours "$1" status --json)
  field deltas "$line"
}

# daemon_cost NAME PID: microseconds of the main thread for each delta.
daemon_cost() {
  local before first
  first=$(deltas "$1")
  before=$(main_thread "$2")
  ours "$1" bench latency --count "$fleet_count" --json >"$work/bench"
  calculate '(after - before) / count / 1000' "after=$(main_thread "$2")" "before=$before" \
    "count=$(($(deltas "$1") - first))"
}

# floor_cost NAME PID: the same of the floor.
floor_cost() {
  local before
  before=$(main_thread "$2")
  floor latency "$work/$1" "$fleet_count" "$floor_bytes" >"$work/bench"
  calculate '(after - before) / count / 1000' "after=$(main_thread "$2")" "before=$before" \
    "count=$fleet_count"
}

# One client against a hundred: ours, and the floor, which publishes alone what it has to.
measure_fan_out() {
  local one many raw_one raw_many ratio least greatest
  local others=$((fleet_clients - 1))
  say "Measuring $fleet_clients clients of one scope: $pairs rounds of $fleet_count actions"
  start_daemon one && local one_pid=$started
  start_daemon many && local many_pid=$started
  start_floor raw-one && local raw_one_pid=$started
  start_floor raw-many && local raw_many_pid=$started
  start followers "$bin/HostBench" follow --dir "$work/many" --clients "$others"
  start subscribers "$bin/HostBench" attach --socket "$work/raw-many/raw-delta" --clients "$others"
  for ((i = 0; i < pairs; i++)); do
    one=$(daemon_cost one "$one_pid")
    many=$(daemon_cost many "$many_pid")
    raw_one=$(floor_cost raw-one "$raw_one_pid")
    raw_many=$(floor_cost raw-many "$raw_many_pid")
    printf '%s %s %s %s\n' "$many" "$one" "$raw_many" "$raw_one" >>"$work/fan-out"
  done
  # What the floor does besides publishing, it does with one subscriber too.
  read -r ratio least greatest < <(awk '{ print $1 / ($3 - $4 + $2) }' "$work/fan-out" | spread)
  figure fan-out "$ratio" "$least" "$greatest" "$(median_costs)"
  figure fan-out-encodings "$(encodings many)"
  stop_all
}

median_costs() {
  local names=(ours 'for 1' raw 'raw for 1') text='' value
  for column in 1 2 3 4; do
    read -r value _ < <(awk -v c="$column" '{ print $c }' "$work/fan-out" | spread)
    text+="${text:+, }${names[column - 1]} $(printf %.1f "$value")"
  done
  printf '%s us' "$text"
}

# encodings NAME: deltas encoded for each action that changed something.
encodings() {
  local line
  line=$(ours "$1" status --json)
  calculate 'deltas / actions' "deltas=$(field deltas "$line")" \
    "actions=$(field actionsApplied "$line")"
}

# measure_each PID CLIENT…: KiB for each of the clients that come to some others, in $each. Not on
# standard output: what a subshell starts nobody would stop.
measure_each() {
  local pid=$1 few
  shift
  start few "$@" --clients "$memory_few"
  sleep 1
  few=$(memory "$pid")
  start more "$@" --clients "$memory_more" --first "$memory_few"
  sleep 1
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

measure_fleet() {
  if [ ! -r "/proc/$$/task/$$/schedstat" ]; then
    say 'The CPU time of another process can be read on Linux only'
    return
  fi
  measure_fan_out
  measure_memory
}
