# Shared by ./run and ./test; sourced, not run. Both run from the repository's root.
# shellcheck shell=bash

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

# One build at a time in this tree.
lock_build() {
  mkdir -p build
  exec 9>build/.lock
  if ! flock --nonblock 9; then
    say "another ./run or ./test is at work here; waiting for it"
    flock 9
  fi
}

# Follows a log while the shell that started it lives: ninja's counter, in place on a terminal, else once a minute.
watch_log() {
  local label=$1 log=$2 owner=$3 ticks=0 line
  while kill -0 "$owner" 2>/dev/null; do
    sleep 0.5
    ticks=$((ticks + 1))
    line=$(tail -c 400 "$log" 2>/dev/null | tr '\r' '\n' | grep -oE '^\[[0-9]+/[0-9]+\]' | tail -n 1 || true)
    if [ -t 1 ]; then
      printf '\r\033[K%s %s' "$label" "$line"
    elif [ $((ticks % 120)) -eq 0 ]; then
      say "$label ... $((ticks / 2)) s $line"
    fi
  done
}

# step LABEL LOG COMMAND...  Runs the command with its output in the log; one line when it succeeds, the log's end when not.
step() {
  local label=$1 log=$2 started=$SECONDS status=0 watcher
  shift 2
  mkdir -p "$(dirname "$log")"
  : >"$log"
  watch_log "$label" "$log" $$ 9>&- &
  watcher=$!
  "$@" >"$log" 2>&1 9>&- || status=$?
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  [ ! -t 1 ] || printf '\r\033[K'
  if [ "$status" -ne 0 ]; then
    # Of a parallel build, the first failure is what to read.
    if grep -q '^FAILED:' "$log"; then
      grep -n -m 1 -A 60 '^FAILED:' "$log" >&2
    else
      tail -n 60 "$log" >&2
    fi
    fail "$label: FAILED after $((SECONDS - started)) s; the whole log is in $log"
  fi
  say "$label: $((SECONDS - started)) s"
}

# configure_tree PRESET [CMAKE ARGUMENTS...]
configure_tree() {
  step "configure $1" "build/logs/$1-configure.log" cmake --preset "$@"
}

# build_tree PRESET [TARGETS...]
build_tree() {
  local preset=$1
  shift
  step "build $preset" "build/logs/$preset.log" cmake --build "build/$preset" -j "$(nproc)" ${1+--target "$@"}
}
