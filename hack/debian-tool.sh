#!/usr/bin/env bash
# Makes DIR hold a tool that tests need (as a link).
#
# Usage: debian-tool.sh TOOL PACKAGE DIR, such as: debian-tool.sh promtool prometheus target/tools
#
# It comes from the first of these that has it:
#   1. PATH
#   2. the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/TOOL/ARCH
#   3. on Debian and its kin, the package, which is unpacked into the cache; nothing is installed, no
#      service is started, and no root is needed
# Concurrent runs wait for each other. Prints nothing on stdout.
set -euo pipefail
exec >&2

[ $# -eq 3 ] || {
  echo "usage: debian-tool.sh TOOL PACKAGE DIR"
  exit 1
}
tool=$1
package=$2
mkdir -p "$3"
target=$(cd "$3" && pwd)
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/$tool
cache=$cache_root/$(uname -m)

say() { echo "$tool: $*"; }
die() {
  say "error: $*"
  exit 1
}

# Renamed into place, so that a concurrent reader of DIR never finds the name missing.
use() { # FILE
  say "using $1"
  [ "$1" != "$target/$tool" ] || return 0
  ln -s "$1" "$target/.$tool.$$"
  mv -f "$target/.$tool.$$" "$target/$tool"
}

use_path() {
  local found
  found=$(type -P "$tool") && use "$found"
}

use_cache() { [ -x "$cache/$tool" ] && use "$cache/$tool"; }

fill_cache() {
  say "getting it out of the Debian package '$package' (once per machine)"
  "$(dirname "${BASH_SOURCE[0]}")/unpack-debian.sh" "$work/root" "$package" || return 1
  "$work/root/usr/bin/$tool" --version >/dev/null 2>&1 || {
    say "$tool of the package does not run here"
    return 1
  }
  mkdir -p "$cache" && mv -f "$work/root/usr/bin/$tool" "$cache/$tool"
}

get() { fill_cache && use_cache; }

! use_path || exit 0
! use_cache || exit 0
mkdir -p "$cache_root"
exec 9>"$cache_root/.lock"
flock 9
! use_cache || exit 0
work=$(mktemp -d "$cache_root/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
get || die "it is not here. Install the package '$package' or put $tool on the PATH."
