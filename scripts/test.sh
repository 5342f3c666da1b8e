#!/usr/bin/env bash
# All tests, phase by phase, with one count at the end. A phase that fails does not hide the
# others. What this machine cannot run counts as skipped, and with CI=true as failed.
#
#   scripts/test.sh                every phase
#   scripts/test.sh PHASE...       just these: check, all, page, quick, long, soak, engines, drawn_pipelines,
#                                 wheel, asan, tsan, fuzz
set -uo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp) clock=$(mktemp)
trap 'rm -f "$log" "$clock"' EXIT
passed=0 failed=0 skipped=0

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }
# The processor time of all that ran so far tells more than the clock on a machine that others use too.
heading() {
  times >"$clock"  # not in a subshell, whose times begin at 0
  local processors
  processors=$(tail -n 1 "$clock" | tr 'ms.' '   ' | awk '{printf "%d", ($1 + $4) * 60 + $2 + $5}')
  printf '\n== %s (after %s, processor time %s)\n' "$*" "$(minutes $SECONDS)" "$(minutes "$processors")"
}
count() {  # count NAME COMMAND...: one thing that passes or fails as a whole
  local name=$1
  shift
  if "$@" >"$log" 2>&1; then
    echo "$name: passed"
    passed=$((passed + 1))
  else
    cat "$log"
    echo "$name: FAILED"
    failed=$((failed + 1))
  fi
}
skip() {
  echo "skipped: $*"
  if [ "${CI:-}" = true ]; then failed=$((failed + 1)); else skipped=$((skipped + 1)); fi
}
build() {  # build PRESET [CMAKE_OPTION...]: all of it, or what $targets names
  # shellcheck disable=SC2086
  if cmake --preset "$@" >"$log" 2>&1 &&
    cmake --build --preset "$1" ${targets:+--target $targets} >"$log" 2>&1; then
    return 0
  fi
  cat "$log"
  echo "build $1: FAILED"
  failed=$((failed + 1))
  return 1
}
run_ctest() {  # run_ctest PRESET [OPTION...]
  local bad total
  ctest --preset "$@" >"$log" 2>&1
  local status=$?
  read -r bad total < <(sed -nE \
    's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+).*/\1 \2/p' "$log")
  if [ -z "${total:-}" ] || { [ $status -ne 0 ] && [ "$bad" = 0 ]; }; then
    cat "$log"
    failed=$((failed + 1))
    return
  fi
  if [ "$bad" = 0 ]; then
    sed -n '/tests passed/p;/^Total Test time/p' "$log"
    echo "The slowest: $(sed -nE 's/.*Test +#[0-9]+: +([^ ]+) .*Passed +([0-9.]+) sec.*/\2 s \1/p' "$log" |
      sort -rn | head -n 5 | paste -sd, | sed 's/,/, /g')"
  else
    grep -vE '^ +Start +[0-9]+:|^ *[0-9]+/[0-9]+ .* Passed ' "$log"
  fi
  passed=$((passed + total - bad)) failed=$((failed + bad))
}

