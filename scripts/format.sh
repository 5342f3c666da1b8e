#!/usr/bin/env bash
# Formats our C++ files, or with --check names those that are not formatted. Version 14, because
# other versions lay out some lines differently.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(find include src tests fuzz examples -name '*.[ch]pp' 2>/dev/null | sort)
if [ "${1:-}" != --check ]; then
  exec clang-format-14 -i "${files[@]}"
fi
status=0
for file in "${files[@]}"; do
  if ! clang-format-14 --dry-run --Werror "$file" 2>/dev/null; then
    echo "not formatted: $file (make format)"
    status=1
  fi
done
exit $status
