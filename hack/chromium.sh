#!/usr/bin/env bash
# Makes DIR hold a headless Chromium and its driver, which the tests of the dashboard run (as links).
#
# Usage: chromium.sh DIR
#
# They come from the first of these that has them:
#   1. PATH
#   2. the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/chromium/ARCH
#   3. on Debian and its kin, the packages chromium-headless-shell and chromium-driver, which are unpacked
#      into the cache with the libraries that are not installed; nothing is installed, and no root is needed
# Concurrent runs wait for each other. Prints nothing on stdout.
set -euo pipefail
exec >&2

[ $# -eq 1 ] || {
  echo "usage: chromium.sh DIR"
  exit 1
}
mkdir -p "$1"
target=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/chromium
cache=$cache_root/$(uname -m)

say() { echo "chromium: $*"; }

# Renamed into place, so that a concurrent reader of DIR never finds a name missing.
link() { # FILE NAME
  ln -s "$1" "$target/.$2.$$"
  mv -f "$target/.$2.$$" "$target/$2"
}

use() { # BROWSER DRIVER
  say "using $1 and $2"
  link "$1" chromium-headless-shell
  link "$2" chromedriver
}

use_path() {
  local browser driver
  driver=$(type -P chromedriver) || return 1
  browser=$(type -P chromium-headless-shell || type -P chromium || type -P google-chrome) || return 1
  use "$browser" "$driver"
}

use_cache() { [ -x "$cache/chromedriver" ] && use "$cache/chromium-headless-shell" "$cache/chromedriver"; }

# A program of the unpacked packages, with their libraries and fonts.
wrap() { # PROGRAM NAME LIBRARIES
  cat >"$work/$2" <<EOF
#!/bin/sh
export LD_LIBRARY_PATH="$3\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
export FONTCONFIG_FILE="$cache/fonts.conf"
exec "$cache/root/$1" "\$@"
EOF
  chmod 755 "$work/$2"
}

fill_cache() {
  say "getting it out of Debian packages (once per machine)"
  "$here/unpack-debian.sh" "$work/root" chromium-headless-shell+ chromium-driver fonts-dejavu-core || return 1
  cat >"$work/fonts.conf" <<EOF
<?xml version="1.0"?>
<fontconfig><dir>$cache/root/usr/share/fonts</dir><dir>/usr/share/fonts</dir><cachedir>$cache/fonts</cachedir></fontconfig>
EOF
  local libraries
  libraries=$(find "$work/root" -name '*.so*' -printf '%h\n' | sort -u | sed "s|^$work|$cache|" | paste -sd:)
  wrap usr/lib/chromium/chromium-headless-shell chromium-headless-shell "$libraries"
  wrap usr/bin/chromedriver chromedriver "$libraries"
  rm -rf "$cache"
  mv "$work" "$cache"
  "$cache/chromium-headless-shell" --version >/dev/null && "$cache/chromedriver" --version >/dev/null && return
  say "the programs of the packages do not run here"
  rm -rf "$cache"
  return 1
}

! use_path || exit 0
! use_cache || exit 0
mkdir -p "$cache_root"
exec 9>"$cache_root/lock"
flock 9
! use_cache || exit 0
work=$(mktemp -d "$cache_root/.work.XXXXXX")
trap 'rm -rf "$work"' EXIT
if ! fill_cache || ! use_cache; then
  say "error: no Chromium. Install chromedriver and one of chromium-headless-shell, chromium, google-chrome; on"
  say "Debian: apt-get install chromium-headless-shell chromium-driver"
  exit 1
fi
