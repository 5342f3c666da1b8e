#!/usr/bin/env bash
# Exits of Python while threads search (tests/python/test_exit.py), with every supported Python that is installed. Each one has a build
# folder build/python-VERSION with an environment of its own in it; both are kept. The library is compiled as for the developer build, so
# that a compiler cache has it already. One line a version; fails when one of them fails or none is found.
#
#   scripts/pythons.sh                 3.10 to 3.14
#   scripts/pythons.sh 3.12 3.13       these
set -uo pipefail
cd "$(dirname "$0")/.."
versions=("$@")
[ ${#versions[@]} -gt 0 ] || versions=(3.10 3.11 3.12 3.13 3.14)

prepare() {  # prepare VERSION FOLDER
  local python=$PWD/$2/environment/bin/python
  [ -x "$python" ] || "python$1" -m venv "$2/environment" || return 1
  "$python" -m pip install --quiet --disable-pip-version-check nanobind pytest numpy scikit-learn &&
    cmake --preset dev -B "$2" -DBOXWOOD_BUILD_PYTHON=ON -DBOXWOOD_BUILD_TESTS=OFF -DBOXWOOD_BUILD_BENCH=OFF \
      -DPython_EXECUTABLE="$python" &&
    cmake --build "$2" --target boxwood_python
}
run() {  # run FOLDER
  PYTHONPATH=$PWD/$1/python "$1/environment/bin/python" -m pytest -p no:cacheprovider --noconftest tests/python/test_exit.py
}

tried=0 failed=0
for version in "${versions[@]}"; do
  folder=build/python-$version log=build/python-$version.log
  mkdir -p "$folder"
  if ! "python$version" --version >/dev/null 2>&1; then
    echo "$version: not installed"
    continue
  fi
  tried=$((tried + 1))
  if prepare "$version" "$folder" >"$log" 2>&1 && run "$folder" >>"$log" 2>&1; then
    echo "$version: $(tail -n 1 "$log")"
  else
    echo "$version: failed, see $log" >&2
    failed=1
  fi
done
[ $tried -gt 0 ] && [ $failed = 0 ]
