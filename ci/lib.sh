# Shared by the entry points. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
out=${PLUMB_OUT:-.plumb/ci}
mkdir -p "$out"

# need COMMAND PACKAGE: installs a Debian package where a command is missing and that is possible.
need() {
  command -v "$1" >/dev/null && return 0
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo -n)
  { "${sudo[@]}" apt-get update -qq && "${sudo[@]}" apt-get install -y -qq "$2"; } >&2
}

tools() {
  need git git
  need java default-jdk-headless
  need mvn maven
}

# The independent history checker, where there is a Rust toolchain; without it the comparison is reported as not run.
adya() {
  command -v cargo >/dev/null && [ ! -x .plumb/adya/bin/adya ] || return 0
  cargo install adya --version 0.1.0 --locked --no-default-features --root .plumb/adya --quiet ||
    echo "ci: adya could not be installed; histories are judged without it" >&2
}

# The name of the outcome that an exit code stands for.
outcome() {
  case $1 in
    0) echo holds ;;
    1) echo violated ;;
    2 | 4) echo unknown ;;
    124 | 137) echo time-out ;;
    *) echo environment ;;
  esac
}

# summary TITLE CODE [FILE]: a verdict table in the step summary, where there is one.
summary() {
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] || return 0
  {
    printf '### %s: %s\n\n' "$1" "$(outcome "$2")"
    if [ -n "${3:-}" ] && [ -f "$3" ]; then cat "$3"; fi
  } >>"$GITHUB_STEP_SUMMARY"
}

# keep CODE: what a machine found, for an artifact: always small, with logs only on failure.
keep() {
  echo "$1" >"$out/exit"
  mkdir -p "$out/reports" "$out/cache"
  if [ -d .plumb/reports ]; then cp -r .plumb/reports/. "$out/reports/"; fi
  local cache=${PLUMB_CACHE:-.plumb/cache}
  if [ -d "$cache" ]; then cp -r "$cache/." "$out/cache/"; fi
  if [ "$1" != 0 ]; then
    mkdir -p "$out/logs"
    find .plumb -path "./$out" -prune -o -size -2000k \( -name '*.log' -o -name 'result.*' -o -name 'counterexample.json' -o -path '*/plans/*.json' \) \
      -print0 2>/dev/null | tar -czf "$out/logs/logs.tar.gz" --null -T - 2>/dev/null || true
  fi
}
