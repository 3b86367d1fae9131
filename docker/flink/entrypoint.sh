#!/usr/bin/env bash
# jobmanager, taskmanager, sql-gateway and zookeeper run in the foreground; anything else is a command, as sql-client.sh -f FILE.
# Nothing is written into conf/: mount a config.yaml there.
set -euo pipefail
case ${1:-} in
  jobmanager | taskmanager | sql-gateway)
    exec "$FLINK_HOME/bin/$1.sh" start-foreground "${@:2}"
    ;;
  # zookeeper.sh would stay beside it.
  zookeeper)
    exec "$FLINK_HOME/bin/flink-console.sh" zookeeper --zkConfigFile "$FLINK_HOME/conf/zoo.cfg" --peerId 1
    ;;
  *)
    exec "$@"
    ;;
esac
