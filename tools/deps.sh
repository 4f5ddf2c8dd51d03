#!/usr/bin/env bash
# Installs what the tests need beside Go: Chromium, Node, PostgreSQL, and Java with Maven for
# Apache Kafka (tools/kafka.sh), from Debian (the tests start a server of their own, as a user who is not root), and the npm packages of tests/package-lock.json. Does nothing where they are there.
set -euo pipefail
cd "$(dirname "$0")/.."

need=()
command -v chromium >/dev/null || need+=(chromium fonts-dejavu-core)
command -v node >/dev/null || need+=(nodejs)
ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || need+=(postgresql)
command -v npm >/dev/null || need+=(npm)
command -v java >/dev/null || need+=(default-jre-headless)
command -v mvn >/dev/null || need+=(maven)
if [ ${#need[@]} -gt 0 ]; then
  sudo=""
  [ "$(id -u)" = 0 ] || sudo="sudo"
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
fi
if [ ! -e tests/node_modules/.package-lock.json ] || [ tests/package-lock.json -nt tests/node_modules/.package-lock.json ]; then
  npm ci --prefix tests --no-audit --no-fund --loglevel=error
fi
