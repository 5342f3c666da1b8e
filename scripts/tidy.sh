#!/usr/bin/env bash
# clang-tidy over the library and the command, or over the files that are named.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v clang-tidy >/dev/null; then
  echo "tidy: clang-tidy is missing (Debian and Ubuntu: apt-get install clang-tidy)" >&2
  exit 1
fi
cmake --preset dev >/dev/null
[ $# -gt 0 ] || mapfile -t files < <(find src -name '*.cpp' | sort)
[ $# -eq 0 ] || files=("$@")
printf '%s\0' "${files[@]}" |
  xargs -0 -n 1 -P "$(nproc 2>/dev/null || echo 2)" clang-tidy --quiet -p build/dev
