// CatBoost identifies categories by hashes of their text; these are its hash functions.
// Checked against the strings and tables that CatBoost itself writes
// (tests/catboost_fixtures_test).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace boxwood::readers {

/// The hash by which CatBoost identifies a category: the low half of CityHash64, version 1.0, of
/// its text. Integers are hashed as decimal text.
std::uint32_t catboost_category_hash(std::string_view text);

/// The category that has this key in the table of a single feature's statistics. Nothing if no
/// category has this key; such an entry is never used.
std::optional<std::uint32_t> catboost_category_of_key(std::uint64_t key);

}  // namespace boxwood::readers
