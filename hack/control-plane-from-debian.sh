#!/usr/bin/env bash
# Builds a Kubernetes 1.20.2 control plane (kube-apiserver, kube-controller-manager, kubectl; etcd
# is a binary package) from Debian 12's own packages, with no other network than the Debian mirror
# this machine is already configured for. It installs nothing and needs no root: the packages are
# unpacked into a work directory.
#
# Usage: control-plane-from-debian.sh OUT_DIR
#
# About four minutes on two cores. Binaries already in OUT_DIR are kept, only missing ones are made.
# Prints nothing on stdout. Exit status 2: this machine is no Debian 12.
set -euo pipefail
exec >&2

out=${1:?usage: control-plane-from-debian.sh OUT_DIR}
readonly version=v1.20.2
os_release=${SEI_OS_RELEASE:-/etc/os-release}

step() { echo "[$(date +%T)] $*"; }
give_up() { # MESSAGE [STATUS]
  echo "control-plane-from-debian: $1"
  exit "${2:-1}"
}

# shellcheck disable=SC1090 # the file is the machine's, not ours
codename=$(. "$os_release" 2>/dev/null && echo "${VERSION_CODENAME:-}") || codename=
if [ "$codename" != bookworm ]; then
  give_up "only Debian 12 has the source of Kubernetes as a package" 2
fi

mkdir -p "$out"
out=$(cd "$out" && pwd)
missing=()
for name in etcd kube-apiserver kube-controller-manager kubectl; do
  [ -x "$out/$name" ] || missing+=("$name")
done
[ ${#missing[@]} -gt 0 ] || exit 0
step "making ${missing[*]} from Debian packages (minutes, once per machine)"

# Beside OUT_DIR, because only a rename within one file system is atomic.
work=$(mktemp -d "$out.build.XXXXXX")
trap 'rm -rf "$work"' EXIT

needs() { case " ${missing[*]} " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

# A binary that exists in OUT_DIR is a whole one.
publish() { chmod 755 "$work/$1" && mv -f "$work/$1" "$out/$1"; }

# The machine's own Debian sources, with the source packages switched on; third-party sources have
# no part in this build and must not be able to break it.
write_sources() {
  mkdir -p "$work/sources" "$work/lists/partial" "$work/cache/archives/partial"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -f "$file" ] || continue
    sed -nE "/^deb +(\[[^]]*\] +)?[^ ]+ +$codename(-updates|-security)? .*main/ { p; s/^deb /deb-src /p; }" \
      "$file" >"$work/sources/$(basename "$file" .list).list"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -f "$file" ] || continue
    grep -qE "^Suites:.*\b$codename" "$file" || continue
    grep -qE '^Components:.*\bmain\b' "$file" || continue
    sed -E 's/^Types:.*/Types: deb deb-src/' "$file" >"$work/sources/$(basename "$file")"
  done
  [ -n "$(cat "$work"/sources/* 2>/dev/null)" ] \
    || give_up "no Debian $codename source is configured in /etc/apt"
}

apt() {
  apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work/sources" \
    -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" \
    -o APT::Sandbox::User="$(id -un)" -o APT::Get::List-Cleanup=0 "$@"
}

unpack_packages() {
  (cd "$work" && apt download "$@") || give_up "cannot download the packages $*"
  local package
  for package in "$work"/*.deb; do
    dpkg-deb -x "$package" "$work/root"
    rm "$package"
  done
}

unpack_kubernetes() {
  (cd "$work" && apt source --download-only kubernetes) \
    || give_up "cannot download the source package of kubernetes"
  mkdir -p "$k8s"
  tar -xzf "$work"/kubernetes_*.orig.tar.gz --strip-components=1 -C "$k8s"
  # reflect2 1.0.1, vendored in 1.20, crashes when built with Go >= 1.18; Debian's 1.0.2 does not.
  rm -rf "$k8s/vendor/github.com/modern-go/reflect2"
  cp -r "$work/root/usr/share/gocode/src/github.com/modern-go/reflect2" "$k8s/vendor/github.com/modern-go/"
  rm -f "$k8s"/vendor/github.com/modern-go/reflect2/*_test.go
}

# Directories of the packages that ask for OpenAPI definitions.
tagged() {
  grep -rl --include='*.go' '+k8s:openapi-gen=' "$@" \
    | grep -v -e zz_generated -e _test.go | xargs -n1 dirname | LC_ALL=C sort -u
}

generate_openapi() { # OUTPUT_PACKAGE INPUT_DIR...
  local package=$1
  shift
  "$work/openapi-gen" --logtostderr -i "$(printf 'k8s.io/kubernetes/%s\n' "$@" | paste -sd,)" \
    -p "k8s.io/kubernetes/$package" -O zz_generated.openapi \
    -h vendor/k8s.io/code-generator/hack/boilerplate.go.txt -r /dev/null
}

# The definitions are generated code, which Debian leaves out of its source package.
generate_all_openapi() {
  local v=vendor/k8s.io dir
  local machinery=("$v/apimachinery/pkg/apis/meta/v1" "$v/apimachinery/pkg/runtime" "$v/apimachinery/pkg/version")
  local staging=() all aggregator extensions
  go build -o "$work/openapi-gen" k8s.io/kubernetes/vendor/k8s.io/kube-openapi/cmd/openapi-gen
  for dir in "$v"/*/; do
    case $dir in
      */code-generator/ | */sample-apiserver/ | */kube-openapi/ | */gengo/ | */klog/ | */utils/) ;;
      */heapster/ | */system-validators/) ;;
      *) staging+=("${dir%/}/") ;;
    esac
  done
  mapfile -t all < <(tagged "${staging[@]}" pkg cmd plugin)
  mapfile -t aggregator < <(tagged "$v/kube-aggregator/")
  mapfile -t extensions < <(tagged "$v/apiextensions-apiserver/")
  generate_openapi pkg/generated/openapi "${all[@]}"
  generate_openapi staging/src/k8s.io/kube-aggregator/pkg/generated/openapi \
    "${machinery[@]}" "${aggregator[@]}"
  generate_openapi staging/src/k8s.io/apiextensions-apiserver/pkg/generated/openapi \
    "${machinery[@]}" "${extensions[@]}" "$v/api/autoscaling/v1"
}

