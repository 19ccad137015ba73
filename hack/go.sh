#!/usr/bin/env bash
# Prints the path of a go command that can build what is in src/test/go and src/kubectl-sei: Go 1.26 or newer.
#
# Usage: go.sh
#
# It is the first of these:
#   1. go on the PATH, if it is new enough
#   2. the toolchain below, which an older go gets from the module registry; it stays in the module
#      cache, and nothing is installed. Where there is no go at all, that of Debian's packages does it
set -euo pipefail

readonly minimum=1.26 toolchain=go1.26.8
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/go

say() { echo "go: $*" >&2; }
die() {
  say "error: $*"
  exit 1
}

# Neither the user's settings nor a switch of toolchains that go makes by itself has a say here.
plain_go() { env -u GOROOT -u GOFLAGS GOTOOLCHAIN=local GOWORK=off "$@"; }

is_new_enough() { # GO
  local version
  version=$(plain_go "$1" env GOVERSION 2>/dev/null) || return 1
  [ "$(printf '%s\n' "go$minimum" "$version" | sort -V | sed -n 1p)" = "go$minimum" ]
}

debian_go() {
  local go=$cache/usr/lib/go/bin/go
  if [ ! -x "$go" ]; then
    say "no go on the PATH: getting one from Debian's packages (once, seconds)"
    mkdir -p "${cache%/*}"
    local work
    work=$(mktemp -d "$cache.XXXXXX")
    # shellcheck disable=SC2064 # the name as it is now
    trap "rm -rf '$work'" EXIT
    "$(dirname "${BASH_SOURCE[0]}")/unpack-debian.sh" "$work" \
      'golang-go>golang-[0-9.]+-go' 'golang-src>golang-[0-9.]+-src' golang-go \
      || die "no go to be had. Install Go $minimum or newer."
    rm -rf "$cache"
    mv "$work" "$cache"
  fi
  echo "$go"
}

go=$(type -P go) || go=
if [ -n "$go" ] && is_new_enough "$go"; then
  echo "$go"
  exit 0
fi
go=${go:-$(debian_go)}

arch=$(uname -m)
case $arch in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
esac
module=golang.org/toolchain@v0.0.1-$toolchain.$(uname -s | tr '[:upper:]' '[:lower:]')-$arch
root=$(plain_go "$go" env GOMODCACHE)/$module
if [ ! -x "$root/bin/go" ]; then
  say "$($go version | cut -d' ' -f3) is too old: getting $toolchain from the module registry (once, seconds)"
  plain_go "$go" mod download "$module" >&2 \
    || die "cannot get $toolchain. Install Go $minimum or newer."
  # Modules have no executable files.
  chmod -R u+w "$root"
  find "$root/pkg/tool" "$root/bin" -type f -exec chmod a+x {} +
fi
is_new_enough "$root/bin/go" || die "$root/bin/go does not run. Remove $root, or install Go $minimum or newer."
echo "$root/bin/go"
