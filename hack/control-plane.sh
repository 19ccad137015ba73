#!/usr/bin/env bash
# Makes DIR hold the executables of a real Kubernetes control plane: etcd, kube-apiserver,
# kube-controller-manager and kubectl (as links).
#
# Usage: control-plane.sh DIR
#
# They come from the first of these that has them all:
#   1. the directory KUBEBUILDER_ASSETS, if set (kubectl may also come from PATH)
#   2. the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/control-plane/VERSION-OS-ARCH
#   3. the pinned upstream releases, checked against the publisher's SHA-256 sums
#      (mirrors: SEI_KUBERNETES_RELEASES, SEI_ETCD_RELEASES)
#   4. on Debian 12, a build of Kubernetes 1.20.2 from Debian's packages
# What 3 and 4 make is kept in the cache. Concurrent runs wait for each other. Prints one line per
# step on stderr and nothing on stdout.
set -euo pipefail
exec >&2

readonly kubernetes_version=v1.34.1
readonly etcd_version=v3.6.4
readonly debian_version=v1.20.2
readonly servers=(etcd kube-apiserver kube-controller-manager)
readonly binaries=("${servers[@]}" kubectl)
kubernetes_releases=${SEI_KUBERNETES_RELEASES:-https://dl.k8s.io/release}
etcd_releases=${SEI_ETCD_RELEASES:-https://github.com/etcd-io/etcd/releases/download}

say() { echo "control-plane: $*"; }
die() {
  say "error: $*"
  exit 1
}

[ $# -eq 1 ] || die "usage: control-plane.sh DIR"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
target=$(cd "$1" && pwd)

os=$(uname -s | tr '[:upper:]' '[:lower:]')
arch=$(uname -m)
case $arch in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
esac
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/control-plane
upstream_cache=$cache_root/$kubernetes_version-$os-$arch
debian_cache=$cache_root/$debian_version-$os-$arch

# Renamed into place, so that a concurrent reader of DIR never finds a name missing.
link() { # FILE NAME
  [ "$1" != "$target/$2" ] || return 0
  ln -s "$1" "$target/.$2.$$"
  mv -f "$target/.$2.$$" "$target/$2"
}

complete() { # DIR
  local name
  for name in "${binaries[@]}"; do
    [ -f "$1/$name" ] && [ -x "$1/$name" ] || return 1
  done
}

use() { # DIR
  say "using the binaries in $1"
  local name
  for name in "${binaries[@]}"; do link "$1/$name" "$name"; done
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

use_cache() {
  local dir
  for dir in "$upstream_cache" "$debian_cache"; do
    if complete "$dir"; then
      use "$dir"
      return 0
    fi
  done
  return 1
}

fetch() { # URL FILE [CURL_OPTION...]
  local url=$1 file=$2
  shift 2
  curl -fsSL --connect-timeout 3 "$@" -o "$file" "$url" 2>/dev/null
}

# A checksum is the cheapest thing that tells whether a mirror can be reached and has the release.
# Both are asked at once and get four seconds, because a blocked network often never answers.
mirrors_have_release() { # WORK_DIR
  local kubernetes etcd ok=0
  fetch "$kubernetes_releases/$kubernetes_version/bin/$os/$arch/kube-apiserver.sha256" \
    "$1/kube-apiserver.sha256" --max-time 4 &
  kubernetes=$!
  fetch "$etcd_releases/$etcd_version/SHA256SUMS" "$1/SHA256SUMS" --max-time 4 &
  etcd=$!
  wait "$kubernetes" || { say "no $kubernetes_version to be had from $kubernetes_releases" && ok=1; }
  wait "$etcd" || { say "no etcd $etcd_version to be had from $etcd_releases" && ok=1; }
  return $ok
}

verify() { # FILE EXPECTED_SHA256 URL
  local actual
  [[ $2 =~ ^[0-9a-fA-F]{64}$ ]] || {
    say "the publisher's checksum of $3 is not a SHA-256 sum"
    return 1
  }
  actual=$(sha256sum "$1" | cut -d' ' -f1)
  [ "$actual" = "${2,,}" ] || die "checksum mismatch: $3 has SHA-256 $actual," \
    "its publisher says $2. The file was not used."
}

download() { # URL FILE
  say "downloading $1"
  fetch "$1" "$2" --speed-limit 10240 --speed-time 15 || {
    say "cannot download $1"
    return 1
  }
}

download_kubernetes() { # WORK_DIR NAME
  local url=$kubernetes_releases/$kubernetes_version/bin/$os/$arch/$2
  fetch "$url.sha256" "$1/$2.sha256" --max-time 30 || {
    say "no checksum at $url.sha256"
    return 1
  }
  download "$url" "$1/$2" && verify "$1/$2" "$(tr -d '[:space:]' <"$1/$2.sha256")" "$url"
}

download_etcd() { # WORK_DIR
  local name=etcd-$etcd_version-$os-$arch
  local url=$etcd_releases/$etcd_version/$name.tar.gz
  download "$url" "$1/etcd.tar.gz" || return 1
  verify "$1/etcd.tar.gz" \
    "$(awk -v file="$name.tar.gz" '$2 == file || $2 == "*" file { print $1 }' "$1/SHA256SUMS")" "$url" \
    || return 1
  tar -xzf "$1/etcd.tar.gz" -C "$1" --strip-components=1 "$name/etcd"
}

make_from_upstream() {
  [ "$os" = linux ] || {
    say "Kubernetes publishes no kube-apiserver for $os"
    return 1
  }
  type -P curl >/dev/null || {
    say "curl is not installed: skipping the upstream releases"
    return 1
  }
  local work=$cache_root/.download name
  mkdir -p "$work"
  mirrors_have_release "$work" || return 1
  download_etcd "$work" || return 1
  for name in kube-apiserver kube-controller-manager kubectl; do
    download_kubernetes "$work" "$name" || return 1
  done
  mkdir -p "$upstream_cache"
  for name in "${binaries[@]}"; do
    chmod 755 "$work/$name" && mv -f "$work/$name" "$upstream_cache/$name" || return 1
  done
}

make_from_debian() {
  say "trying to build Kubernetes $debian_version from Debian's packages"
  "$here/control-plane-from-debian.sh" "$debian_cache"
}

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  use_assets
  exit 0
fi
! use_cache || exit 0

mkdir -p "$cache_root"
exec 9>"$cache_root/.lock"
flock -n 9 || {
  say "waiting for another run to fill the cache"
  flock 9
  ! use_cache || exit 0
}
# Whoever holds the lock is alone, so these are what killed runs left.
rm -rf "$cache_root"/.download "$cache_root"/*.build.*
trap 'rm -rf "$cache_root/.download"' EXIT

if make_from_upstream; then
  use "$upstream_cache"
elif make_from_debian; then
  use "$debian_cache"
else
  die "no control plane for $os-$arch: it could be neither downloaded nor built, for the reasons" \
    "above. Set KUBEBUILDER_ASSETS to a directory with ${servers[*]} and kubectl."
fi
