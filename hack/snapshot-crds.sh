#!/usr/bin/env bash
# Makes DIR a link to the CRDs of VolumeSnapshots, which a cluster has beside its storage drivers.
#
# Usage: snapshot-crds.sh DIR
#
# They are those of the version in src/test/go/snapshots, from the Go module registry, and are kept in
# the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/snapshot-crds.
# Prints what it does on stderr and nothing on stdout.
set -euo pipefail
exec >&2

readonly module=github.com/kubernetes-csi/external-snapshotter/client/v8

die() {
  echo "snapshot-crds: error: $*"
  exit 1
}

[ $# -eq 1 ] || die "usage: snapshot-crds.sh DIR"
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
sources=$here/../src/test/go/snapshots
version=$(sed -nE "s#^(require)?[[:space:]]*$module (v[^ ]+)\$#\2#p" "$sources/go.mod")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/snapshot-crds
place=$cache/$version

fetch() { # DIR
  local go directory
  go=$("$here/go.sh") || return 1
  directory=$(cd "$sources" && env -u GOROOT -u GOFLAGS GOTOOLCHAIN=local GOWORK=off \
    "$go" mod download -json "$module" | sed -nE 's/^[[:space:]]*"Dir": "(.*)",$/\1/p')
  [ -n "$directory" ] || return 1
  mkdir -p "$1"
  cp "$directory"/config/crd/snapshot.storage.k8s.io_*.yaml "$1"
}

if [ ! -d "$place" ]; then
  echo "snapshot-crds: getting the CRDs of VolumeSnapshots $version from the Go module registry"
  mkdir -p "$cache"
  work=$(mktemp -d "$cache/.new.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  fetch "$work/crds" || die "cannot get $module $version. Is the module registry reached (go env GOPROXY)?"
  # Another run may have been first.
  [ -d "$place" ] || mv -T "$work/crds" "$place"
fi
ln -sfn "$place" "$1"
