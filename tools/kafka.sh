#!/usr/bin/env bash
# A real Apache Kafka for tests: KRaft, one node, from Maven artifacts, on a free port of
# 127.0.0.1, with its data in a temporary directory.
#
#   tools/kafka.sh fetch            the jars, into the cache (44 MB; nothing if they are there)
#   tools/kafka.sh run COMMAND…     the command with TEST_KAFKA_BROKERS and TEST_KAFKA_PID set; the broker ends with it
#   tools/kafka.sh start DIR        starts one that stays, prints its address; DIR/pid is its process
#   tools/kafka.sh stop DIR
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)/kafka"
version="$(sed -n 's/.*<version>\(4\.[0-9.]*\)<.*/\1/p' "$here/pom.xml" | head -1)"
cache="${XDG_CACHE_HOME:-$HOME/.cache}/effectivelyonce/kafka-$version"

fetch() {
  if [ -e "$cache/complete" ] && [ ! "$here/SHA256SUMS" -nt "$cache/complete" ]; then return; fi
  command -v java >/dev/null || { echo "kafka.sh: there is no java; Kafka $version needs a JRE of version 17 or newer" >&2; return 1; }
  command -v mvn >/dev/null || { echo "kafka.sh: there is no mvn, which fetches Kafka's jars" >&2; return 1; }
  mkdir -p "$cache/lib"
  mvn -B -q -f "$here/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory="$cache/lib" >"$cache/fetch.log" 2>&1 ||
    { echo "kafka.sh: the jars could not be fetched:" >&2; tail -5 "$cache/fetch.log" >&2; return 1; }
  (cd "$cache/lib" && sha256sum --quiet -c "$here/SHA256SUMS") ||
    { echo "kafka.sh: the jars are not those of tools/kafka/SHA256SUMS" >&2; return 1; }
  touch "$cache/complete"
}

open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

free_port() {
  local p
  while p=$((20000 + RANDOM % 12000)); open "$p"; do :; done
  echo "$p"
}

# start_in DIR: the broker of that directory; PORT and DIR/pid are set when it answers.
start_in() {
  local dir="$1" controller waited=0
  PORT="$(free_port)"; controller="$(free_port)"
  sed -e "s|%PORT%|$PORT|g;s|%CONTROLLER%|$controller|g;s|%DIR%|$dir|g" \
    "$here/server.properties" >"$dir/server.properties"
  local jvm=(java -Xmx512m -Xms64m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$cache/lib/*"
    -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info)
  "${jvm[@]}" kafka.tools.StorageTool format -t AAAAAAAAAAAAAAAAAAAAAA -c "$dir/server.properties" >"$dir/log" 2>&1 ||
    { cat "$dir/log" >&2; return 1; }
  "${jvm[@]}" kafka.Kafka "$dir/server.properties" >>"$dir/log" 2>&1 &
  echo $! >"$dir/pid"
  until grep -q 'Kafka Server started' "$dir/log" && open "$PORT"; do
    waited=$((waited + 1))
    if [ $waited -gt 600 ] || ! kill -0 "$(cat "$dir/pid")" 2>/dev/null; then
      echo "kafka.sh: Kafka $version did not start:" >&2; tail -20 "$dir/log" >&2; stop_in "$dir"; return 1
    fi
    sleep 0.1
  done
}

stop_in() {
  local pid
  pid="$(cat "$1/pid" 2>/dev/null)" || return 0
  kill "$pid" 2>/dev/null || true
  for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  kill -9 "$pid" 2>/dev/null || true
  rm -f "$1/pid"
}

case "${1:-}" in
fetch) fetch ;;
start) fetch; mkdir -p "$2"; start_in "$(cd "$2" && pwd)"; echo "127.0.0.1:$PORT" ;;
stop) stop_in "$2" ;;
run)
  shift; fetch
  dir="$(mktemp -d)"
  trap 'stop_in "$dir"; rm -rf "$dir"' EXIT
  start_in "$dir"
  TEST_KAFKA_BROKERS="127.0.0.1:$PORT" TEST_KAFKA_PID="$(cat "$dir/pid")" "$@" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
