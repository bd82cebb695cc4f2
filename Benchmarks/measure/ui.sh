# Sourced by Benchmarks/run: screens over a large scope that changes all the time.
# shellcheck shell=bash disable=SC2154

# cpu_of PID: the CPU time of all threads of a process in ns; a thread may end during the call.
cpu_of() {
  { cat "/proc/$1/task/"*/schedstat 2>/dev/null || true; } |
    awk '{ sum += $1 } END { printf "%.0f", sum }'
}

# A screen writes only the changed parts of a text, so the search is for one word.
screen_shows() { grep -q "$2" "$work/$1.typescript"; }

# start_screen NAME COMMAND…: starts storectl on a terminal of 120 by 40 that `script` provides.
# Keys are written to $work/NAME.keys. The pid of storectl is in $work/NAME.screen.
start_screen() {
  local name=$1
  shift
  rm -f "$work/$name".{keys,screen,typescript,command}
  mkfifo "$work/$name.keys"
  : >"$work/$name.typescript"
  printf 'stty cols 120 rows 40\nprintf %%s $$ >%q\nexec ' "$work/$name.screen" \
    >"$work/$name.command"
  printf '%q ' "$programs/storectl" --dir "$work/screens" "$@" >>"$work/$name.command"
  # The pipe is also opened for writing: otherwise the first writer would end it.
  TERM=xterm-256color SHELL=/bin/bash script -qfc "bash $(printf %q "$work/$name.command")" \
    "$work/$name.typescript" <>"$work/$name.keys" >/dev/null 2>"$work/$name.err" &
  started_now "$name"
}

# screen NUMBER NAME TEXT KEYS COMMAND…: appends the p99 of a writer beside a screen, and the CPU
# time of the screen in percent of a core, to $work/ui-NAME. The screen is ready when it shows the
# text.
screen() {
  local number=$1 name=$2 text=$3 keys=$4 pid cpu start line
  shift 4
  start_screen "$name" "$@"
  wait_for "the screen $name" "$started" screen_shows "$name" "$text"
  pid=$(<"$work/$name.screen")
  [ -z "$keys" ] || printf '%s' "$keys" >"$work/$name.keys"
  wait_for "the rows in $name" "$started" screen_shows "$name" Something
  cpu=$(cpu_of "$pid")
  start=${EPOCHREALTIME/[.,]/}
  line=$(write_beside "$number")
  printf '%s %s\n' "$(field p99_us "$line")" "$(calculate '100 * cpu / (end - start) / 1000' \
    "cpu=$(($(cpu_of "$pid") - cpu))" "end=${EPOCHREALTIME/[.,]/}" "start=$start")" \
    >>"$work/ui-$name"
  end "$pid"
  stop_last
}

# write_beside NUMBER: the latency of a client that sends a thousand actions a second, in JSON. Each
# client has its own number.
write_beside() {
  host write --dir "$work/screens" --rows "$join_rows" --actions "$ui_count" --number "$1"
}

measure_ui() {
  local line median least greatest name
  if [ ! -r "/proc/$$/task/$$/schedstat" ] || ! command -v script >/dev/null; then
    unmeasured ui-searched 'needs Linux, and script of util-linux'
    for name in typed tree; do
      unmeasured "ui-$name" 'needs Linux, and script of util-linux'
      unmeasured "ui-$name-p99" 'needs Linux, and script of util-linux'
    done
    return
  fi
  say "Measuring screens of $join_rows rows: $ui_rounds rounds of $ui_count changes"
  mkdir -m 700 "$work/screens"
  start screens "$bin/HostBench" serve --dir "$work/screens" --rows "$join_rows"
  for ((i = 0; i < ui_rounds; i++)); do
    start blind "$bin/HostBench" follow --dir "$work/screens" --clients 1 --scope todos \
      --first "$i"
    line=$(write_beside "$((4 * i))")
    stop_last
    field p99_us "$line" >>"$work/ui-blind"
    printf '\n' >>"$work/ui-blind"
    screen "$((4 * i + 1))" typed Todo $':Go to Todos\r' ui
    screen "$((4 * i + 2))" tree items '' watch todos
    screen "$((4 * i + 3))" searched Todo $':Go to Todos\r/to do\r' ui
  done
  read -r median least greatest < <(awk '{ print $2 }' "$work/ui-searched" | spread)
  figure ui-searched "$median" "$least" "$greatest" '% of a core'
  for name in typed tree; do
    read -r median least greatest < <(awk '{ print $2 }' "$work/ui-$name" | spread)
    figure "ui-$name" "$median" "$least" "$greatest" '% of a core'
    read -r median least greatest < <(paste -d ' ' "$work/ui-$name" "$work/ui-blind" |
      awk '{ print $1 / $3 }' | spread)
    figure "ui-$name-p99" "$median" "$least" "$greatest" "$(printf '%.0f us, without %.0f' \
      "$(column "$work/ui-$name" 1)" "$(column "$work/ui-blind" 1)")"
  done
  stop_all
}
