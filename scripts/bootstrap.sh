#!/usr/bin/env bash
# Installs what is missing, by package name, and nothing else: what building needs, and with
# `tests` also what the tests need. Where it may not install it says what to install by hand and
# goes on; the build then names what it lacks. Does nothing, quickly, when all is there.
#
#   scripts/bootstrap.sh [build|tests]
set -euo pipefail
cd "$(dirname "$0")/.."
purpose=${1:-build}
case $purpose in
  build | tests) ;;
  *) echo "bootstrap: unknown purpose \"$purpose\": say build or tests" >&2; exit 2 ;;
esac

missing=()
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
  "$@" || missing+=("$package")
}

need cmake has_command cmake
need ninja-build has_command ninja
need g++ has_command "${CXX:-c++}"
need libtbb-dev has_header tbb/task_group.h
need nlohmann-json3-dev has_header nlohmann/json.hpp
need libfmt-dev has_header fmt/format.h
need libcli11-dev has_header CLI/CLI.hpp
if [ "$purpose" = tests ]; then
  need libgtest-dev has_header gtest/gtest.h
  need python3 has_command python3
  need python3-venv python3 -c 'import ensurepip, venv' 2>/dev/null
  need clang has_command clang++
  need clang-format-14 has_command clang-format-14
  # The run-time libraries of clang's sanitizers and fuzzer are a package of their own.
  if has_command clang++ && ! has_fuzzer; then
    missing+=("libclang-rt-$(clang++ -dumpversion | cut -d. -f1)-dev")
  elif ! has_command clang++; then
    missing+=(libclang-rt-dev)
  fi
fi

install_packages() {
  local root=()
  if ! has_command apt-get; then
    echo "bootstrap: no apt-get here." >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! { has_command sudo && sudo -n true 2>/dev/null; }; then
      echo "bootstrap: not root, and sudo is missing or would ask for a password." >&2
      return 1
    fi
    root=(sudo -n)
  fi
  export DEBIAN_FRONTEND=noninteractive
  echo "bootstrap: installing ${missing[*]}"
  # The lists first: on a fresh machine they are empty or name versions that are gone.
  "${root[@]}" apt-get update -qq &&
    "${root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

if [ ${#missing[@]} -gt 0 ] && ! install_packages; then
  {
    echo "bootstrap: not installed; please install by hand (Debian and Ubuntu names; other systems"
    echo "bootstrap: have the same under similar names):"
    printf '    %s\n' "${missing[@]}"
  } >&2
fi

# The real libraries, for the tests that compare with them. The stamp says which list is in.
if [ "$purpose" = tests ] && ! cmp -s tests/requirements.txt .venv/boxwood-requirements.txt; then
  echo "bootstrap: putting the libraries of tests/requirements.txt into .venv"
  if python3 -m venv .venv &&
    .venv/bin/python -m pip install --quiet --disable-pip-version-check -r tests/requirements.txt; then
    cp tests/requirements.txt .venv/boxwood-requirements.txt
  else
    {
      echo "bootstrap: not installed; the tests against the real libraries need, in .venv:"
      grep -v '^#' tests/requirements.txt | sed 's/^/    /'
    } >&2
  fi
fi
