#!/usr/bin/env bash
# Nodes for the suites on one machine: network namespaces with sshd, and /opt/plumbline with what they
# run. Needs root, iproute2, iptables, openssh-server, sudo, start-stop-daemon and a JDK.
#
#   nodes.sh up N [PREFIX]    N nodes at PREFIX.11 and up (PREFIX: 198.51.100); prints their addresses
#   nodes.sh down             takes away what up made, and nothing else
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
state=/run/plumbline-suites
home=/opt/plumbline
die() { printf 'nodes.sh: %s\n' "$1" >&2; exit "${2:-3}"; }
[ "$(id -u)" = 0 ] || die "needs root"

up() {
  local count=$1 prefix=${2:-198.51.100} class_path entry name address used
  [[ $count =~ ^[1-9]$ ]] || die "give a number of nodes from 1 to 9" 2
  [[ $prefix =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || die "no prefix of three numbers: $prefix" 2
  [ ! -e "$state" ] || die "nodes are up already; nodes.sh down"
  [ ! -e "$home" ] || die "$home is there already; put it aside"
  used=$(ip -4 route show table all; ip -4 addr; ip -4 neigh)
  if [[ $used = *"$prefix."* ]]; then die "this machine uses $prefix.0; name another prefix"; fi
  for name in ip iptables sudo start-stop-daemon java; do
    command -v "$name" >/dev/null || die "no $name"
  done
  [ -x /usr/sbin/sshd ] || die "no sshd (Debian: apt-get install openssh-server)"
  [ -f "$here/../conformance/target/classpath.txt" ] || die "build first: ./plumb --help"
  mkdir "$state"
  echo "$count" >"$state/count"
  mkdir -p "$home/lib/classes" "$home/bugs" "$state/keys" /run/sshd
  class_path=$(cat "$here/../conformance/target/classpath.txt")
  IFS=: read -ra entries <<<"$class_path"
  for entry in "${entries[@]}"; do
    if [ -d "$entry" ]; then cp -r "$entry/." "$home/lib/classes/"; else cp "$entry" "$home/lib/"; fi
  done
  cp -r "$here/../impl/bugs/target/classes/." "$home/bugs/"
  ssh-keygen -q -t ed25519 -N '' -f "$state/keys/id"
  ssh-keygen -q -t ed25519 -N '' -f "$state/keys/host"
  ip link add plumbsuites type bridge
  ip addr add "$prefix.1/24" dev plumbsuites
  ip link set plumbsuites up
  for ((i = 1; i <= count; i++)); do
    name=plumbsuite$i
    address=$prefix.$((10 + i))
    ip netns add "$name"
    ip link add "plumbs$i" type veth peer name eth0 netns "$name"
    ip link set "plumbs$i" master plumbsuites up
    ip -n "$name" link set lo up
    ip -n "$name" addr add "$address/24" dev eth0
    ip -n "$name" link set eth0 up
    ip netns exec "$name" /usr/sbin/sshd -f /dev/null -h "$state/keys/host" -o "PidFile=$state/sshd$i.pid" \
      -o "AuthorizedKeysFile=$state/keys/id.pub" -o "Subsystem=sftp internal-sftp" -o StrictModes=no -o PermitRootLogin=prohibit-password -o UsePAM=no
    echo "$address"
  done
  echo "nodes.sh: log in as root with $state/keys/id" >&2
}

down() {
  [ -e "$state" ] || die "no nodes are up" 2
  local count i
  count=$(cat "$state/count")
  for ((i = 1; i <= count; i++)); do
    ip netns pids "plumbsuite$i" 2>/dev/null | xargs -r kill -9
    ip netns del "plumbsuite$i" 2>/dev/null || true
  done
  ip link del plumbsuites 2>/dev/null || true
  rm -rf "$state" "$home"
}

case ${1:-} in
  up) [ $# -ge 2 ] || die "nodes.sh up N [PREFIX]" 2; up "${@:2}" ;;
  down) down ;;
  *) die "nodes.sh up N [PREFIX] | down" 2 ;;
esac
