#!/usr/bin/env bash
# Runs COMMAND as if on a machine of its own, on which it may be a node of Kubernetes: with namespaces
# for processes, mounts and the network. Whatever it starts, mounts, links or filters goes with them,
# even if it is killed; what the kernel keeps outside of them (control groups, a few settings) is
# removed and put back afterwards, or by the next run.
#
# Usage: as-machine.sh COMMAND...
#        as-machine.sh --check      only says whether this machine will do
#        as-machine.sh --worker NAME NUMBER
#                                   run by COMMAND: makes another machine on its bridge, until it is killed
#
# COMMAND finds a bridge cni0 with the address 10.245.0.1, empty directories for the kubelet and for
# containerd in /var/lib, and what hack/node-tools.sh has made on the PATH. Linux and root only.
#
# A worker has namespaces, directories and control groups of its own, and the address 10.245.0.1NUMBER on
# the bridge, which routes 10.244.NUMBER.0/24, its pods, to it. The other end of its network link is
# called NAME. /run/machine/NAME.pid has the id of its first process once it can be entered.
set -euo pipefail

readonly group=sei-operator-node
readonly network=10.245.0
readonly address=$network.1/24
readonly pods=10.244
# The kubelet sets these, and they belong to no namespace.
readonly settings=(vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops
  kernel/keys/root_maxkeys kernel/keys/root_maxbytes)

die() {
  echo "as-machine: error: $*" >&2
  exit 1
}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$root/target/machine
tools=$root/target/node-tools

