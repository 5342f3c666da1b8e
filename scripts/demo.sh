#!/usr/bin/env bash
# Explains some refused applicants of the embedded German-credit example.
# Usage: scripts/demo.sh path/to/boxwood
set -euo pipefail

command=${1:?usage: scripts/demo.sh path/to/boxwood}
cd "$(dirname "$0")/.."
example=examples/german_credit

run() {
  printf '$ %s\n\n' "$*"
  "$@"
  printf '\n'
}

run "$command" inspect "$example/model.ubj" --schema "$example/schema.json"
run "$command" explain "$example/model.ubj" --data "$example/applicants.csv" \
  --schema "$example/schema.json" --rows 0,3,4,8,9 --time-limit 10 --verify
