#!/usr/bin/env bash
# docker/build.sh IMAGE…: builds the local images of flink, takeover, versitygw, seaweedfs and hive-metastore from what Make has built and pip downloaded.
# Nothing is fetched inside `docker build`. An image's name is in build/docker/IMAGE.name; its tag is a hash of all that goes in, so what
# is there is not built again. `local/<name>:latest` is the newest one.
#   FLINK_BASE=…    another base for flink and takeover, with Flink in /opt/flink: the public image, say
#   PYTHON=3.10     the Python of that base, if it isn't Debian 12's
#   PLUGIN=…        another S3 plugin: s3-fs-hadoop
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022

contexts=build/docker
base=$(docker/up.sh base)
python=${PYTHON:-3.11}
plugin=${PLUGIN:-s3-fs-native}
mkdir -p "$contexts"

stage() { # NAME: an empty context with the Dockerfile and what lies beside it; cleared of what was in it before
  context=$contexts/$1
  rm -rf "$context" && mkdir -p "$context"
  cp -R "docker/${2:-$1}/." "$context"
}

put() { # FOLDER FILE…: into the context; hard links where they can be, since Docker only reads them
  local folder=$context/$1
  shift
  mkdir -p "$folder"
  cp -RLl "$@" "$folder" 2>/dev/null || cp -RL "$@" "$folder"
}

digest() { # of the context and the arguments
  { (cd "$context" && find . -type f -print0 | sort -z | xargs -0 sha256sum --) && echo "$@"; } | sha256sum | cut -c1-16
}

build() { # NAME ARGUMENT…: the context's image, unless it's there
  local name=$1 tag image
  shift
  tag=$(digest "$@")
  image=local/$name:$tag
  if ! docker image inspect "$image" >/dev/null 2>&1; then
    local given=()
    for each in "$@"; do given+=(--build-arg "$each"); done
    # Shown only where it fails: a client without buildx tells at every build that it has none.
    if ! docker build --tag "$image" "${given[@]}" "$context" >"$context.log" 2>&1; then
      cat "$context.log" >&2
      exit 1
    fi
    echo "[docker/build.sh] $image"
  fi
  docker tag "$image" "local/$name:latest"
  echo "$image" >"$contexts/${context##*/}.name"
}

wheels() { # LOCK: what it pins, for the image's Python, once
  local lock=$1 kept
  kept=build/wheels/$(basename "$lock" .txt)
  if ! [ "$kept/.complete" -nt "$lock" ]; then
    rm -rf "$kept"
    .venv/bin/python -m pip download --quiet --disable-pip-version-check --require-hashes --no-deps --only-binary=:all: \
      --python-version "$python" --dest "$kept" --requirement "$lock"
    touch "$kept/.complete"
  fi
  put wheels "$kept"/*.whl
  put . "$lock"
  mv "$context/$(basename "$lock")" "$context/requirements.txt"
}

distribution() { # What the public Flink image is, out of PyFlink's wheel
  local home
  home=$(.venv/bin/python -c 'import importlib.util as u, os; print(os.path.dirname(u.find_spec("pyflink").origin))')
  stage distribution
  put flink "$home"/{bin,conf,lib,opt,licenses}
  put flink/opt build/jars/opt/*.jar
  build flink "BASE=$base"
}

bridge() { # NAME OPTIONS: Flink with the bridge; OPTIONS of partition-bridge install
  local under=${FLINK_BASE:-}
  if [ -z "$under" ]; then
    distribution
    under=$(cat $contexts/distribution.name)
  fi
  stage "$1" flink
  wheels "requirements/writer-py${python/./}.txt"
  put jars/lib build/jars/lib/*.jar
  put jars/plugins "build/jars/plugins/$plugin"
  .venv/bin/python -m hatchling build --target wheel --directory "$context/bridge" >"$context.log" 2>&1 || {
    cat "$context.log" >&2
    exit 1
  }
  build "$2" "BASE=$under" "PLUGIN=$plugin" "INSTALL=$3"
}

for image in "$@"; do
  case $image in
    flink) bridge flink flink-partition-bridge "" ;;
    takeover) bridge takeover flink-partition-bridge-takeover --takeover ;;
    versitygw)
      stage versitygw
      put . build/bin/versitygw
      mkdir -p "$context/data" && touch "$context/data/.keep"
      build versitygw
      ;;
    seaweedfs)
      stage seaweedfs
      put . .venv/bin/weed
      build seaweedfs "BASE=$base"
      ;;
    hive-metastore)
      stage hive-metastore
      put lib build/hms-4.0.1/lib/*.jar
      javac --release 17 -Xlint:-options -cp 'build/hms-4.0.1/lib/*' -d "$context/classes" \
        tests/support/hive-metastore/java/io/partitionbridge/metastore/*.java
      build hive-metastore "BASE=$base"
      ;;
    *)
      echo "docker/build.sh knows no image '$image'" >&2
      exit 1
      ;;
  esac
done
