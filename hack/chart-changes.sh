#!/usr/bin/env bash
# Prints the changes of a version as the annotation of Chart.yaml that Artifact Hub shows: the first sentence of each
# entry in CHANGELOG.md.
#
# Usage: chart-changes.sh VERSION
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() {
  echo "chart-changes: error: $*" >&2
  exit 1
}

[ $# -eq 1 ] || die "usage: chart-changes.sh VERSION"
grep -qF "## [$1]" CHANGELOG.md || die "CHANGELOG.md has no section for version $1"

echo "  artifacthub.io/changes: |"
awk -v start="## [$1]" '
  function print_entry(  label) {
    if (text == "") return
    while (match(text, /\[[^]]*\]\([^)]*\)/)) {
      label = substr(text, RSTART + 1, index(substr(text, RSTART), "]") - 2)
      text = substr(text, 1, RSTART - 1) label substr(text, RSTART + RLENGTH)
    }
    if (match(text, /\. /)) text = substr(text, 1, RSTART)
    gsub(/\\/, "\\\\", text)
    gsub(/"/, "\\\"", text)
    printf "    - kind: %s\n      description: \"%s\"\n", kind, text
    text = ""
  }
  index($0, start) == 1 { on = 1; next }
  /^## \[/ { on = 0 }
  !on { next }
  /^### / { print_entry(); kind = tolower($2); next }
  /^- / { print_entry(); text = substr($0, 3); next }
  /^  / { text = text " " substr($0, 3) }
  END { print_entry() }
' CHANGELOG.md
