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

/// The key of a combination of features is made of its parts, one after the other, from 0 on. A
/// category counts as its hash as a signed number, a comparison as 1 or 0.
std::uint64_t catboost_key_with(std::uint64_t key, std::int64_t part);
/// The key before its last part was added.
std::uint64_t catboost_key_without(std::uint64_t key, std::int64_t part);

}  // namespace boxwood::readers
