#!/usr/bin/env bash
# Makes DIR hold the executables of a Kubernetes control plane: etcd, kube-apiserver,
# kube-controller-manager and kubectl (as links).
#
# Usage: control-plane.sh DIR [MINOR]      MINOR is a version of Kubernetes, 1.37 unless given
#
# They come from the first of these:
#   1. the directory KUBEBUILDER_ASSETS, if set (kubectl may also come from PATH)
#   2. the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/control-plane/VERSIONS-OS-ARCH
#   3. a build from the Go module registry, of the versions in src/test/go/control-plane, which is kept in
#      the cache
# Concurrent runs wait for each other. Prints what it does on stderr and nothing on stdout.
set -euo pipefail
exec >&2

readonly servers=(etcd kube-apiserver kube-controller-manager)
readonly binaries=("${servers[@]}" kubectl)
# Sources, modules, what Go keeps of the build, and the result; 5.2 GB were seen.
readonly disk_gb=6

say() { echo "control-plane: $*"; }
die() {
  say "error: $*"
  exit 1
}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then die "usage: control-plane.sh DIR [MINOR]"; fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$here/../src/test/go/control-plane
kubernetes=kubernetes-${2:-1.37}
[ -d "$sources/$kubernetes" ] || die "no such version: ${2:-}. There are" "$(cd "$sources" && echo kubernetes-*)"
mkdir -p "$1"
target=$(cd "$1" && pwd)

required() { # FOLDER MODULE
  sed -nE "s#^(require)?[[:space:]]*$2 (v[^ ]+)\$#\2#p" "$sources/$1/go.mod"
}
kubernetes_version=$(required "$kubernetes" k8s.io/kubernetes)
etcd_version=$(required etcd go.etcd.io/etcd/server/v3)
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/control-plane
cache=$cache_root/$kubernetes_version-etcd-$etcd_version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)

# Renamed into place, so that a concurrent reader of DIR never finds a name missing.
link() { # FILE NAME
  [ "$1" != "$target/$2" ] || return 0
  ln -s "$1" "$target/.$2.$$"
  mv -f "$target/.$2.$$" "$target/$2"
}

use_assets() {
  local assets name kubectl
  assets=$(cd "$KUBEBUILDER_ASSETS" 2>/dev/null && pwd) \
    || die "KUBEBUILDER_ASSETS is no directory: $KUBEBUILDER_ASSETS. Correct it or unset it."
  for name in "${servers[@]}"; do
    [ -x "$assets/$name" ] || die "KUBEBUILDER_ASSETS has no executable $name: $assets." \
      "Put $name of the same Kubernetes version there, or unset KUBEBUILDER_ASSETS."
  done
  kubectl=$assets/kubectl
  [ -x "$kubectl" ] || kubectl=$(type -P kubectl) \
    || die "KUBEBUILDER_ASSETS has no executable kubectl and neither has PATH: $assets." \
      "Put kubectl there, or unset KUBEBUILDER_ASSETS."
  say "using the binaries in KUBEBUILDER_ASSETS, $assets"
  for name in "${servers[@]}"; do link "$assets/$name" "$name"; done
  link "$kubectl" kubectl
}

# A binary gets into the cache by a rename, so one that is there is whole.
missing() {
  local name
  for name in "${binaries[@]}"; do
    [ -x "$cache/$name" ] || echo "$name"
  done
}

use_cache() {
  [ -z "$(missing)" ] || return 1
  say "using the binaries in $cache"
  local name
  for name in "${binaries[@]}"; do link "$cache/$name" "$name"; done
}

# One line every five seconds, because a build is silent for minutes.
report() { # LOG PACKAGES START
  local compiled
  while sleep 5; do
    compiled=$(wc -l <"$1")
    say "  $(($(date +%s) - $3)) s: $compiled of $2 packages"
  done
}

go() { env -u GOROOT -u GOFLAGS GOTOOLCHAIN=local GOWORK=off CGO_ENABLED=0 "$go" "$@"; }

build() { # FOLDER LDFLAGS PACKAGE...
  local folder=$1 flags=$2 start packages reporter status=0
  shift 2
  start=$(date +%s)
  cd "$sources/$folder"
  say "getting the modules of $folder"
  packages=$(go list -deps "$@" 2>"$work/log" | wc -l) \
    || die "cannot get the modules of $folder: $(tail -n 1 "$work/log"). Is the module registry reached (go env GOPROXY)?"
  say "building ${*##*/} (at most $packages packages; those that Go has kept take no time)"
  : >"$work/log"
  report "$work/log" "$packages" "$start" &
  reporter=$!
  go build -v -trimpath -ldflags "-s -w $flags" -o "$work/out/" "$@" >>"$work/log" 2>&1 || status=$?
  kill "$reporter"
  wait "$reporter" 2>/dev/null || true
  [ $status -eq 0 ] || die "cannot build ${*##*/}: $(tail -n 3 "$work/log" | tr '\n' ' ')"
  mkdir -p "$cache"
  mv -f "$work"/out/* "$cache/"
  say "built ${*##*/} in $(($(date +%s) - start)) s"
}

fill_cache() {
  local minor=${kubernetes_version#v1.} packages=() name v=k8s.io/component-base/version
  go=$("$here/go.sh")
  for name in $(missing); do
    [ "$name" = etcd ] || packages+=("k8s.io/kubernetes/cmd/$name")
  done
  [ -x "$cache/etcd" ] || build etcd "" sei.io/operator/test/etcd
  [ ${#packages[@]} -eq 0 ] || build "$kubernetes" \
    "-X $v.gitVersion=$kubernetes_version -X $v.gitMajor=1 -X $v.gitMinor=${minor%%.*}" "${packages[@]}"
}

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  use_assets
  exit 0
fi
! use_cache || exit 0

mkdir -p "$cache_root" || die "cannot write to $cache_root. Set XDG_CACHE_HOME to a directory that can be written."
exec 9>"$cache_root/.lock"
flock -n 9 || {
  say "waiting for another run to fill the cache"
  flock 9
  ! use_cache || exit 0
}
free_gb=$(($(df -Pk "$cache_root" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
[ "$free_gb" -ge "$disk_gb" ] \
  || die "$free_gb GB are free in $cache_root, and a build needs $disk_gb. Make room, or set XDG_CACHE_HOME."
# Whoever holds the lock is alone, so these are what killed runs left.
rm -rf "$cache_root"/.build.*
work=$(mktemp -d "$cache_root/.build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'die "interrupted; what was built so far is kept, so the next run goes on from there"' INT TERM HUP

say "building Kubernetes $kubernetes_version and etcd $etcd_version from the Go module registry:" \
  "about 5 minutes on two cores, once per version"
fill_cache
use_cache
