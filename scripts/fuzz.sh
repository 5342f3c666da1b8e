#!/usr/bin/env bash
# Builds the fuzz targets and runs each and the fuzzer of the solver for some seconds. Fails on a crash, a sanitizer's finding,
# an input that takes longer than 25 s or needs more than 2 GB; the input is left in build/asan/findings.
#
#   scripts/fuzz.sh SECONDS [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS [BUILD_FOLDER]}
build=${2:-build/asan}
fixtures=tests/data/xgboost
# The fuzzer draws the same every day; 0 lets it draw a seed of its own.
first=${BOXWOOD_SEED:-20210514}
[ "$first" != fresh ] || first=0

targets=(fuzz_xgboost_json fuzz_xgboost_ubjson fuzz_lightgbm fuzz_catboost fuzz_catboost_binary fuzz_onnx
         fuzz_model_bytes fuzz_query_text fuzz_schema fuzz_csv)
cmake --preset asan -B "$build" >/dev/null
cmake --build "$build" --target "${targets[@]}"

fuzz() {  # fuzz TARGET
  local target=$1 corpus=$build/corpus/$1 log=$build/findings/$1.log seeds seed program
  mkdir -p "$corpus" "$build/findings"
  case $target in
    fuzz_xgboost_json) seeds=("$fixtures"/*/*.json) ;;
    fuzz_lightgbm) seeds=(tests/data/lightgbm/*/*.txt) ;;
    fuzz_onnx) seeds=(tests/data/onnx/*/*.onnx) ;;
    fuzz_xgboost_ubjson) seeds=("$fixtures"/*/*.ubj) ;;
    fuzz_catboost) seeds=(fuzz/seeds/*.catboost.json) ;;
    fuzz_catboost_binary) seeds=(fuzz/seeds/*.cbm) ;;
    fuzz_query_text) seeds=(fuzz/seeds/*.query) ;;
    fuzz_schema) seeds=(fuzz/seeds/*.schema.json) ;;
    fuzz_csv) seeds=(fuzz/seeds/*.csv) ;;
    *) seeds=(fuzz/seeds/*.boxwood.json fuzz/seeds/*.catboost.json tests/data/sklearn/*/*.json "$fixtures"/3.4.1/missing_only.{json,ubj}
             tests/data/onnx/*/newest_*.onnx) ;;
  esac
  for seed in "${seeds[@]}"; do
    # Small files only: they have all the parts, and the fuzzer is faster with them.
    [ "$(wc -c <"$seed")" -gt 4000 ] || cp "$seed" "$corpus/$(basename "$(dirname "$seed")")_$(basename "$seed")"
  done
  # Inputs that earlier runs found, minimised: each one covers code that no other does.
  for seed in fuzz/corpus/"$target"/*; do
    [ ! -e "$seed" ] || cp "$seed" "$corpus"
  done
  program=$(find "$build" -name "$target" -type f -perm -u+x | head -n 1)
  if ! "$program" "$corpus" -seed="$first" -dict=fuzz/words.dict -artifact_prefix="$build/findings/$target-" \
    -max_len=16384 -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=25 -print_final_stats=1 \
    >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "$target: found something; the input is in $build/findings" >&2
    return 1
  fi
  echo "$target, $seconds s: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs"
}

# The solver against brute force (tests/solver_fuzz_test.cpp), in whichever build has it; BOXWOOD_SEED=fresh draws other questions.
solver() {
  local log=$build/findings/solver.log program
  mkdir -p "$build/findings"
  for program in build/{dev,asan}/tests/solver_fuzz_test; do [ ! -x "$program" ] || break; done
  if [ ! -x "$program" ]; then
    echo "solver_fuzz_test is not built: cmake --preset dev && cmake --build --preset dev --target solver_fuzz_test" >&2
    return 1
  fi
  if ! BOXWOOD_SECONDS=$seconds "$program" >"$log" 2>&1; then
    tail -n 60 "$log"
    return 1
  fi
  echo "solver, $seconds s: $(grep -E '^[0-9]+ questions' "$log")"
}

# One for each processor at a time.
failed=0 running=0
for target in solver "${targets[@]}"; do
  if [ $running -ge "$(nproc 2>/dev/null || echo 2)" ]; then
    wait -n || failed=1
    running=$((running - 1))
  fi
  if [ "$target" = solver ]; then solver & else fuzz "$target" & fi
  running=$((running + 1))
done
while [ $running -gt 0 ]; do
  wait -n || failed=1
  running=$((running - 1))
done
[ $failed = 0 ]
echo "nothing found"
