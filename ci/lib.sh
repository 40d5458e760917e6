# Shared by the entry points. Sourced, not run.
# shellcheck shell=bash
set -euo pipefail
# With it cd looks elsewhere, and prints.
unset CDPATH
from=$PWD
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
out=${PLUMB_OUT:-.plumb/ci}
code=0
child=

# lacks WHAT: the machine's fault, which says nothing of what was asked.
lacks() {
  echo "ci: $1" >&2
  exit 3
}

# here PATH: a path as the caller meant it, who may stand in another folder.
here() {
  case $1 in
    /*) echo "$1" ;;
    *) if [ "$from" = "$root" ]; then echo "$1"; else echo "$from/$1"; fi ;;
  esac
}

if [ -n "${PLUMB_OUT:-}" ]; then
  out=$(here "$PLUMB_OUT")
  export PLUMB_OUT=$out
fi
# What ./plumb is told in variables, too; a class path has several.
for told in PLUMB_CACHE PLUMB_TLA2TOOLS PLUMB_APALACHE; do
  if [ -n "${!told:-}" ]; then export "$told=$(here "${!told}")"; fi
done
if [ -n "${PLUMB_ELLE:-}" ]; then
  IFS=: read -ra told <<<"$PLUMB_ELLE"
  PLUMB_ELLE=
  for entry in "${told[@]}"; do PLUMB_ELLE+=${PLUMB_ELLE:+:}$(here "$entry"); done
  export PLUMB_ELLE
fi
{ mkdir -p "$out" && [ -w "$out" ]; } || lacks "cannot write $out: make it writable, or name another folder in PLUMB_OUT"
if [ "$out" -ef .plumb ]; then
  echo "ci: results cannot go to .plumb itself: name another folder in PLUMB_OUT" >&2
  exit 2
fi

# need COMMAND PACKAGE: installs a Debian package where a command is missing and that is possible.
need() {
  command -v "$1" >/dev/null && return 0
  local sudo=()
  [ "$(id -u)" = 0 ] || sudo=(sudo -n)
  { "${sudo[@]}" apt-get update -qq && "${sudo[@]}" apt-get install -y -qq "$2"; } >&2
}

tools() {
  need git git || lacks "no git, and it cannot be installed here: install git"
  need java default-jdk-headless || lacks "no Java, and it cannot be installed here: install a JDK, 17 or later"
  need mvn maven || lacks "no Maven, and it cannot be installed here: install Maven, 3.8 or later"
}

# The independent history checker, where there is a Rust toolchain; without it the comparison is reported as not run.
adya() {
  command -v cargo >/dev/null && [ ! -x .plumb/adya/bin/adya ] || return 0
  cargo install adya --version 0.1.0 --locked --no-default-features --root .plumb/adya --quiet ||
    echo "ci: adya could not be installed; histories are judged without it" >&2
}

# protocols NAME…: each has specifications here. An option is no protocol: one that only prints would be green.
protocols() {
  local name
  for name in "$@"; do
    if [[ ! $name =~ ^[A-Za-z0-9][A-Za-z0-9_-]*$ ]] || [ ! -f "specs/$name/checks.yaml" ]; then
      echo "ci: there is no protocol $name: no specs/$name/checks.yaml" >&2
      exit 2
    fi
  done
}

# The name of the outcome that an exit code stands for.
outcome() {
  case $1 in
    0) echo holds ;;
    1) echo violated ;;
    2 | 4) echo unknown ;;
    124) echo time-out ;;
    *) echo environment ;;
  esac
}

# worst CODE CODE: the weightier of two exit codes, as a merge weighs them; the first of two of the same outcome.
worst() {
  local of
  for of in violated environment unknown time-out; do
    if [ "$(outcome "$1")" = "$of" ]; then echo "$1" && return; fi
    if [ "$(outcome "$2")" = "$of" ]; then echo "$2" && return; fi
  done
  echo 0
}

# meant LOG: the exit code that a failure of Maven stands for. What tests or the compiler refuse is the code's; all else
# (no network, a full disk) is the machine's.
meant() {
  if grep -qE 'There are test failures|Tests run:.*(Failures|Errors): [1-9]' "$1"; then
    echo 1
  elif grep -qE 'COMPILATION ERROR|Compilation failure|format violations' "$1"; then
    echo 2
  else
    echo 3
  fi
}

# limit MINUTES: all that is bounded ends within them; 0: there is no limit.
limit() {
  if [[ ! $1 =~ ^[0-9]+([.][0-9]+)?$ ]]; then
    echo "ci: $1 is no number of minutes" >&2
    exit 2
  fi
  deadline=$(awk -v m="$1" -v s="$SECONDS" 'BEGIN { print (m > 0 ? int(s + m * 60 + 0.5) : 0) }')
}

# bounded COMMAND…: within what is left of the limit; 124 where that was over, also for what had to be killed then. In
# the background, so that a signal is heard at once.
bounded() {
  local ended=0 left=0
  if [ "${deadline:-0}" != 0 ]; then
    left=$((deadline - SECONDS))
    [ "$left" -gt 0 ] || return 124
  fi
  timeout --kill-after=30 "$left" "$@" &
  child=$!
  wait "$child" || ended=$?
  child=
  if [ "$ended" = 137 ] && [ "$left" != 0 ] && [ "$SECONDS" -ge "$deadline" ]; then ended=124; fi
  return "$ended"
}

# begin: nothing that an earlier run left is taken for this one's; and who is stopped leaves what was found until then.
begin() {
  rm -rf "${out:?}/exit" "$out/logs" .plumb/reports/parts
  trap 'stopped 130' INT
  trap 'stopped 143' TERM
}

# shellcheck disable=SC2317,SC2329
stopped() {
  # Who stops it may have closed what it writes to.
  trap '' INT TERM PIPE
  echo "ci: stopped" >&2 || true
  if [ -n "$child" ]; then
    kill -TERM "$child" 2>/dev/null || true
    local tries=0
    while kill -0 "$child" 2>/dev/null && [ "$tries" -lt 30 ]; do
      sleep 0.1
      tries=$((tries + 1))
    done
  fi
  keep "$(worst "$code" "$1")"
  exit "$1"
}

# summary TITLE CODE [FILE]: a verdict table in the step summary, where there is one, and where the results are.
summary() {
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] || return 0
  {
    printf '### %s: %s\n\n' "$1" "$(outcome "$2")"
    if [ -n "${3:-}" ] && [ -f "$3" ]; then cat "$3"; fi
    if [ -n "${GITHUB_RUN_ID:-}" ]; then
      printf '\n[Results](%s/%s/actions/runs/%s#artifacts)\n' "$GITHUB_SERVER_URL" "$GITHUB_REPOSITORY" "$GITHUB_RUN_ID"
    fi
  } >>"$GITHUB_STEP_SUMMARY"
}

# copied FOLDER FOLDER: what is in one, in the other too, unless they are one. Other machines may share the first: what they
# have not written to its end, or take away meanwhile (tar's 1), is left out.
copied() {
  if [ -d "$1" ] && [ ! "$1" -ef "$2" ]; then
    { tar -C "$1" --exclude='.part-*' -cf - . || [ $? = 1 ]; } | tar -C "$2" --no-same-owner -xf -
  fi
}

# keep CODE: what a machine found, for an artifact: always small, with logs only on failure. The exit code comes last:
# who waits for it finds the rest.
keep() {
  local cache=${PLUMB_CACHE:-.plumb/cache}
  if ! { mkdir -p "$out/reports" "$out/cache" && copied .plumb/reports "$out/reports" && copied "$cache" "$out/cache"; }; then
    lacks "cannot write $out: make it writable, or free some disk"
  fi
  if [ "$1" != 0 ]; then
    mkdir -p "$out/logs"
    find .plumb -path "${out#"$root/"}" -prune -o -size -2000k \( -name '*.log' -o -name 'result.*' -o -name 'counterexample.json' -o -path '*/plans/*.json' \) \
      -print0 2>/dev/null | tar -czf "$out/logs/logs.tar.gz" --null -T - 2>/dev/null || true
  fi
  echo "$1" >"$out/exit" || lacks "cannot write $out/exit: make it writable, or free some disk"
}

# verdicts FOLDER: how the parts in a machine's ledgers ended, as a table, a line for each stage. Shares that a gate
# demands are of all machines: the merge judges those.
verdicts() {
  echo "| stage | holds | violated | unknown | time-out | environment | not run |"
  echo "|---|---|---|---|---|---|---|"
  local file
  for file in "$1"/*.json; do
    [ -f "$file" ] || continue
    { grep -oE '"(stage|outcome)" *: *"[^"]*"' "$file" || true; } | sed -E 's/^"(stage|outcome)" *: *"(.*)"$/\1\t\2/' | awk -F'\t' '
      $1 == "stage" && stage == "" { stage = $2 }
      $1 == "outcome" { counts[$2]++ }
      END {
        if (stage == "") exit
        gsub(/\|/, "\\|", stage)
        n = split("holds,violated,unknown,time-out,environment,not run", outcomes, ",")
        line = "| " stage
        for (i = 1; i <= n; i++) line = line " | " (outcomes[i] in counts ? counts[outcomes[i]] : ".")
        print line " |"
      }'
  done
}
