#!/usr/bin/env bash
# Builds boxwood_ask, makes the environment of the benchmarks and runs them; flags go to
# bench/run.py, whose --help lists them. Everything it makes lies in build/bench.
#
#   scripts/bench.sh [--quick] [--data FOLDER] [--mnist FOLDER] [FLAG...]
set -euo pipefail
cd "$(dirname "$0")/.."
venv=build/bench/venv

cmake --preset bench >/dev/null
cmake --build --preset bench
if ! cmp -s bench/requirements.txt "$venv/boxwood-requirements.txt"; then
  echo "bench: putting the libraries of bench/requirements.txt into $venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r bench/requirements.txt
  cp bench/requirements.txt "$venv/boxwood-requirements.txt"
fi
# Threads of a library that wait must not keep a core busy: beside other work it slows training down
# by an order of magnitude.
OMP_WAIT_POLICY=passive PYTHONDONTWRITEBYTECODE=1 exec "$venv/bin/python" bench/run.py "$@"
