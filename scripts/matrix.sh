#!/usr/bin/env bash
# The tests against the real libraries, with an old and the newest version of each. Every version has
# an environment of its own in build/matrix, which is kept for the next time; delete the folder to get
# the newest again. One line a pair; fails when one of them fails, and keeps its output there.
#
#   scripts/matrix.sh                 all pairs
#   scripts/matrix.sh WORD...         those whose name has one of the words: xgboost, 1.7.6, newest
#
# PYTHON (python3.11) makes the environments; NEWEST_PYTHON (python3.12 where it is installed) those of the
# newest versions, because XGBoost 3.3 and newer need it. COMMAND (build/dev/bin/boxwood) is what is tested.
set -uo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3.11}
newest_python=${NEWEST_PYTHON:-python3.12}
"$newest_python" --version >/dev/null 2>&1 || newest_python=$python
command=${COMMAND:-build/dev/bin/boxwood}
folder=build/matrix
old_numbers="numpy==1.26.4 scipy==1.11.4 pandas==2.1.4"
numbers="numpy scipy pandas"

# name of the pair | family of support_live_test.py | packages
pairs=(
  "xgboost-1.7.6|xgboost|xgboost==1.7.6 scikit-learn==1.3.2 $old_numbers"
  "xgboost-2.1.4|xgboost|xgboost==2.1.4 scikit-learn==1.5.2 $old_numbers"
  "xgboost-newest|xgboost|xgboost scikit-learn $numbers"
  "lightgbm-3.3.5|lightgbm|lightgbm==3.3.5 scikit-learn==1.3.2 $old_numbers"
  "lightgbm-newest|lightgbm|lightgbm scikit-learn $numbers"
  "catboost-1.2|catboost|catboost==1.2 $old_numbers"
  "catboost-newest|catboost|catboost $numbers"
  "sklearn-1.3.2|sklearn|scikit-learn==1.3.2 $old_numbers"
  "sklearn-newest|sklearn|scikit-learn $numbers"
  # Before 1.27 onnxruntime computes other numbers (docs/models.md). Newer protobuf refuses what these converters write.
  "onnx-1.27|onnx|onnxruntime>=1.27,<1.28 protobuf<6 onnx==1.17.0 skl2onnx==1.17.0 onnxmltools==1.12.0 scikit-learn==1.5.2 xgboost==2.1.4 lightgbm==4.3.0 catboost==1.2.7 $old_numbers"
  # Libraries that the everyday tests have records of only.
  "interpret-newest|interpret|interpret-core $numbers"
  "spark-newest|spark|pyspark pyarrow $numbers"
  # sklearn2pmml follows scikit-learn's releases after some weeks.
  "pmml-newest|pmml|jpmml_evaluator py4j sklearn2pmml scikit-learn<1.9.1 $numbers"
  "treelite-newest|treelite|treelite scikit-learn xgboost lightgbm $numbers"
  "sksurv-newest|sksurv|scikit-survival $numbers"
  "ngboost-newest|ngboost|ngboost $numbers"
  "quantile-forest-newest|quantile_forest|quantile-forest $numbers"
  "ydf-newest|ydf|ydf $numbers"
  # Newer releases of H2O export MOJO files with a licence only. Needs Java.
  "h2o-3.44|h2o|h2o==3.44.0.3 jpype1 setuptools $numbers"
  "category-encoders-newest|encoders|category_encoders scikit-learn $numbers"
  "imbalanced-newest|imbalanced|imbalanced-learn scikit-learn $numbers"
  "skops-newest|skops_files|skops scikit-learn $numbers"
  # Solvers and treecf, which judge linear rules.
  "judges|judges|highspy ortools treecf>=0.3.2,<0.4 xgboost numpy"
  "onnx-newest|onnx|onnxruntime onnx skl2onnx onnxmltools scikit-learn xgboost lightgbm catboost $numbers"
)

wanted() {  # wanted NAME WORD...
  local name=$1 word
  shift
  [ $# -gt 0 ] || return 0
  for word in "$@"; do
    case $name in *"$word"*) return 0 ;; esac
  done
  return 1
}
install() {  # install NAME PACKAGES: does nothing where they are there already
  local home=$folder/$1 python_of_pair
  [ "$(cat "$home/packages" 2>/dev/null)" = "$2" ] && return 0
  rm -rf "$home"
  # Words, not one: a list of packages. Built ones only, because old sources do not build everywhere; Spark and H2O have no others than sources.
  # shellcheck disable=SC2086
  case $1 in *-newest) python_of_pair=$newest_python ;; *) python_of_pair=$python ;; esac
  "$python_of_pair" -m venv "$home" &&
    "$home/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-binary pyspark,h2o $2 &&
    echo "$2" >"$home/packages"
}
try() {  # try NAME FAMILY PACKAGES
  install "$1" "$3" || return 1
  local run="$folder/$1/bin/python" status=0
  export PYSPARK_PYTHON=$PWD/$run  # or Spark starts its workers with another version
  if [ "$2" = judges ] || [ "$2" = encoders ] || [ "$2" = imbalanced ] || [ "$2" = skops_files ]; then
    "$run" "tests/$2.py" --command "$command"
    return
  fi
  if [ -e "tests/$2_live_test.py" ]; then
    "$run" "tests/$2_live_test.py" --command "$command" || status=1
  fi
  "$run" tests/support_live_test.py --family "$2" --command "$command" || status=1
  return $status
}

if [ ! -x "$command" ]; then
  echo "matrix.sh: $command is not there: cmake --preset dev && cmake --build --preset dev" >&2
  exit 2
fi
export PYTHONDONTWRITEBYTECODE=1
mkdir -p "$folder"
passed=0 failed=0
for pair in "${pairs[@]}"; do
  IFS='|' read -r name family packages <<<"$pair"
  wanted "$name" "$@" || continue
  start=$SECONDS
  if try "$name" "$family" "$packages" >"$folder/$name.log" 2>&1; then
    passed=$((passed + 1)) verdict=passed
  else
    failed=$((failed + 1)) verdict="FAILED, see $folder/$name.log"
  fi
  printf '%-16s %4d s  %s\n' "$name" $((SECONDS - start)) "$verdict"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
