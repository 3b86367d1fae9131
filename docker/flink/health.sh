#!/usr/bin/env bash
# Healthy: the JobManager's and the gateway's REST answer with 200, a TaskManager's and ZooKeeper's port accepts.
# What this container is, is told by its JVM's main class.
set -euo pipefail

answers() { # PORT PATH
  exec 3<>"/dev/tcp/$(hostname)/$1"
  printf 'GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n' "$2" >&3
  head -n 1 <&3 | grep --quiet ' 200 '
}

listens() { # any TCP port, by a process of ours
  local pid=$1 inodes
  inodes=$(find "/proc/$pid/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null | tr -dc '0-9\n' | sort)
  awk '$4 == "0A" { print $10 }' /proc/net/tcp /proc/net/tcp6 | sort | comm -12 - <(echo "$inodes") | grep --quiet .
}

jvm=$(pgrep --oldest java)
main=$(tr '\0' ' ' <"/proc/$jvm/cmdline")
case $main in
  *SqlGateway*) answers 8083 /v1/info ;;
  *ClusterEntrypoint* | *StandaloneSession*) answers 8081 /overview ;;
  *) listens "$jvm" ;;
esac
