#!/usr/bin/env bash
# Exits of Python while threads search (tests/python/test_exit.py), with every supported Python that is installed. Each one builds the
# package into an environment of its own in build/pythons, which is kept. One line a version; fails when one of them fails or none is found.
#
#   scripts/pythons.sh                 3.10 to 3.14
#   scripts/pythons.sh 3.12 3.13       these
set -uo pipefail
cd "$(dirname "$0")/.."
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(3.10 3.11 3.12 3.13 3.14)
tried=0 failed=0
for version in "${versions[@]}"; do
  folder=build/pythons/$version log=build/pythons/$version.log
  mkdir -p build/pythons
  if ! "python$version" --version >/dev/null 2>&1; then
    echo "$version: not installed"
    continue
  fi
  tried=$((tried + 1))
  if { [ -x "$folder/bin/python" ] || "python$version" -m venv "$folder"; } >"$log" 2>&1 &&
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check . pytest scikit-learn >>"$log" 2>&1 &&
    (cd tests/python && "../../$folder/bin/python" -m pytest -p no:cacheprovider --noconftest test_exit.py) >>"$log" 2>&1; then
    echo "$version: $(tail -n 1 "$log")"
  else
    echo "$version: failed, see $log" >&2
    failed=1
  fi
done
[ $tried -gt 0 ] && [ $failed = 0 ]
