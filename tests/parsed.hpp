// What most tests include: parsed once for all of them, as a precompiled header. Tests still
// include what they use, so that they compile without it.
#pragma once

#include <boxwood/analysis.hpp>
#include <boxwood/error.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/read.hpp>
#include <boxwood/schema.hpp>
#include <boxwood/verify.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>
