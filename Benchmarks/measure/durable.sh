# Sourced by Benchmarks/run: a durable daemon, in turn with a daemon in memory, with Redis and
# with a bare file.
# shellcheck shell=bash disable=SC2154

# A folder on the measured disk. The folder for temporary files may be in memory.
data=

build_disk_floor() {
  local flags=(-DNO_REDIS)
  mkdir -p "${raw%/*}"
  if pkg-config --exists hiredis; then
    # shellcheck disable=SC2207 # splits into words
    flags=($(pkg-config --cflags --libs hiredis))
  fi
  cc -O2 Benchmarks/Floor/disk.c -o "${raw%/*}/disk" "${flags[@]}" ||
    fail "Benchmarks/Floor/disk.c does not build"
}

# start_kept NAME: starts a durable daemon.
start_kept() {
  mkdir -m 700 "$work/$1"
  start "$1" "$programs/stored" --dir "$work/$1" --data "$data/$1"
}

redis_answers() { redis-cli -s "$1" ping >/dev/null 2>&1; }

# start_redis FOLDER OPTION…: starts Redis; fails if Redis is not installed.
start_redis() {
  command -v redis-server >/dev/null && command -v redis-cli >/dev/null || return 1
  redis-server --port 0 --unixsocket "$work/redis.sock" --save '' --dir "$@" \
    >"$work/redis.out" 2>"$work/redis.err" &
  started_now redis
  wait_for Redis "$started" redis_answers "$work/redis.sock"
}

disk() { "${raw%/*}/disk" "$@" 2>"$work/disk.err" || fail "disk $* failed"; }

# ratio_of KEY FILE EXPRESSION NOTE: the median of the expression over the lines of a file.
ratio_of() {
  local median least greatest
  read -r median least greatest < <(awk "{ print $3 }" "$2" | spread)
  figure "$1" "$median" "$least" "$greatest" "$4"
}

# column FILE NUMBER: the median of a column.
column() { awk -v place="$2" '{ print $place }' "$1" | spread | awk '{ print $1 }'; }

measure_durable_pairs() {
  local kept memory other=- bare bytes file note has_redis=false
  start_kept kept
  start_daemon unkept
  mkdir -p "$data/redis"
  # Redis syncs every write before it answers.
  if pkg-config --exists hiredis &&
    start_redis "$data/redis" --appendonly yes --appendfsync always; then
    has_redis=true
  fi
  say "Measuring durable actions, $window in flight: $pairs pairs of $durable_count"
  for ((i = 0; i <= pairs; i++)); do
    kept=$(ours kept bench throughput --count "$durable_count" --window "$window" --yes --json)
    memory=$(ours unkept bench throughput --count "$durable_count" --window "$window" --json)
    bytes=$(field bytes "$kept")
    if $has_redis; then
      other=$(field actions_per_s \
        "$(disk redis "$work/redis.sock" "$durable_count" "$bytes" "$window")")
    fi
    # The first round is the warm-up.
    [ "$i" = 0 ] || printf '%s %s %s\n' "$(field actions_per_s "$kept")" \
      "$(field actions_per_s "$memory")" "$other" >>"$work/durable-throughput"
  done
  file=$work/durable-throughput
  note=$(printf '%.0f /s' "$(column "$file" 1)")
  ratio_of durable-throughput "$file" '$1 / $2' \
    "$note, in memory $(printf '%.0f' "$(column "$file" 2)")"
  say "Measuring durable actions one by one: $pairs pairs of $durable_latency_count"
  for ((i = 0; i <= pairs; i++)); do
    kept=$(ours kept bench latency --count "$durable_latency_count" --yes --json)
    memory=$(ours unkept bench latency --count "$durable_latency_count" --json)
    bytes=$(field bytes "$kept")
    bare=$(field p50_us "$(disk append "$data/bare" "$durable_latency_count" "$bytes")")
    if $has_redis; then
      other=$(field p50_us "$(disk redis "$work/redis.sock" "$durable_latency_count" "$bytes" 1)")
    fi
    [ "$i" = 0 ] || printf '%s %s %s %s\n' "$(field p50_us "$kept")" "$(field p50_us "$memory")" \
      "$bare" "$other" >>"$work/durable-latency"
  done
  file=$work/durable-latency
  note=$(printf '%.0f us' "$(column "$file" 1)")
  ratio_of durable-append-latency "$file" '$1 / ($2 + $3)' "$(printf '%s, in memory %.0f, append %.0f' \
    "$note" "$(column "$file" 2)" "$(column "$file" 3)")"
  if $has_redis; then
    ratio_of durable-redis-latency "$file" '$1 / $4' \
      "$note, Redis $(printf '%.0f' "$(column "$file" 4)")"
    file=$work/durable-throughput
    ratio_of durable-redis-throughput "$file" '$1 / $3' \
      "Redis $(printf '%.0f' "$(column "$file" 3)") /s"
  else
    unmeasured durable-redis-latency 'needs redis-server and hiredis'
    unmeasured durable-redis-throughput 'needs redis-server and hiredis'
  fi
  stop_all
}

# The size of the journal, the latency of commits, and the speed of recovery.
measure_kept() {
  local line
  say "Measuring $toggle_count toggles of durable rows"
  line=$(host keep --data "$data/toggles" --toggles "$toggle_count")
  figure journal-size "$(calculate 'all / (3 * own + 24 * count)' "all=$(field data_bytes "$line")" \
    "own=$(field record_bytes "$line")" "count=$toggle_count")" '' '' \
    "$(printf '%.0f MB of records of %.0f, %.0f MB written' \
      "$(calculate 'x / 1e6' "x=$(field data_bytes "$line")")" \
      "$(calculate 'x / 1e6' "x=$(field record_bytes "$line")")" \
      "$(calculate 'x / 1e6' "x=$(field written_bytes "$line")")")"
  # The retained size is small, so most of the history is deleted during the measurement.
  say "Measuring $toggle_count toggles while old history is deleted"
  line=$(host keep --data "$data/trimmed" --toggles "$toggle_count" --retain $((16 << 20)))
  figure_of commit-p99 commit_p99_ms "$line" \
    "ms; p50 $(field commit_p50_ms "$line"), most $(field commit_most_ms "$line"), \
$(field commits "$line") commits, $(field snapshots "$line") snapshots, \
$(printf '%.0f MB of %.0f left' "$(calculate 'x / 1e6' "x=$(field data_bytes "$line")")" \
      "$(calculate 'x / 1e6' "x=$(field record_bytes "$line")")")"
  say "Measuring recovery of $toggle_count records"
  host keep --data "$data/records" --toggles "$toggle_count" --no-snapshots >/dev/null
  line=$(host recover --data "$data/records" --rounds 3)
  figure_of recovery records_per_s "$line" "$(field records "$line") records"
  say "Measuring a snapshot of $kept_rows rows"
  line=$(host read --data "$data/snapshot" --rows "$kept_rows" --rounds 3)
  figure_of snapshot-read ratio "$line" "$(field read_ms "$line") ms for $(field mb "$line") MB"
  say "Measuring starts after a torn entry"
  line=$(host torn --data "$data/torn")
  figure_of torn-start ratio "$line" "$(field torn_ms "$line") ms, $(field whole_ms "$line") whole"
}

measure_durable() {
  build_disk_floor
  mkdir -p .build
  data=$(mktemp -d "${DURABLE_DIR:-.build}/bench-data.XXXXXX")
  measure_durable_pairs
  measure_kept
  rm -rf "$data"
  data=
}
