#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh virtual environment with numpy alone, and tries it.
#
#   scripts/wheel_test.sh [PYTHON]      python3 by default; it needs scikit-build-core and nanobind
#
# The library is compiled once for all tests: where build/dev has been built with ccache, this takes
# seconds.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${1:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$python" -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps \
  --wheel-dir "$folder" .
"$python" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check "$folder"/boxwood-*.whl
(cd "$folder" && venv/bin/python "$OLDPWD/tests/python/installed.py" "$OLDPWD/examples/german_credit")
