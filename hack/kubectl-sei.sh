#!/usr/bin/env bash
# Checks and builds the kubectl plugin, src/kubectl-sei.
#
# Usage: kubectl-sei.sh lint        its format, vet, and a build for every system
#        kubectl-sei.sh test        its unit tests
#        kubectl-sei.sh dist DIR    an archive for each platform in DIR
set -euo pipefail

die() {
  echo "kubectl-sei: error: $*" >&2
  exit 1
}

readonly platforms=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
go=$("$root/hack/go.sh")

go() {
  # Other flags than those of go-build.sh would have every library compiled a second time.
  (cd "$root/src/kubectl-sei" \
    && env -u GOROOT GOFLAGS=-gcflags=all=-dwarf=false GOTOOLCHAIN=local GOWORK=off CGO_ENABLED=0 "$go" "$@")
}

build() { # PLATFORM FILE
  GOOS=${1%/*} GOARCH=${1#*/} go build -trimpath -buildvcs=false -ldflags "-s -w" -o "$2" .
}

lint() {
  local unformatted
  unformatted=$("$(dirname "$go")/gofmt" -l "$root/src/kubectl-sei")
  [ -z "$unformatted" ] || die "not as gofmt writes it: $unformatted"
  go vet -trimpath ./...
  for platform in linux/amd64 darwin/arm64 windows/amd64; do build "$platform" /dev/null; done
}

dist() { # DIR
  mkdir -p "$1"
  local target work program
  target=$(cd "$1" && pwd)
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # the name as it is now
  trap "rm -rf '$work'" EXIT
  cp "$root/LICENSE" "$root/docs/third-party.md" "$work/"
  for platform in "${platforms[@]}"; do
    program=kubectl-sei
    [ "${platform%/*}" != windows ] || program=kubectl-sei.exe
    build "$platform" "$work/$program"
    tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$program" LICENSE third-party.md \
      | gzip -n >"$target/kubectl-sei-${platform/\//-}.tar.gz"
    rm "$work/$program"
  done
}

case ${1:-} in
  lint) lint ;;
  test) go test -trimpath ./... ;;
  dist)
    [ $# -eq 2 ] || die "usage: kubectl-sei.sh dist DIR"
    dist "$2"
    ;;
  *) die "usage: kubectl-sei.sh lint | test | dist DIR" ;;
esac
