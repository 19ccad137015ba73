#!/usr/bin/env bash
# Makes DIR hold all that the image runs: the jar, a Java runtime with the modules it needs, and an
# archive of loaded and linked classes (an AOT cache) that saves a third of a start's processor time.
#
# Usage: runtime.sh JAR DIR [TRAINING...]
#
# JAVA_HOME, or else the java on the PATH, says which JDK, 25 or newer, the runtime is cut from. The
# archive holds only in DIR: Java checks the path, the size and the time of the jar; and only for a Java
# with the same layout of objects. It has what is loaded during TRAINING, a command that gets the
# operator's command as more arguments; without it, during a start that finds no API server, which is
# not much.
set -euo pipefail

# What 'jdeps' finds, less what optional parts of libraries would need (a desktop, a compiler), plus
# elliptic curves, which certificates of API servers use.
MODULES=java.base,java.logging,java.management,java.naming,java.net.http,java.sql,java.xml
MODULES+=,jdk.crypto.ec,jdk.httpserver,jdk.management,jdk.unsupported

die() {
  echo "runtime: error: $*" >&2
  exit 1
}

[ $# -ge 2 ] || die "usage: runtime.sh JAR DIR [TRAINING...]"
jar=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
jlink=${JAVA_HOME:+$JAVA_HOME/bin/}jlink
type -P "$jlink" >/dev/null || die "no $jlink: a JDK is needed, not a JRE"

rm -rf "$dir/jre" "$dir/sei-operator.jsa"
"$jlink" --add-modules "$MODULES" --strip-java-debug-attributes --no-header-files --no-man-pages \
  --output "$dir/jre"
cp "$jar" "$dir/sei-operator.jar"
# Layers of images keep whole seconds.
touch -d 2026-01-01T00:00:00Z "$dir/sei-operator.jar"

training=("${@:3}")
if [ $# -eq 2 ]; then
  kubeconfig=$(mktemp)
  trap 'rm -f "$kubeconfig"' EXIT
  cat >"$kubeconfig" <<'EOF'
apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: none, user: {}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
current-context: none
EOF
  training=(env -i KUBECONFIG="$kubeconfig" SEI_METRICS_PORT=0 SEI_HEALTH_PORT=0)
fi
# How often methods ran is 3 MiB of an archive, and only the second compiler, which the image leaves out,
# would go by it.
said=$(timeout 600 "${training[@]}" "$dir/jre/bin/java" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  -XX:+UseCompactObjectHeaders -Djdk.reflect.useNativeAccessorOnly=true \
  -XX:+UnlockDiagnosticVMOptions -XX:-AOTRecordTraining \
  "-XX:AOTCacheOutput=$dir/sei-operator.jsa" \
  -Xlog:disable -Xlog:all=error -jar "$dir/sei-operator.jar" 2>&1) \
  || [ $# -eq 2 ] || die "the training failed: $said"
[ -s "$dir/sei-operator.jsa" ] || die "no archive of classes was made: $said"
