#!/usr/bin/env bash
# Builds the wheel, installs it into a fresh virtual environment with numpy alone, and tries the package,
# the command that it brings and, with pandas, the code of the landing page.
#
#   scripts/wheel_test.sh [PYTHON]      python3 by default; it needs scikit-build-core and nanobind
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
example=$PWD/examples/german_credit
(cd "$folder" && venv/bin/boxwood --version &&
  venv/bin/boxwood explain "$example/model.ubj" --data "$example/applicants.csv" \
    --schema "$example/schema.json" --row 0 --verify | grep "Checked again from the model alone")
# The code of the landing page, as printed, needs nothing else but pandas.
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check pandas
sed -n '/^```python$/,/^```$/p' docs/index.md | grep -v '^```' >"$folder/landing.py"
(cd "$folder" && venv/bin/python landing.py | grep "proven: no allowed change costs less")
# The wheel has the page if it was built before.
if [ -f build/page/index.html ]; then
  (cd "$folder" && venv/bin/boxwood page "$example/model.ubj" --data "$example/applicants.csv" --schema "$example/schema.json" --output page.html &&
    echo 'explainer.save_page("own.html", example.data); answer.save_html("answer.html")' >>landing.py &&
    venv/bin/python landing.py >/dev/null && grep -c boxwood-content page.html own.html answer.html)
fi
