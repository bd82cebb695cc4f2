# Sourced by Benchmarks/run: the cost of keys and encryption over tcp, compared with ipc.
# shellcheck shell=bash disable=SC2154

# Prints a port P such that no program listens at P or at P + 1.
free_port() {
  local port
  for _ in {1..100}; do
    port=$((20000 + RANDOM % 12000))
    if ! (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null &&
      ! (: >"/dev/tcp/127.0.0.1/$((port + 1))") 2>/dev/null; then
      printf '%s' "$port"
      return
    fi
  done
  fail 'no two ports are free'
}

measure_curve() {
  local address line
  say "Measuring ipc and tcp with keys: $pairs rounds of $wire_count messages"
  mkdir -m 700 "$work/wire"
  address=tcp://127.0.0.1:$(free_port)
  line=$(host wire --dir "$work/wire" --listen "$address" --count "$wire_count" --rounds "$pairs")
  figure_of curve-latency latency_ratio "$line" "$(printf '%.1f us, ipc %.1f' \
    "$(field curve_us "$line")" "$(field ipc_us "$line")")"
  figure_of curve-throughput throughput_ratio "$line" "$(printf '%.0f /s, ipc %.0f' \
    "$(field curve_per_s "$line")" "$(field ipc_per_s "$line")")"
  if [ ! -r "/proc/$$/task/$$/schedstat" ]; then
    unmeasured curve-cpu 'the CPU time of another process can be read on Linux only'
    return
  fi
  say "Measuring $fleet_clients clients with keys: $fleet_rounds rounds of $fleet_count actions"
  start_daemon ipc-many
  start_daemon curve-many --listen "$address"
  line=$(ours curve-many invite bench --grant 'counter:see,send')
  XDG_CONFIG_HOME=$work/config "$programs/storectl" enrol "$line" >/dev/null || fail 'storectl enrol failed'
  line=$(host encrypted --ipc "$work/ipc-many" --ipc-pid "$(<"$work/ipc-many.pid")" \
    --curve "$work/curve-many" --curve-pid "$(<"$work/curve-many.pid")" --address "$address" \
    --key "$work/config/storeactor/keys/${address#tcp://}" --clients "$fleet_clients" \
    --actions "$fleet_count" --rounds "$fleet_rounds")
  figure_of curve-cpu curve_us "$line" "$(printf 'ipc %.2f us' "$(field ipc_us "$line")")"
  stop_all
}
