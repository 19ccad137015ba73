#!/usr/bin/env bash
# Makes DIR hold promtool (as a link), which tests the alerts.
#
# Usage: promtool.sh DIR
#
# It comes from the first of these that has it:
#   1. PATH
#   2. the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/promtool/ARCH
#   3. on Debian and its kin, the package 'prometheus', which is unpacked into the cache; nothing is
#      installed, no service is started, and no root is needed
# Concurrent runs wait for each other. Prints nothing on stdout.
set -euo pipefail
exec >&2

say() { echo "promtool: $*"; }
die() {
  say "error: $*"
  exit 1
}

[ $# -eq 1 ] || die "usage: promtool.sh DIR"
mkdir -p "$1"
target=$(cd "$1" && pwd)
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/promtool
cache=$cache_root/$(uname -m)

# Renamed into place, so that a concurrent reader of DIR never finds the name missing.
use() { # FILE
  say "using $1"
  [ "$1" != "$target/promtool" ] || return 0
  ln -s "$1" "$target/.promtool.$$"
  mv -f "$target/.promtool.$$" "$target/promtool"
}

use_path() {
  local found
  found=$(type -P promtool) && use "$found"
}

use_cache() { [ -x "$cache/promtool" ] && use "$cache/promtool"; }

# With lists of its own, as a machine may have none, and only root may fetch those.
apt() {
  apt-get -qq -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User="$(id -un)" "$@"
}

fill_cache() {
  type -P apt-get >/dev/null && type -P dpkg-deb >/dev/null || {
    say "no apt-get and dpkg-deb to get the package 'prometheus' with"
    return 1
  }
  say "getting promtool out of the Debian package 'prometheus' (once per machine)"
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
  apt update || say "some package lists could not be read; trying with the others"
  (cd "$work" && apt download prometheus) || {
    say "cannot download the package 'prometheus'"
    return 1
  }
  dpkg-deb -x "$work"/prometheus_*.deb "$work/root" || return 1
  "$work/root/usr/bin/promtool" --version >/dev/null 2>&1 || {
    say "promtool of the package does not run here"
    return 1
  }
  mkdir -p "$cache" && mv -f "$work/root/usr/bin/promtool" "$cache/promtool"
}

! use_path || exit 0
! use_cache || exit 0
mkdir -p "$cache_root"
exec 9>"$cache_root/.lock"
flock 9
! use_cache || exit 0
work=$(mktemp -d "$cache_root/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
fill_cache && use_cache \
  || die "no promtool, so that the alerts cannot be tested. Install the package 'prometheus' or put" \
    "promtool on the PATH."
