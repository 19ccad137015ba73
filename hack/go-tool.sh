#!/usr/bin/env bash
# Makes DIR hold the programs that PACKAGEs of a Go module are (as links).
#
# Usage: go-tool.sh DIR MODULE PACKAGE..., such as:
#   go-tool.sh target/tools test/go/node/kube-rbac-proxy github.com/brancz/kube-rbac-proxy/cmd/kube-rbac-proxy
#
# They are built once, and kept in the cache, ${XDG_CACHE_HOME:-~/.cache}/sei-operator/node. Nothing is
# installed. Concurrent runs wait for each other. Prints what it does on stderr and nothing on stdout.
set -euo pipefail
exec >&2

[ $# -ge 3 ] || {
  echo "usage: go-tool.sh DIR MODULE PACKAGE..."
  exit 1
}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/node
mkdir -p "$1"
target=$(cd "$1" && pwd)
module=$2 name=${2##*/}
shift 2

# What is built from other sources has another place: another checkout may be running it. Those of last week go.
sources=$(cd "$here/../src/$module" && find . -type f | sort | xargs cat | sha256sum | cut -c1-12)
place=$cache/$name-$sources-$(uname -m)
[ -d "$place" ] || find "$cache" -maxdepth 1 -name "$name-[0-9a-f]*" -mtime +7 -exec rm -rf {} + 2>/dev/null || true
"$here/go-build.sh" "$place" "$module" "" "$@"
for package in "$@"; do
  # Renamed into place, so that a concurrent reader of DIR never finds a name missing.
  ln -s "$place/${package##*/}" "$target/.${package##*/}.$$"
  mv -f "$target/.${package##*/}.$$" "$target/${package##*/}"
done
