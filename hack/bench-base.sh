#!/usr/bin/env bash
# Measures an earlier commit of this repository with that commit's own benchmark, on the same control
# plane, and prints its rows beside those of target/bench, with the ratio of the two.
#
# Usage: bench-base.sh COMMIT KUBERNETES RUNS NODES, such as: bench-base.sh HEAD~20 1.37 5 "10 100"
#
# The measurements of the commit stay in target/base/bench.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[ $# -eq 4 ] || {
  echo "usage: bench-base.sh COMMIT KUBERNETES RUNS NODES" >&2
  exit 1
}
commit=$1
kubernetes=$2
runs=$3
nodes=$4
git cat-file -e "$commit^{commit}" 2>/dev/null || {
  echo "bench-base: error: $commit is not in this clone: run 'git fetch --unshallow'" >&2
  exit 1
}

base=target/base
rm -rf "$base"
mkdir -p "$base/tree"
git archive "$commit" | tar -x -C "$base/tree"
(
  cd "$base/tree"
  make control-plane KUBERNETES="$kubernetes" >&2
  # Commits that measure the page in a browser look for it there.
  [ ! -x hack/chromium.sh ] || hack/chromium.sh target/tools >&2
  hack/jdk.sh mvn -B -ntp -q package -DskipTests -Dspotbugs.skip dependency:build-classpath \
    -Dmdep.outputFile=target/test-classpath.txt -Dmdep.includeScope=test >&2
  java=(hack/jdk.sh java --enable-native-access=ALL-UNNAMED "-Dkubernetes=$kubernetes"
    -cp "target/test-classes:target/classes:$(cat target/test-classpath.txt)")
  hack/jdk.sh hack/runtime.sh target/sei-operator.jar target/runtime "${java[@]}" \
    io.sei.operator.bench.Training >&2
  # shellcheck disable=SC2086 # Sizes are separate arguments.
  "${java[@]}" io.sei.operator.bench.Bench "$runs" $nodes >&2
)
mv "$base/tree/target/bench" "$base/bench"

# Cells are "median (least to most)" or one number; a row that only one of the two has is left out.
for table in rollouts scale; do
  awk -F ' *[|] *' -v commit="${commit:0:12}" '
    FNR == NR { for (i = 3; i < NF; i++) before[$2, i] = $i; next }
    FNR == 1 { header = $0; for (i = 3; i < NF; i++) title[i] = $i; next }
    {
      for (i = 3; i < NF; i++) {
        was = before[$2, i] + 0
        is = $i + 0
        if (title[i] != "runs" && was > 0 && is > 0) {
          printf "| %s, %s | %s | %s | %.2f |\n", $2, title[i], was, is, is / was
        }
      }
    }
    BEGIN { print "| what | " commit " | this tree | ratio |"; print "|---|---|---|---|" }
  ' "$base/bench/$table.md" "target/bench/$table.md"
done