build() { # COMMAND
  local p=k8s.io/kubernetes/vendor/k8s.io
  step "building $1"
  go build -o "$work/$1" -ldflags "-s -w
    -X $p/component-base/version.gitVersion=$version
    -X $p/component-base/version.gitMajor=1
    -X $p/component-base/version.gitMinor=20
    -X $p/client-go/pkg/version.gitVersion=$version" "k8s.io/kubernetes/cmd/$1"
  publish "$1"
}

step "reading the package lists of Debian $codename"
write_sources
apt update || step "some package lists could not be read; trying with the others"

if needs etcd; then
  step "unpacking etcd"
  unpack_packages etcd-server
  cp "$work/root/usr/bin/etcd" "$work/etcd"
  publish etcd
fi
if needs kube-apiserver || needs kube-controller-manager || needs kubectl; then
  step "unpacking Go and the source of Kubernetes"
  unpack_packages golang-1.19-go golang-1.19-src golang-github-modern-go-reflect2-dev
  k8s=$work/gopath/src/k8s.io/kubernetes
  unpack_kubernetes
  export GOROOT=$work/root/usr/lib/go-1.19 GOPATH=$work/gopath GOCACHE=$work/gocache
  export GO111MODULE=off CGO_ENABLED=0 GOFLAGS='' PATH=$GOROOT/bin:$PATH
  cd "$k8s"
  if needs kube-apiserver || needs kube-controller-manager; then
    step "generating the OpenAPI definitions"
    generate_all_openapi
  fi
  for command in kube-apiserver kube-controller-manager kubectl; do
    ! needs "$command" || build "$command"
  done
fi
step "done: $out"
