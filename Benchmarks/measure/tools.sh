# Sourced by Benchmarks/run: starting and stopping programs, reading their output.
# shellcheck shell=bash disable=SC2154 # work, bin, patience and pids are the run's

say() { printf '==> %s\n' "$*" >&2; }

fail() {
  printf 'bench: %s\n' "$*" >&2
  for log in "$work"/*.err; do
    [ -s "$log" ] && { printf -- '--- %s\n' "${log##*/}"; tail -n 20 "$log"; } >&2
  done
  exit 1
}

clean_up() {
  local status=$?
  trap - EXIT
  stop_all
  rm -rf "$work" ${data:+"$data"}
  exit "$status"
}

# end PID…: sends SIGTERM, and SIGKILL after two seconds: a program that inherited a blocked
# SIGTERM does not receive it.
end() {
  local pid end=$((SECONDS + 2))
  for pid; do kill "$pid" 2>/dev/null || true; done
  for pid; do
    while kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$end" ]; do sleep 0.02; done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
  done
}

stop_all() {
  end ${pids[@]+"${pids[@]}"}
  pids=()
}

# stop_last: stops only the program that was started last.
stop_last() {
  end "$started"
  unset "pids[$((${#pids[@]} - 1))]"
}

# wait_for NAME PID COMMAND…: waits until the command succeeds; fails if the process has ended.
wait_for() {
  local name=$1 pid=$2 end=$((SECONDS + patience))
  shift 2
  until "$@"; do
    kill -0 "$pid" 2>/dev/null || fail "$name ended before it was ready"
    [ "$SECONDS" -lt "$end" ] || fail "$name was not ready after $patience s"
    sleep 0.02
  done
}

is_ready() { grep -q '^ready ' "$1"; }

# started_now NAME: adds the program that was put into the background to `pids`, which `stop_all`
# ends. Its pid is in $started and in $work/NAME.pid.
started_now() {
  started=$!
  pids+=("$started")
  printf '%s' "$started" >"$work/$1.pid"
}

# start NAME COMMAND…: starts a program and waits until it prints "ready".
start() {
  local name=$1
  shift
  : >"$work/$name.out"
  "$@" >"$work/$name.out" 2>"$work/$name.err" &
  started_now "$name"
  wait_for "$name" "$started" is_ready "$work/$name.out"
}

floor_is_ready() { [ -S "$1/raw-action" ] && [ -S "$1/raw-delta" ]; }

# before NAME [OPTION…]: sets $before to the command prefix that counts a program's instructions;
# empty unless $under names a Valgrind tool.
before() {
  local name=$1
  shift
  before=()
  [ -n "$under" ] || return 0
  before=(valgrind --tool="$under" --separate-threads=yes
    --callgrind-out-file="$work/$name.callgrind" "$@")
}

# start_floor NAME [MODE]: starts the floor with its sockets in $work/NAME.
start_floor() {
  before "$1" --toggle-collect=publish_in_shape
  mkdir -m 700 "$work/$1"
  ${before[@]+"${before[@]}"} "$raw" "${2:-serve}" "$work/$1" 2>"$work/$1.err" &
  started_now "$1"
  wait_for 'the floor' "$started" floor_is_ready "$work/$1"
}

# start_daemon NAME [OPTION…]: starts a daemon in memory with its sockets in $work/NAME.
start_daemon() {
  local name=$1
  shift
  before "$name"
  mkdir -m 700 "$work/$name"
  start "$name" ${before[@]+"${before[@]}"} "$programs/stored" --dir "$work/$name" --in-memory "$@"
}

# field NAME LINE: a number in a line of JSON.
field() {
  local value
  value=$(sed -n "s/.*\"$1\":\([0-9.eE+-]*\).*/\1/p" <<<"$2")
  [ -n "$value" ] || fail "no $1 in: $2"
  printf '%s' "$value"
}

# host COMMAND…: runs HostBench, which prints a line of JSON.
host() { "$bin/HostBench" "$@" 2>"$work/HostBench.err" || fail "HostBench $* failed"; }

# ours NAME COMMAND…: runs storectl with a daemon. floor COMMAND… runs the floor.
ours() {
  local dir=$work/$1
  shift
  "$programs/storectl" --dir "$dir" "$@" 2>"$work/storectl.err" || fail "storectl $* failed"
}
floor() { "$raw" "$@" 2>"$work/raw.err" || fail "raw $* failed"; }

# counted COMMAND…: prints the instructions in user mode, counted by perf, or by Valgrind if the
# machine has no counter for perf. The text is empty if both are missing.
counted() {
  local count=
  if command -v perf >/dev/null; then
    count=$(perf stat -x, -e instructions:u "$@" 2>&1 >/dev/null |
      awk -F, '/instructions/ && $1 + 0 > 0 { print $1 }')
  fi
  if [ -z "$count" ] && command -v valgrind >/dev/null; then
    count=$(valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$@" \
      2>&1 >/dev/null | awk '/refs:/ { gsub(",", "", $NF); print $NF }')
  fi
  printf '%s' "$count"
}

# Prints the median, the least and the greatest of the numbers on standard input.
spread() {
  sort -g | awk '
    { value[NR] = $1 }
    END {
      middle = int((NR + 1) / 2)
      print NR % 2 ? value[middle] : (value[middle] + value[middle + 1]) / 2, value[1], value[NR]
    }'
}

# figure KEY VALUE [LEAST GREATEST [NOTE]]: adds a figure to the table.
figure() { printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "${3:-}" "${4:-}" "${5:-}" >>"$work/figures"; }

# unmeasured KEY REASON: adds a figure that this machine cannot measure.
unmeasured() { figure "$1" - '' '' "$2"; }

# figure_of KEY NAME LINE [NOTE]: adds a figure of HostBench, with its spread if it has one.
figure_of() {
  local value least greatest
  value=$(field "$2" "$3")
  least=$(sed -n "s/.*\"$2_min\":\([0-9.eE+-]*\).*/\1/p" <<<"$3")
  greatest=$(sed -n "s/.*\"$2_max\":\([0-9.eE+-]*\).*/\1/p" <<<"$3")
  figure "$1" "$value" "$least" "$greatest" "${4:-}"
}

# calculate EXPRESSION NAME=VALUE…
calculate() {
  local expression=$1 options=()
  shift
  for pair in "$@"; do options+=(-v "$pair"); done
  awk "${options[@]}" "BEGIN { print $expression }"
}
