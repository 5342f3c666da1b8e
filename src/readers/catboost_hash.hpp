// CatBoost knows categories by hashes of their text only; these are its hash functions.
// Checked against the strings and tables that CatBoost itself writes
// (tests/catboost_fixtures_test).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace boxwood::readers {

/// What CatBoost holds instead of a category's text: the low half of CityHash64, version 1.0.
/// Whole numbers are hashed as their decimal digits.
std::uint32_t catboost_category_hash(std::string_view text);

/// The category whose key in the table of a single feature's statistics this is. Nothing where no
/// category has this key: then no value of the feature ever finds the entry.
std::optional<std::uint32_t> catboost_category_of_key(std::uint64_t key);

}  // namespace boxwood::readers
