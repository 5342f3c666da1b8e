#!/usr/bin/env bash
# Formats our C++ files, or with --check names those that are not formatted. Version 14, because
# other versions lay out some lines differently; --tool prints the program of that version.
set -euo pipefail
cd "$(dirname "$0")/.."

tool=
for candidate in clang-format-14 clang-format; do
  if "$candidate" --version 2>/dev/null | grep -q 'version 14\.'; then
    tool=$candidate
    break
  fi
done
if [ -z "$tool" ]; then
  {
    if other=$(clang-format --version 2>/dev/null); then
      echo "format: clang-format is of another version ($other); version 14 is needed"
    else
      echo "format: clang-format is missing; version 14 is needed"
    fi
    echo "format: Debian and Ubuntu have it as clang-format-14, pip as clang-format==14.0.6"
  } >&2
  exit 1
fi
if [ "${1:-}" = --tool ]; then
  echo "$tool"
  exit
fi

mapfile -t files < <(find include src python checker bench tests fuzz examples -name '*.[ch]pp' 2>/dev/null | sort)
if [ "${1:-}" != --check ]; then
  exec "$tool" -i "${files[@]}"
fi
status=0
for file in "${files[@]}"; do
  if ! "$tool" --dry-run --Werror "$file" 2>/dev/null; then
    echo "not formatted: $file (make format)"
    status=1
  fi
done
exit $status
