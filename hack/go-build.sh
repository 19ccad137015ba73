#!/usr/bin/env bash
# Makes CACHE hold the programs that PACKAGEs of a Go module are, and builds those it does not have.
#
# Usage: go-build.sh CACHE MODULE LDFLAGS PACKAGE...
#
# MODULE is a directory of src; its go.mod pins the versions, which come from the module
# registry. Concurrent runs wait for each other. A program gets into CACHE by a rename, so one that is
# there is whole. Prints what it does on stderr and nothing on stdout.
set -euo pipefail
# The trap of an interrupted build runs while its output goes to a file.
exec >&2 3>&2

# Sources, modules, what Go keeps of the build, and the result; 5.2 GB were seen for Kubernetes.
readonly disk_gb=6

say() { echo "go-build: $*" >&3; }
die() {
  say "error: $*"
  exit 1
}

[ $# -ge 4 ] || die "usage: go-build.sh CACHE MODULE LDFLAGS PACKAGE..."
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=$1 module=$2 flags=$3
shift 3
sources=$here/../src/$module

missing() { # PACKAGE...
  local package
  for package in "$@"; do
    [ -x "$cache/${package##*/}" ] || echo "$package"
  done
}

# One line every five seconds, because a build is silent for minutes.
report() { # LOG PACKAGES START
  local compiled
  while sleep 5; do
    compiled=$(wc -l <"$1")
    say "  $(($(date +%s) - $3)) s: $compiled of $2 packages"
  done
}

# A quarter of the processor time went into debug information that is stripped, and into the garbage
# collection of compilers that run for a second. kubectl-sei.sh compiles with the same flags.
go() {
  env -u GOROOT GOFLAGS=-gcflags=all=-dwarf=false GOGC=400 GOTOOLCHAIN=local GOWORK=off CGO_ENABLED=0 \
    "$go" "$@"
}

build() { # PACKAGE...
  local start packages reporter status=0
  start=$(date +%s)
  cd "$sources"
  say "getting the modules of $module"
  packages=$(go list -deps "$@" 2>"$work/log" | wc -l) \
    || die "cannot get the modules of $module: $(tail -n 1 "$work/log"). Is the module registry reached (go env GOPROXY)?"
  say "building ${*##*/} (at most $packages packages; those that Go has kept take no time)"
  : >"$work/log"
  report "$work/log" "$packages" "$start" 9>&- &
  reporter=$!
  go build -v -trimpath -ldflags "-s -w $flags" -o "$work/out/" "$@" >>"$work/log" 2>&1 || status=$?
  kill "$reporter"
  wait "$reporter" 2>/dev/null || true
  [ $status -eq 0 ] || die "cannot build ${*##*/}: $(tail -n 3 "$work/log" | tr '\n' ' ')"
  mv -f "$work"/out/* "$cache/"
  say "built ${*##*/} in $(($(date +%s) - start)) s"
}

[ -n "$(missing "$@")" ] || exit 0
mkdir -p "$cache" || die "cannot write to $cache. Set XDG_CACHE_HOME to a directory that can be written."
exec 9>"$cache/.lock"
flock -n 9 || {
  say "waiting for another run to build ${*##*/}"
  flock 9
}
mapfile -t packages < <(missing "$@")
[ ${#packages[@]} -gt 0 ] || exit 0
free_gb=$(($(df -Pk "$cache" | awk 'NR == 2 { print $4 }') / 1024 / 1024))
[ "$free_gb" -ge "$disk_gb" ] \
  || die "$free_gb GB are free in $cache, and a build needs $disk_gb. Make room, or set XDG_CACHE_HOME."
# Whoever holds the lock is alone, so these are what killed runs left.
rm -rf "$cache"/.build.*
work=$(mktemp -d "$cache/.build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'die "interrupted; what was built so far is kept, so the next run goes on from there"' INT TERM HUP
go=$("$here/go.sh")
build "${packages[@]}"
