#!/usr/bin/env bash
# Makes the environment of the experiments with this package in it and runs them; flags go to
# experiments/run.py, whose --help lists them. Everything it makes but the pages lies in
# build/experiments.
#
#   scripts/experiments.sh [--small] [--data FOLDER] [--mnist FOLDER] [--out FOLDER] [NAME...]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/experiments/venv
pip=("$venv/bin/python" -m pip install --quiet --disable-pip-version-check)

lists=(experiments/requirements.txt experiments/requirements-optional.txt)
if ! cat "${lists[@]}" | cmp -s - "$venv/boxwood-requirements.txt"; then
  echo "experiments: putting the libraries of ${lists[0]} into $venv"
  python3 -m venv "$venv"
  "${pip[@]}" -r "${lists[0]}"
  # One by one: what cannot be installed here is left out, and the pages say so.
  { grep -v '^ *\(#\|$\)' "${lists[1]}" || true; } | while read -r -a library; do
    "${pip[@]}" "${library[@]}" </dev/null || echo "experiments: ${library[*]} is left out" >&2
  done
  cat "${lists[@]}" >"$venv/boxwood-requirements.txt"
fi
# The package is built anew when a file of it is newer than the last time.
stamp=$venv/boxwood-installed
sources=(src include python cmake CMakeLists.txt pyproject.toml VERSION)
if [ ! -e "$stamp" ] || [ -n "$(find "${sources[@]}" -newer "$stamp" -type f -print -quit)" ]; then
  echo "experiments: building boxwood into $venv (some minutes)"
  touch "$stamp.begun"
  "${pip[@]}" .
  mv "$stamp.begun" "$stamp"
fi
MPLBACKEND=Agg PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" experiments/run.py "$@"
