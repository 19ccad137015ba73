#!/usr/bin/env bash
# Unpacks Debian packages into DIR. Installs nothing, starts no service and needs no root.
#
# Usage: unpack-debian.sh DIR PACKAGE...
#
# 'PACKAGE>PATTERN' means the package that PACKAGE depends on and whose name matches PATTERN; 'PACKAGE+'
# means PACKAGE with everything that it needs and that is not installed here. Works with package lists of
# its own, since a machine may have none, and only root may fetch those.
set -euo pipefail
exec >&2

mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift

die() {
  echo "unpack-debian: error: $*"
  exit 1
}

for tool in apt-get apt-cache dpkg-deb; do
  type -P "$tool" >/dev/null || die "no $tool here to get the package '$1' with"
done

work=$(mktemp -d "$dir/.packages.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
options=(-qq -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o "APT::Sandbox::User=$(id -un)")

apt-get "${options[@]}" update || echo "unpack-debian: some package lists could not be read; trying with the others"
unpack() { # PACKAGE
  (cd "$work" && apt-get "${options[@]}" download "$1") || die "cannot download the package '$1'"
  dpkg-deb -x "$work/$1"_*.deb "$dir"
  rm "$work/$1"_*.deb
}

for package in "$@"; do
  if [[ $package == *+ ]]; then
    needed=$(apt-get "${options[@]}" --simulate --no-install-recommends install "${package%+}" | awk '$1 == "Inst" { print $2 }')
    [ -n "$needed" ] || needed=${package%+}
    for one in $needed; do unpack "$one"; done
    continue
  fi
  if [[ $package == *'>'* ]]; then
    pattern=${package#*'>'}
    package=$(apt-cache "${options[@]}" depends "${package%%'>'*}" | sed -nE "s/^ *Depends: ($pattern)$/\1/p" | sed -n 1p)
    [ -n "$package" ] || die "no package matches '$pattern'"
  fi
  unpack "$package"
done
