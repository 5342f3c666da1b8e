#!/usr/bin/env bash
# Builds the page: the command and the checker as WebAssembly, then one HTML file with everything inside.
#
#   scripts/page.sh            writes build/page/index.html
#   scripts/page.sh modules    only installs the npm packages of page/package-lock.json
set -euo pipefail
cd "$(dirname "$0")/.."

modules() {  # as the lockfile says; the stamp says which lockfile is in
  if ! cmp -s page/package-lock.json page/node_modules/.boxwood-lock; then
    npm --prefix page ci --no-audit --no-fund --loglevel=error
    cp page/package-lock.json page/node_modules/.boxwood-lock
  fi
}

modules
[ "${1:-}" != modules ] || exit 0
cmake --preset page >/dev/null
cmake --build --preset page
npm --prefix page run --silent check
npm --prefix page run --silent build

bytes=$(wc -c <build/page/index.html)
echo "build/page/index.html: $((bytes / 1024)) KB"
if [ "$bytes" -gt $((4 << 20)) ]; then
  echo "page: the file is larger than 4 MB" >&2
  exit 1
fi