# One directory for each hierarchy of control groups, of which version 1 has many.
groups() {
  if [ -f /sys/fs/cgroup/cgroup.controllers ]; then
    echo "/sys/fs/cgroup/$group"
  else
    local hierarchy
    for hierarchy in /sys/fs/cgroup/*/; do
      [ -L "${hierarchy%/}" ] || [ ! -f "$hierarchy/cgroup.procs" ] || echo "$hierarchy$group"
    done
  fi
}

make_group() { # DIRECTORY
  mkdir -p "$1"
  # Without processors and memory of its own nothing can be started in it.
  if [ -f "$1/cpuset.cpus" ]; then
    cat "$1/../cpuset.cpus" >"$1/cpuset.cpus"
    cat "$1/../cpuset.mems" >"$1/cpuset.mems"
  fi
}

check() {
  local tool
  [ "$(uname -s)" = Linux ] || die "a node of Kubernetes needs Linux, and this is $(uname -s)"
  [ "$(id -u)" -eq 0 ] || die "a node of Kubernetes needs root: run 'sudo make test-node'"
  for tool in unshare setpriv nsenter mount ip flock find; do
    type -P "$tool" >/dev/null || die "no $tool here. Install the packages util-linux, iproute2 and findutils."
  done
  grep -qw overlay /proc/filesystems || modprobe overlay 2>/dev/null \
    || die "this kernel has no overlay file system, which containers need"
  [ -f /sys/fs/cgroup/cgroup.controllers ] || [ -d /sys/fs/cgroup/memory ] \
    || die "this machine has no memory control group, which the kubelet needs"
  unshare --net --mount --pid --fork --kill-child --mount-proc sh -c \
    'ip link add name b type bridge && ip link add v0 type veth peer name v1 && mount -t tmpfs none /run' 2>/dev/null \
    || die "this kernel, or the container this runs in, allows no namespaces with bridges and mounts." \
      "Run it on a machine, or in a privileged container."
}

save_settings() {
  local name
  for name in "${settings[@]}"; do
    echo "$name $(cat "/proc/sys/$name")"
  done >"$work/settings.new"
  mv "$work/settings.new" "$work/settings"
}

# What is left of this run, or of one that was killed.
clean() {
  local name value directory
  if [ -f "$work/settings" ]; then
    while read -r name value; do
      [ "$(cat "/proc/sys/$name")" = "$value" ] || echo "$value" >"/proc/sys/$name"
    done <"$work/settings"
  fi
  for directory in $(groups); do
    # The kernel has killed what was in them, but may not have come to the end of it.
    for _ in $(seq 300); do
      [ -d "$directory" ] || break
      find "$directory" -depth -type d -exec rmdir {} \; 2>/dev/null && break
      sleep 0.1
    done
  done
  rm -rf --one-file-system "$work"
}

# What should have gone with the machine, and has not.
leftovers() {
  local directory process program
  for directory in $(groups); do
    [ ! -d "$directory" ] || echo "control group $directory"
  done
  grep -oF " $work/" /proc/self/mountinfo | sed 's/^/mount under/' | sort -u
  for process in /proc/[0-9]*; do
    program=$(readlink "$process/exe") || continue
    case $program in
      "$(readlink -f "$tools/debian")"/*) echo "process ${process#/proc/}, $program" ;;
    esac
  done
}

finish() {
  local left
  clean
  left=$(leftovers)
  [ -z "$left" ] || die "left behind: $left"
}

outside() {
  check
  # For the whole machine, since its control groups are; and no file is left of it.
  exec 9</sys/fs/cgroup
  flock -n 9 || die "another run is under way on this machine"
  clean
  mkdir -p "$work"
  save_settings
  trap finish EXIT
  local directory machine status=0
  for directory in $(groups); do
    make_group "$directory"
  done
  # Everything ends with the first process there, that one with unshare, and unshare with this shell.
  AS_MACHINE=inside setpriv --pdeathsig KILL \
    unshare --net --mount --pid --fork --kill-child --mount-proc "${BASH_SOURCE[0]}" "$@" 9>&- &
  machine=$!
  trap 'kill -KILL "$machine"; exit 130' INT TERM HUP
  wait "$machine" || status=$?
  exit $status
}

# A directory of the machine's own in place of what is there, which stays as it is.
cover() { # DIRECTORY
  mkdir -p "$work/over$1" "$work/over$1.work"
  mount -t overlay overlay -o "lowerdir=$1,upperdir=$work/over$1,workdir=$work/over$1.work" "$1"
}

own() { # DIRECTORY...
  local directory
  for directory in "$@"; do
    mkdir -p "$work$directory" "$directory"
    mount --bind "$work$directory" "$directory"
  done
}

choose_iptables() {
  local kind name
  mkdir -p /run/machine
  for kind in nft legacy; do
    for name in {,ip6}tables{,-save,-restore}; do
      ln -sfn "$tools/debian/usr/sbin/xtables-$kind-multi" "/run/machine/${name/#tables/iptables}"
    done
    ! /run/machine/iptables -t nat -n -L >/dev/null 2>&1 || return 0
  done
  die "this kernel has no iptables, neither as nf_tables nor as legacy tables"
}

inside() {
  # Mounts are to reach containers, and nothing outside.
  mount --make-rshared /
  cover /var/lib
  cover /var/log
  cover /opt
  own /var/lib/kubelet /var/lib/containerd /var/lib/cni /var/lib/volumes /opt/sei-operator
  mount -t tmpfs tmpfs /run
  ip link set lo up
  ip link add name cni0 type bridge
  ip address add "$address" dev cni0
  ip link set cni0 up
  ip route add default dev cni0
  echo 1 >/proc/sys/net/ipv4/ip_forward
  local libraries
  libraries=$(echo "$tools/debian/usr/lib"/*-linux-gnu*)
  export LD_LIBRARY_PATH=$libraries XTABLES_LIBDIR=$libraries/xtables
  export PATH=/run/machine:$tools/bin:$tools/debian/usr/bin:$tools/debian/usr/sbin:$PATH
  choose_iptables
  local status=0
  # Not in place of this shell, which as the first process takes the ends of orphans.
  "$@" &
  wait $! || status=$?
  exit $status
}

# The link of a worker goes with its network, so that one that was killed can be made again.
worker() { # NAME NUMBER
  local directory unshare first=
  for directory in $(groups); do
    make_group "$directory/$1"
  done
  AS_MACHINE=worker setpriv --pdeathsig KILL \
    unshare --net --mount --pid --uts --fork --kill-child --mount-proc "${BASH_SOURCE[0]}" "$@" &
  unshare=$!
  until [ -n "$first" ]; do
    read -r first <"/proc/$unshare/task/$unshare/children" || sleep 0.1
  done
  ip link add "$1" type veth peer name eth0 netns "$first"
  ip link set "$1" master cni0 up
  ip route replace "$pods.$2.0/24" via "$network.1$2"
  until [ -e "/proc/$first/root/run/machine/$1" ]; do
    [ -d "/proc/$first" ] || die "worker $1 ended while it was made"
    sleep 0.1
  done
  echo "$first" >"/run/machine/$1.pid"
  wait "$unshare"
}

in_worker() { # NAME NUMBER
  hostname "$1"
  mount --make-rshared /
  work=$work/$1
  own /var/lib/kubelet /var/lib/containerd /var/lib/cni /var/log/pods /var/log/containers
  mount -t tmpfs tmpfs /run
  until ip link set eth0 up 2>/dev/null; do
    sleep 0.1
  done
  ip link set lo up
  ip address add "$network.1$2/24" dev eth0
  ip route add default via "${address%/*}"
  echo 1 >/proc/sys/net/ipv4/ip_forward
  choose_iptables
  touch "/run/machine/$1"
  # As the first process, this shell takes the ends of orphans.
  sleep infinity &
  wait $!
}

[ $# -ge 1 ] || die "usage: as-machine.sh COMMAND..."
case ${AS_MACHINE:-} in
  inside)
    unset AS_MACHINE
    inside "$@"
    ;;
  worker)
    unset AS_MACHINE
    in_worker "$@"
    ;;
  *)
    case $1 in
      --check) check ;;
      --worker)
        shift
        worker "$@"
        ;;
      *) outside "$@" ;;
    esac
    ;;
esac
