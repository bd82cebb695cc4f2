# Sourced by Benchmarks/run: one client against the floor, over real sockets.
# shellcheck shell=bash disable=SC2154

# pair FILE FIELD COUNT: one measurement of stored, then of the floor with messages of equal size.
# Appends "ours floor" to the file, or "- floor" when the floor is measured alone.
pair() {
  local file=$1 name=$2 count=$3 mine=- theirs bytes=$floor_bytes line
  local kind=latency options=()
  [ "$name" = actions_per_s ] && kind=throughput && options=("$window")
  if [ "$part" != floor ]; then
    line=$(ours daemon bench "$kind" --count "$count" ${options[@]+--window "${options[@]}"} --json)
    mine=$(field "$name" "$line")
    bytes=$(field bytes "$line")
  fi
  line=$(floor "$kind" "$work/floor" "$count" "$bytes" ${options[@]+"${options[@]}"})
  theirs=$(field "$name" "$line")
  printf '%s %s %s\n' "$mine" "$theirs" "$bytes" >>"$file"
}

# measure_pairs KEY FIELD COUNT UNIT: a tenth to warm up, then the pairs.
measure_pairs() {
  local key=$1 file=$work/$1 mine theirs ratio least greatest
  pair "$work/warm-up" "$2" $((($3 + 9) / 10))
  for ((i = 0; i < pairs; i++)); do pair "$file" "$2" "$3"; done
  read -r theirs least greatest < <(awk '{ print $2 }' "$file" | spread)
  if [ "$part" = floor ]; then
    figure "${key}_floor" "$theirs" "$least" "$greatest" "$4"
    return
  fi
  read -r mine _ < <(awk '{ print $1 }' "$file" | spread)
  read -r ratio least greatest < <(awk '{ print $1 / $2 }' "$file" | spread)
  figure "$key" "$ratio" "$least" "$greatest" "$(printf '%.4g %s, floor %.4g' "$mine" "$4" "$theirs")"
}

# timed FILE COMMAND…: its milliseconds from start to exit, one number a line.
timed() {
  local TIMEFORMAT=%R file=$1
  shift
  { time "$programs/storectl" "$@" >/dev/null 2>"$work/storectl.err"; } 2>>"$file" ||
    fail "storectl $* failed"
}

# timed_redis FILE COMMAND…: the same of redis-cli.
timed_redis() {
  local TIMEFORMAT=%R file=$1
  shift
  { time redis-cli -s "$work/redis.sock" "$@" >/dev/null 2>"$work/redis-cli.err"; } 2>>"$file" ||
    fail "redis-cli $* failed"
}

# One command, in turn with `--help`, which does not connect, and with a command to Redis. The
# difference to `--help` is the time for the connection and the answer.
measure_get() {
  local median least greatest help has_redis=false
  say "Measuring storectl get: $get_count runs"
  if start_redis "$work" --appendonly no; then has_redis=true; fi
  for ((i = 0; i <= get_count; i++)); do
    timed "$work/get" --dir "$work/daemon" get counter --json
    timed "$work/help" --help
    if $has_redis; then timed_redis "$work/redis-get" GET counter; fi
  done
  # The first run warmed the caches.
  read -r help _ < <(awk 'NR > 1 { print $1 * 1000 }' "$work/help" | spread)
  read -r median least greatest < <(awk 'NR > 1 { print $1 * 1000 }' "$work/get" | spread)
  figure get "$median" "$least" "$greatest" "of $get_count; storectl --help takes $help"
  if ! $has_redis; then
    unmeasured get-redis 'needs redis-server and redis-cli'
    return
  fi
  stop_last
  read -r help _ < <(awk 'NR > 1 { print $1 * 1000 }' "$work/redis-get" | spread)
  read -r median least greatest < <(paste -d ' ' "$work/get" "$work/redis-get" |
    awk 'NR > 1 { print $1 / $2 }' | spread)
  figure get-redis "$median" "$least" "$greatest" "of $get_count; redis-cli takes $help ms"
}

# Latency and throughput beside a program that never sleeps and occupies one core.
measure_beside_hog() {
  awk 'BEGIN { while (1) { } }' &
  started_now hog
  say "Measuring latency beside a busy program: $pairs pairs of $latency_count actions"
  measure_pairs latency-busy p50_us "$latency_count" us
  say "Measuring throughput beside a busy program: $pairs pairs of $throughput_count actions"
  measure_pairs throughput-busy actions_per_s "$throughput_count" /s
  stop_last
}

measure_floor_ratios() {
  start_floor floor
  [ "$part" = floor ] || start_daemon daemon
  say "Measuring latency: $pairs pairs of $latency_count actions"
  measure_pairs latency p50_us "$latency_count" us
  say "Measuring throughput: $pairs pairs of $throughput_count actions, $window in flight"
  measure_pairs throughput actions_per_s "$throughput_count" /s
  if [ "$part" != floor ]; then
    measure_beside_hog
    measure_get
  fi
  stop_all
}
