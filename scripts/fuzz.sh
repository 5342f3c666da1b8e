#!/usr/bin/env bash
# Builds the fuzz targets and runs each for some seconds. Fails on a crash, a sanitizer's finding,
# an input that takes longer than 25 s or needs more than 2 GB; the input is left in build/fuzz.
#
#   scripts/fuzz.sh SECONDS [BUILD_FOLDER]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?usage: scripts/fuzz.sh SECONDS [BUILD_FOLDER]}
build=${2:-build/fuzz}
fixtures=tests/data/xgboost

targets=(fuzz_xgboost_json fuzz_xgboost_ubjson fuzz_lightgbm fuzz_catboost fuzz_onnx
         fuzz_model_bytes fuzz_query_text)
cmake --preset fuzz -B "$build" >/dev/null
cmake --build "$build" --target "${targets[@]}"

for target in "${targets[@]}"; do
  corpus=$build/corpus/$target
  mkdir -p "$corpus" "$build/findings"
  case $target in
    fuzz_xgboost_json) seeds=("$fixtures"/*/*.json) ;;
    fuzz_lightgbm) seeds=(tests/data/lightgbm/*/*.txt) ;;
    fuzz_onnx) seeds=(tests/data/onnx/*/*.onnx) ;;
    fuzz_xgboost_ubjson) seeds=("$fixtures"/*/*.ubj) ;;
    fuzz_catboost) seeds=(fuzz/seeds/*.catboost.json) ;;
    fuzz_query_text) seeds=(fuzz/seeds/*.query) ;;
    *) seeds=(fuzz/seeds/*.json tests/data/sklearn/*/*.json "$fixtures"/3.4.1/missing_only.{json,ubj}
             tests/data/onnx/*/newest_*.onnx) ;;
  esac
  for seed in "${seeds[@]}"; do
    # Small ones only: the fuzzer is faster with them, and they have all the parts.
    [ "$(wc -c <"$seed")" -gt 4000 ] || cp "$seed" "$corpus/$(basename "$(dirname "$seed")")_$(basename "$seed")"
  done
  echo "== $target, $seconds s, $(find "$corpus" -type f | wc -l) seeds"
  program=$(find "$build" -name "$target" -type f -perm -u+x | head -n 1)
  log=$build/findings/$target.log
  if ! "$program" "$corpus" -dict=fuzz/words.dict -artifact_prefix="$build/findings/$target-" \
    -max_len=16384 -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=25 -print_final_stats=1 \
    >"$log" 2>&1; then
    tail -n 60 "$log"
    echo "$target: found something; the input is in $build/findings" >&2
    exit 1
  fi
  grep -E '^stat::(number_of_executed_units|peak_rss_mb|slowest_unit_time_sec)' "$log"
done
echo "nothing found"
