#!/usr/bin/env bash
# Installs what is missing, by package name, and nothing else: what building needs, with `page` also
# what the page needs, and with `tests` that and what the tests need. Where it may not install it says what to install by hand and
# goes on; the build then names what it lacks. Does nothing, quickly, when all is there.
#
#   scripts/bootstrap.sh [build|page|tests]
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-build}
case $purpose in
  build | page | tests) ;;
  *) echo "bootstrap: unknown purpose \"$purpose\": say build, page or tests" >&2; exit 2 ;;
esac

# Without what is required nothing builds; without an extra, a part of the tests is left out.
required=()
extra=()
cmake_needed=3.25
has_command() { command -v "$1" >/dev/null 2>&1; }
has_header() { echo "#include <$1>" | "${CXX:-c++}" -std=c++20 -E -x c++ - >/dev/null 2>&1; }
has_fuzzer() {
  local folder status=0
  folder=$(mktemp -d)
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ - -fsanitize=fuzzer,address -o "$folder/probe" >/dev/null 2>&1 || status=1
  rm -rf "$folder"
  return $status
}
need() {  # need PACKAGE PROBE...: the package, unless the probe succeeds
  local package=$1
  shift
  "$@" || required+=("$package")
}
like() {  # like PACKAGE PROBE...: the same for an extra
  local package=$1
  shift
  "$@" || extra+=("$package")
}

need cmake has_command cmake
need ninja-build has_command ninja
need g++ has_command "${CXX:-c++}"
need libtbb-dev has_header tbb/task_group.h
need nlohmann-json3-dev has_header nlohmann/json.hpp
need libfmt-dev has_header fmt/format.h
need libprotozero-dev has_header protozero/pbf_reader.hpp
need libcli11-dev has_header CLI/CLI.hpp
if [ "$purpose" != build ]; then
  like emscripten has_command emcc
  like node-acorn test -d /usr/share/nodejs/acorn
  like nodejs has_command node
  like npm has_command npm
fi
if [ "$purpose" = tests ]; then
  like chromium has_command chromium
  need libgtest-dev has_header gtest/gtest.h
  need python3 has_command python3
  need python3-venv python3 -c 'import ensurepip, venv' 2>/dev/null
  like python3-dev python3 -c 'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")' 2>/dev/null
  like default-jre-headless has_command java  # Java 17 on Debian 12, for the tests with Spark
  like mold has_command mold
  like clang has_command clang++
  like clang-format-14 scripts/format.sh --tool >/dev/null 2>&1
  # The run-time libraries of clang's sanitizers and fuzzer are a package of their own.
  if has_command clang++ && ! has_fuzzer; then
    extra+=("libclang-rt-$(clang++ -dumpversion | cut -d. -f1)-dev")
  elif ! has_command clang++; then
    extra+=(libclang-rt-dev)
  fi
fi

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
install_packages() {  # install_packages PACKAGE...: all or none
  echo "bootstrap: installing $*"
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
may_install() {
  if ! has_command apt-get; then
    echo "bootstrap: no apt-get here." >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ] && ! { has_command sudo && sudo -n true 2>/dev/null; }; then
    echo "bootstrap: not root, and sudo is missing or would ask for a password." >&2
    return 1
  fi
}

by_hand=()
if [ $((${#required[@]} + ${#extra[@]})) -gt 0 ]; then
  if may_install; then
    # The lists first: on a fresh machine they are empty or name versions that are gone.
    as_root apt-get update -qq || true
    [ ${#required[@]} -eq 0 ] || install_packages "${required[@]}" || by_hand+=("${required[@]}")
    # One by one: not every release knows every name.
    for package in ${extra[@]+"${extra[@]}"}; do
      install_packages "$package" || by_hand+=("$package")
    done
  else
    by_hand=(${required[@]+"${required[@]}"} ${extra[@]+"${extra[@]}"})
  fi
fi
if [ ${#by_hand[@]} -gt 0 ]; then
  {
    echo "bootstrap: not installed; please install by hand (Debian and Ubuntu names; other systems"
    echo "bootstrap: have the same under similar names):"
    printf '    %s\n' "${by_hand[@]}"
  } >&2
fi

if has_command cmake; then
  cmake_found=$(cmake --version | sed -n '1s/[^0-9]*//p')
  if [ "$(printf '%s\n' "$cmake_needed" "$cmake_found" | sort -V | head -n 1)" != "$cmake_needed" ]
  then
    {
      echo "bootstrap: cmake is version $cmake_found, $cmake_needed or newer is needed. Install one and"
      echo "bootstrap: put it first in PATH: python3 -m pip install 'cmake>=$cmake_needed', or the"
      echo "bootstrap: archive from cmake.org."
    } >&2
  fi
fi

# The real libraries, for the tests that compare with them, and what the documentation is built with.
# The stamp says which lists are in.
lists=(tests/requirements.txt docs/requirements.txt)
if [ "$purpose" = tests ] && ! cat "${lists[@]}" | cmp -s - .venv/boxwood-requirements.txt; then
  echo "bootstrap: putting the libraries of ${lists[*]} into .venv"
  if python3 -m venv .venv &&
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "${lists[@]/#/-r}"; then
    cat "${lists[@]}" >.venv/boxwood-requirements.txt
  else
    {
      echo "bootstrap: not installed; the tests against the real libraries need, in .venv:"
      grep -hv '^#' "${lists[@]}" | sed 's/^/    /'
    } >&2
  fi
fi
