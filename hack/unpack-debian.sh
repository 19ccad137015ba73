#!/usr/bin/env bash
# Unpacks Debian packages into DIR. Installs nothing, starts no service and needs no root.
#
# Usage: unpack-debian.sh DIR PACKAGE...
#
# 'PACKAGE>PATTERN' means the package that PACKAGE depends on and whose name matches PATTERN. Works with
# package lists of its own, since a machine may have none, and only root may fetch those.
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
for package in "$@"; do
  if [[ $package == *'>'* ]]; then
    pattern=${package#*'>'}
    package=$(apt-cache "${options[@]}" depends "${package%%'>'*}" | sed -nE "s/^ *Depends: ($pattern)$/\1/p" | sed -n 1p)
    [ -n "$package" ] || die "no package matches '$pattern'"
  fi
  (cd "$work" && apt-get "${options[@]}" download "$package") || die "cannot download the package '$package'"
  dpkg-deb -x "$work/$package"_*.deb "$dir"
  rm "$work/$package"_*.deb
done