check() {
  heading "Format and shell scripts"
  if scripts/format.sh --tool >/dev/null 2>&1; then
    count "clang-format" scripts/format.sh --check
  else
    skip "the format check needs clang-format of version 14"
  fi
  count "bash -n" bash -n scripts/*.sh .ci/run
  if [ -x .venv/bin/ruff ]; then
    count "ruff" .venv/bin/ruff check --quiet .
  else
    skip "the check of Python files needs ruff in .venv"
  fi
}
dev() {  # dev PRESET
  heading "Developer build: warnings are errors"
  local python=() targets=
  if [ "$1" != dev ]; then
    targets=quick_tests
  elif .venv/bin/python -c 'import nanobind, pytest' 2>/dev/null; then
    python=(-DBOXWOOD_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/.venv/bin/python")
  fi
  build dev ${python[@]+"${python[@]}"} || return
  heading "Tests"
  if [ "$1" != dev ] || .venv/bin/python -c 'import xgboost, sklearn, nanobind, pytest, matplotlib, mkdocs' 2>/dev/null
  then
    run_ctest "$1"
  else
    run_ctest "$1" --label-exclude live
    skip "the tests against the real libraries need tests/requirements.txt and docs/requirements.txt in .venv"
  fi
}
package_test() {  # package_test NAME MODULES NEEDS COMMAND...: with the package of the developer build
  local name=$1 modules=$2 needs=$3 targets=boxwood_python
  shift 3
  if .venv/bin/python -c "import $modules" 2>/dev/null; then
    build dev -DBOXWOOD_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/.venv/bin/python" || return
    count "$name" env PYTHONPATH="$PWD/build/dev/python" "$@"
  else
    skip "$needs"
  fi
}
soak() {  # BOXWOOD_SOAK_SECONDS, 1800 by default
  local seconds=${BOXWOOD_SOAK_SECONDS:-1800}
  heading "Soak test, $seconds s: mixed questions from two threads, memory"
  package_test soak "nanobind, numpy" "the soak test needs tests/requirements.txt in .venv" \
    OMP_NUM_THREADS=1 .venv/bin/python tests/soak.py "$seconds"
}
engines() {  # BOXWOOD_ENGINE_ROWS, 20000 by default
  local rows=${BOXWOOD_ENGINE_ROWS:-20000} needs="the engines need Java 17 and tests/requirements.txt in .venv"
  heading "Spark and Ray, $rows rows, killed workers"
  if ! command -v java >/dev/null; then
    skip "$needs"
    return
  fi
  package_test engines "pyspark, ray" "$needs" \
    BOXWOOD_CASES="$rows" .venv/bin/python -m pytest -p no:cacheprovider tests/python/test_engines.py
}
drawn_pipelines() {  # BOXWOOD_PIPELINES, 200 by default
  local number=${BOXWOOD_PIPELINES:-200}
  heading "Random pipelines, compositions and rows, $number of each kind, fresh seeds"
  package_test pipelines "nanobind, sklearn, catboost, lightgbm, xgboost" \
    "random pipelines need tests/requirements.txt in .venv" BOXWOOD_CASES="$number" \
    BOXWOOD_SEED="${BOXWOOD_SEED:-fresh}" OMP_NUM_THREADS=1 .venv/bin/python -m pytest -p no:cacheprovider \
    tests/python/test_{pipelines,pipeline_rows,pipeline_bins,stacks,nested,composed,catboost_inside,tables}.py
}
wheel() {
  heading "The Python package as a wheel, in an environment of its own"
  count "wheel" bash scripts/wheel_test.sh "$PWD/.venv/bin/python"
}
page() {  # after `all`, whose command it is compared with
  heading "The page, in Node and in Chromium"
  if ! command -v emcc >/dev/null || ! command -v npm >/dev/null; then
    skip "the page needs emscripten, node-acorn, nodejs and npm"
    return
  fi
  local targets="boxwood_cli boxwood_check boxwood_python"
  [ -n "${dev_is_built:-}" ] || build dev -DBOXWOOD_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$PWD/.venv/bin/python" || return
  count "page build" bash scripts/page.sh
  count "page unit tests" npm --prefix page run --silent test
  count "page out of memory" node page/tests/memory.mjs
  if command -v chromium >/dev/null; then
    count "page in the browser" node --test page/tests/browser.test.mjs
  else  # the browser compares the same questions
    count "page as the command" node page/tests/same_answers.mjs build/dev/bin/boxwood
    skip "the tests of the page in a browser need chromium"
  fi
}
asan() {  # its tests are those of the developer build, linked with an instrumented library
  heading "Address and undefined-behaviour sanitizers, shared library"
  local targets=quick_tests
  build dev && build asan && run_ctest asan
}
tsan() {
  heading "Thread sanitizer"
  build tsan && run_ctest tsan
}
fuzz() {  # 15 s a target on its own, less among all phases
  local fuzz_seconds=${BOXWOOD_FUZZ_SECONDS:-${usual_fuzz_seconds:-15}}
  heading "Fuzzing, $fuzz_seconds s a target"
  if command -v clang++ >/dev/null; then
    count "fuzzing" bash scripts/fuzz.sh "$fuzz_seconds"
  else
    skip "fuzzing needs clang and its run-time libraries"
  fi
}

# beside PHASE: in the background, for a phase that often keeps one processor busy only, as linking
# WebAssembly and the browser do. What it prints and counts is taken at the end.
beside() {
  beside_out=$(mktemp)
  (
    log=$(mktemp) clock=$(mktemp) passed=0 failed=0 skipped=0
    trap 'rm -f "$log" "$clock"' EXIT
    "$1"
    heading "End of what ran beside the other phases"
    echo "$passed $failed $skipped" >"$beside_out.counts"
  ) >"$beside_out" 2>&1 &
  beside_id=$!
}
take_beside() {
  local p=0 f=1 s=0
  wait "$beside_id"
  cat "$beside_out"
  [ ! -e "$beside_out.counts" ] || read -r p f s <"$beside_out.counts"
  passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  rm -f "$beside_out" "$beside_out.counts"
  beside_id=
}

if [ $# = 0 ]; then
  usual_fuzz_seconds=4 dev_is_built=1
  set -- check all page-beside asan tsan fuzz
fi
beside_id=
for phase in "$@"; do
  case $phase in
    page-beside) beside page ;;
    all) dev dev ;;
    quick) dev quick ;;
    long) dev long; soak; engines; drawn_pipelines ;;
    check | page | soak | engines | drawn_pipelines | wheel | asan | tsan | fuzz) "$phase" ;;
    *) echo "test.sh: no phase \"$phase\": check, all, page, quick, long, wheel, asan, tsan, fuzz" >&2; exit 2 ;;
  esac
done

[ -z "$beside_id" ] || take_beside
heading "Summary"
line="$passed passed, $failed failed"
[ $skipped = 0 ] || line+=", $skipped skipped"
echo "$line"
[ $failed = 0 ] && [ $passed -gt 0 ]
