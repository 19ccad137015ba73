#!/usr/bin/env bash
# Makes DIR hold an earlier build of the operator, for tests in which it takes turns with this one:
# sei-operator.jar, crds/ and chart/.
#
# Usage: earlier-build.sh DIR, such as: earlier-build.sh target/earlier
#
# hack/earlier-commit names the commit of this repository that it is built from, once per machine:
# it stays in ${XDG_CACHE_HOME:-~/.cache}/sei-operator/earlier. Prints nothing on stdout.
set -euo pipefail
exec >&2

say() { echo "earlier-build: $*"; }
die() {
  say "error: $*"
  exit 1
}

[ $# -eq 1 ] || die "usage: earlier-build.sh DIR"
mkdir -p "$1"
target=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."
commit=$(cat hack/earlier-commit)
cache_root=${XDG_CACHE_HOME:-$HOME/.cache}/sei-operator/earlier
cache=$cache_root/$commit

build() {
  say "building commit ${commit:0:7} (once per machine)"
  mkdir -p "$cache_root"
  work=$(mktemp -d "$cache_root/.build-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  git archive "$commit" | tar -x -C "$work"
  (cd "$work" && mvn -B -ntp -q package -DskipTests)
  mkdir "$work/built"
  mv "$work/target/sei-operator.jar" "$work/crds" "$work/built/"
  # Whoever was faster has built the same.
  mv -T "$work/built" "$cache" 2>/dev/null || [ -d "$cache" ]
}

git cat-file -e "$commit^{commit}" 2>/dev/null ||
  die "commit $commit is not in this clone: run 'git fetch --unshallow'"
[ -d "$cache" ] || build
say "using $cache"
ln -sfn "$cache/sei-operator.jar" "$target/sei-operator.jar"
ln -sfn "$cache/crds" "$target/crds"
rm -rf "$target/chart" && mkdir "$target/chart"
git archive "$commit" deploy/helm/sei-operator | tar -x -C "$target/chart" --strip-components=3
