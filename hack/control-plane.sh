#!/usr/bin/env bash
# Makes DIR hold the executables of a Kubernetes control plane: etcd, kube-apiserver,
# kube-controller-manager and kubectl (as links), and those of the COMPONENTs, such as kubelet.
#
# Usage: control-plane.sh DIR [MINOR [COMPONENT...]]      MINOR is a version of Kubernetes, 1.37 unless given
#
# They come from the first of these:
#   1. the directory KUBEBUILDER_ASSETS, if set (kubectl may also come from PATH)
#   2. the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/control-plane/VERSIONS-OS-ARCH
#   3. a build from the Go module registry, of the versions in src/test/go/control-plane, which is kept in
#      the cache
# Prints what it does on stderr and nothing on stdout.
set -euo pipefail
exec >&2

say() { echo "control-plane: $*"; }
die() {
  say "error: $*"
  exit 1
}

[ $# -ge 1 ] || die "usage: control-plane.sh DIR [MINOR [COMPONENT...]]"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$here/../src/test/go/control-plane
kubernetes=kubernetes-${2:-1.37}
[ -d "$sources/$kubernetes" ] || die "no such version: ${2:-}. There are" "$(cd "$sources" && echo kubernetes-*)"
mkdir -p "$1"
target=$(cd "$1" && pwd)
components=(kube-apiserver kube-controller-manager "${@:3}")

required() { # FOLDER MODULE
  sed -nE "s#^(require)?[[:space:]]*$2 (v[^ ]+)\$#\2#p" "$sources/$1/go.mod"
}
kubernetes_version=$(required "$kubernetes" k8s.io/kubernetes)
etcd_version=$(required etcd go.etcd.io/etcd/server/v3)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/control-plane
cache+=/$kubernetes_version-etcd-$etcd_version-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)

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
  for name in etcd "${components[@]}"; do
    [ -x "$assets/$name" ] || die "KUBEBUILDER_ASSETS has no executable $name: $assets." \
      "Put $name of the same Kubernetes version there, or unset KUBEBUILDER_ASSETS."
  done
  kubectl=$assets/kubectl
  [ -x "$kubectl" ] || kubectl=$(type -P kubectl) \
    || die "KUBEBUILDER_ASSETS has no executable kubectl and neither has PATH: $assets." \
      "Put kubectl there, or unset KUBEBUILDER_ASSETS."
  say "using the binaries in KUBEBUILDER_ASSETS, $assets"
  for name in etcd "${components[@]}"; do link "$assets/$name" "$name"; done
  link "$kubectl" kubectl
}

is_whole() {
  local name
  for name in etcd kubectl "${components[@]}"; do
    [ -x "$cache/$name" ] || return 1
  done
}

fill_cache() {
  local minor=${kubernetes_version#v1.} version=k8s.io/component-base/version
  say "building Kubernetes $kubernetes_version and etcd $etcd_version from the Go module registry:" \
    "about 5 minutes on two cores, once per version"
  "$here/go-build.sh" "$cache" test/go/control-plane/etcd "" sei.io/operator/test/etcd
  "$here/go-build.sh" "$cache" "test/go/control-plane/$kubernetes" \
    "-X $version.gitVersion=$kubernetes_version -X $version.gitMajor=1 -X $version.gitMinor=${minor%%.*}" \
    k8s.io/kubernetes/cmd/kubectl "${components[@]/#/k8s.io/kubernetes/cmd/}"
}

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  use_assets
  exit 0
fi
# What is being built says itself that it was interrupted.
trap 'exit 1' INT TERM HUP
is_whole || fill_cache
say "using the binaries in $cache"
for name in etcd kubectl "${components[@]}"; do link "$cache/$name" "$name"; done
