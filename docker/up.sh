#!/usr/bin/env bash
# Brings up a container engine where none runs, and makes the local base image. Idempotent; from nothing, it needs root on Debian.
# No image is pulled, ever: the base is Debian's own packages, imported.
#   docker/up.sh          prints what it does
#   docker/up.sh base     prints the base image's name, and does nothing
set -euo pipefail
cd "$(dirname "$0")/.."
export DEBIAN_FRONTEND=noninteractive

release=bookworm
packages=openjdk-17-jre-headless,python3,python3-venv,ca-certificates,procps
# Other packages, other name: an image that is there is never looked into.
base=local/java17-python3:$(printf '%s' "$release $packages" | sha256sum | cut -c1-12)
if [ "${1:-}" = base ]; then
  echo "$base"
  exit
fi

log=${DOCKERD_LOG:-/var/log/dockerd-partition-bridge.log}
began=$SECONDS
say() { echo "[docker/up.sh] $*, $((SECONDS - began)) s"; }
answers() { docker info >/dev/null 2>&1; }
has_base() { docker image inspect "$base" >/dev/null 2>&1; }
needs_root() {
  [ "$(id -u)" = 0 ] && return
  echo "missing: $1. Run docker/up.sh as root" >&2
  exit 1
}

install() { # PROGRAM PACKAGE: from Debian's archive, where it isn't there
  command -v "$1" >/dev/null && return
  needs_root "$2"
  if ! command -v apt-get >/dev/null; then
    echo "missing: $1, and this isn't a Debian: install $2" >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "$2" >/dev/null
  say "installed $2"
}

forget_the_dead() { # A killed dockerd leaves its pid file; the number is a zombie's by then, or another program's.
  local file name state command
  for file in /var/run/docker.pid /var/run/docker/containerd/containerd.pid; do
    [ -f "$file" ] || continue
    name=$(basename "$file" .pid)
    [ "$name" = containerd ] || name=dockerd
    state='' command=''
    read -r state command < <(ps -o stat=,comm= -p "$(cat "$file")" 2>/dev/null) || true
    if [ "$command" != "$name" ] || [ "${state:0:1}" = Z ]; then rm -f "$file"; fi
  done
}

start_engine() {
  install dockerd docker.io
  needs_root "a container engine that answers to you"
  forget_the_dead
  # Published ports are for this machine alone. The log has what the engine says when it dies later.
  setsid nohup dockerd --ip 127.0.0.1 >"$log" 2>&1 </dev/null &
  for _ in $(seq 300); do
    ! answers || return 0
    sleep 0.2
  done
  tail -n 30 "$log" >&2
  echo "dockerd doesn't answer after 60 s; above is the end of $log" >&2
  exit 1
}

make_base() {
  install mmdebstrap mmdebstrap
  needs_root "the image $base"
  # dpkg waits for the disk at every file; in memory it's three times as fast.
  local work=/tmp
  [ "$(df --output=avail -m /dev/shm 2>/dev/null | tail -n 1)" -lt 1500 ] 2>/dev/null || work=/dev/shm
  # A pipe into `docker import` would make an image of whatever had come through when the left side failed.
  work=$(mktemp --directory --tmpdir="$work")
  trap "rm -rf '$work'" EXIT
  TMPDIR=$work mmdebstrap --quiet --variant=minbase --include="$packages" "$release" "$work/base.tar"
  docker import --change 'ENV LANG=C.UTF-8' "$work/base.tar" "$base" >/dev/null
  say "made $base"
}

if ! answers; then start_engine; fi
if ! has_base; then make_base; fi
say "engine $(docker version --format '{{.Server.Version}}') and $base are there"
