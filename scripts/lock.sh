#!/usr/bin/env bash
# Writes scripts/build.lock: the exact versions, with hashes of their wheels on every platform, of what
# builds the wheels of a release. Run it to take newer versions; review the difference before you commit it.
#
#   scripts/lock.sh [PYTHON]      python3 by default; needs pip and the network
set -euo pipefail
cd "$(dirname "$0")"
python=${1:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# pip decides by its own Python which of these the oldest one needs: they are named here.
only_for_3_10=(exceptiongroup tomli typing_extensions)
requirements=(scikit-build-core nanobind==3.1.0 cmake ninja "${only_for_3_10[@]}")
platforms=(manylinux_2_28_x86_64 manylinux_2_28_aarch64 macosx_13_0_x86_64 macosx_13_0_arm64
  macosx_11_0_universal2 win_amd64)
older=(--platform manylinux2014_x86_64 --platform manylinux_2_17_x86_64 --platform manylinux_2_12_x86_64)

"$python" -m pip download --quiet --dest "$folder" --only-binary=:all: --python-version 3.10 \
  --platform manylinux_2_28_x86_64 "${older[@]}" "${requirements[@]}"
# The same versions for the other platforms; only some packages have a wheel for each of them.
for wheel in "$folder"/*.whl; do
  [[ $wheel == *-none-any.whl ]] && continue
  name=$(basename "$wheel")
  for platform in "${platforms[@]:1}"; do
    older_name=${platform/2_28/2_17}
    "$python" -m pip download --quiet --dest "$folder" --only-binary=:all: --no-deps \
      --python-version 3.10 --platform "$platform" --platform "$older_name" \
      "$(cut -d- -f1 <<<"$name")==$(cut -d- -f2 <<<"$name")" 2>/dev/null || true
  done
done

{
  echo "# Written by scripts/lock.sh: what builds the wheels of a release."
  # shellcheck disable=SC2012
  ls "$folder" | awk -F- '{print $1 "==" $2}' | sort -u | while IFS= read -r pinned; do
    name=${pinned%%==*}
    marker=
    [[ " ${only_for_3_10[*]} " == *" $name "* ]] && marker=' ; python_version < "3.11"'
    printf '%s%s' "${pinned//_/-}" "$marker"
    for wheel in "$folder/$name-${pinned#*==}"-*; do
      printf ' \\\n    --hash=sha256:%s' "$(sha256sum "$wheel" | cut -d' ' -f1)"
    done
    echo
  done
} >build.lock
echo "scripts/build.lock: $(grep -c == build.lock) packages, $(grep -c sha256 build.lock) wheels"
