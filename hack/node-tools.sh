#!/usr/bin/env bash
# Makes DIR hold what a machine of Kubernetes is made of, for the tests that run on one: the programs of
# src/test/go/node and src/test/go/chain, and Prometheus, in DIR/bin, and unpacked Debian packages in
# DIR/debian (as links).
#
# Usage: node-tools.sh DIR
#
# All of it is kept in the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator. Nothing is installed.
# Prints what it does on stderr and nothing on stdout.
set -euo pipefail
exec >&2

readonly packages=(containerd runc libseccomp2 containernetworking-plugins
  iptables libxtables12 libip4tc2 libip6tc2 libnftnl11 libmnl0 libnetfilter-conntrack3 libnfnetlink0
  bash-static busybox-static)

say() { echo "node-tools: $*"; }
die() {
  say "error: $*"
  exit 1
}

[ $# -eq 1 ] || die "usage: node-tools.sh DIR"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/node
mkdir -p "$1/bin"
target=$(cd "$1" && pwd)

key() { sha256sum | cut -c1-12; }

program() { "$here/go-tool.sh" "$target/bin" "$@"; } # MODULE PACKAGE...

debian() {
  local place
  place=$cache/debian-$(echo "${packages[@]}" | key)-$(uname -m)
  if [ ! -d "$place" ]; then
    say "getting ${packages[*]} out of Debian packages (once, a minute)"
    mkdir -p "$cache"
    rm -rf "$cache"/debian-*
    "$here/unpack-debian.sh" "$cache/debian-new.$$" "${packages[@]}" \
      || die "cannot get what runs containers. Is a Debian package mirror reached (apt-get update)?"
    mv "$cache/debian-new.$$" "$place"
  fi
  ln -sfn "$place" "$target/debian"
}

debian
"$here/debian-tool.sh" prometheus prometheus "$target/bin"
program test/go/node/images sei.io/operator/test/images sei.io/operator/test/images/pause
program test/go/node/coredns sei.io/operator/test/coredns
program test/go/node/helm helm.sh/helm/v3/cmd/helm
program test/go/node/kube-rbac-proxy github.com/brancz/kube-rbac-proxy/cmd/kube-rbac-proxy
program test/go/node/csi sei.io/operator/test/csi \
  github.com/kubernetes-csi/external-attacher/v4/cmd/csi-attacher \
  github.com/kubernetes-csi/external-provisioner/v6/cmd/csi-provisioner \
  github.com/kubernetes-csi/external-resizer/v2/cmd/csi-resizer \
  github.com/kubernetes-csi/external-snapshotter/v8/cmd/csi-snapshotter \
  github.com/kubernetes-csi/external-snapshotter/v8/cmd/snapshot-controller
program test/go/chain sei.io/operator/test/chain
say "using what is in $cache"
