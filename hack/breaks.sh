#!/usr/bin/env bash
# Applies each patch of hack/breaks to a copy of the sources that it changes, compiles these, and runs
# the test that the patch names in its line 'Red: Name' or 'Red: Name#method'. Fails if a test stays
# green, if it finds nothing to run, or if a patch no longer applies. Nothing else is compiled, so
# that a break takes seconds; it must not change a constant or the shape of a class.
#
# Usage: breaks.sh CLASSPATH_FILE [NAME ...]   (all patches without a name; needs compiled tests)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

dependencies=$(cat "$1")
shift
failed=0

say() { echo "breaks: $*"; }

# Usage: apply_and_run PATCH COPY
apply_and_run() {
  local patch=$1 copy=$2 file sources
  while read -r _ _ file; do
    mkdir -p "$copy/$(dirname "$file")"
    cp "$file" "$copy/$file"
  done < <(git apply --numstat "$patch")
  (cd "$copy" && git init -q && git apply "$patch") || return 3
  mkdir "$copy/classes"
  mapfile -t sources < <(find "$copy/src" -name '*.java')
  javac -nowarn -Xlint:none -parameters -proc:none --release 25 -d "$copy/classes" \
    -cp "target/classes:$dependencies" "${sources[@]}" || return 4
  timeout 300 java -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED \
    --sun-misc-unsafe-memory-access=allow "-Dkubernetes=${KUBERNETES:-1.37}" \
    -cp "$copy/classes:target/test-classes:target/classes:$dependencies" \
    io.sei.operator.breaks.OneTest "$(sed -n 's/^Red: //p' "$patch")" >"$copy/log" 2>&1
}

names=("$@")
[ ${#names[@]} -gt 0 ] || for patch in hack/breaks/*.patch; do names+=("$(basename "$patch" .patch)"); done
for name in "${names[@]}"; do
  patch=$PWD/hack/breaks/$name.patch
  copy=$(mktemp -d)
  status=0
  apply_and_run "$patch" "$copy" || status=$?
  test=$(sed -n 's/^Red: //p' "$patch")
  case $status in
    0) say "error: $name leaves $test green" && failed=1 ;;
    10) say "$name: $test is red" ;;
    3) say "error: $name no longer applies: make the break again, and write it with git diff -U1" && failed=1 ;;
    *) cat "$copy/log" 2>/dev/null || true; say "error: $name: $test did not run ($status)" && failed=1 ;;
  esac
  rm -rf "$copy"
done
exit $failed
