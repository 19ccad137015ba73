#!/usr/bin/env bash
# Runs COMMAND with JDK 25 or newer: it is JAVA_HOME, and the first on the PATH.
#
# Usage: jdk.sh COMMAND...
#        jdk.sh                     only prints the directory of the JDK
#
# It is the first of these that is new enough: JAVA_HOME, the one whose javac is on the PATH, and those
# in /usr/lib/jvm (JVMS names another directory), where packages put one beside an older default.
set -euo pipefail

readonly oldest=25

die() {
  echo "jdk: error: $*" >&2
  exit 1
}

# By the file that every JDK has since Java 9: to start one takes half a second.
will_do() { # DIRECTORY
  local version
  [ -x "$1/bin/javac" ] && [ -f "$1/release" ] || return 1
  version=$(sed -nE 's/^JAVA_VERSION="([0-9]+).*/\1/p' "$1/release")
  [ "${version:-0}" -ge $oldest ]
}

find_jdk() {
  local javac home
  if [ -n "${JAVA_HOME:-}" ] && will_do "$JAVA_HOME"; then
    echo "$JAVA_HOME"
    return
  fi
  if javac=$(type -P javac); then
    home=$(dirname "$(dirname "$(readlink -f "$javac")")")
    if will_do "$home"; then
      echo "$home"
      return
    fi
  fi
  for home in "${JVMS:-/usr/lib/jvm}"/*; do
    if will_do "$home"; then
      echo "$home"
      return
    fi
  done
  return 1
}

home=$(find_jdk) || die "no JDK $oldest or newer in JAVA_HOME, on the PATH or in ${JVMS:-/usr/lib/jvm};" \
  "install openjdk-$oldest-jdk-headless, or Temurin $oldest from https://adoptium.net"
if [ $# -eq 0 ]; then
  echo "$home"
else
  export JAVA_HOME=$home PATH=$home/bin:$PATH
  exec "$@"
fi
