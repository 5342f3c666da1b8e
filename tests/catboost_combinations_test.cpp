// CatBoost's statistics of combinations: finding the combinations that have the keys of a table,
// and trees with splits on combinations as trees with splits on single features, against direct
// evaluation.
#include "base/bits.hpp"
#include "readers/catboost.hpp"
#include "readers/catboost_hash.hpp"
#include "seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace catboost_combinations_test {

using namespace boxwood;
using namespace boxwood::readers;
using Kind = CatboostElement::Kind;

constexpr std::int32_t towns = 0, trades = 1, income = 2, age = 3;  // features

int pick(std::mt19937_64& random, int count) {
  return std::uniform_int_distribution<int>(0, count - 1)(random);
}

/// 1 or 0: what a comparison says of a value; of a category its code.
std::int32_t value_of(const CatboostPart& part, const std::vector<double>& point,
                      const std::vector<std::size_t>& codes) {
  const double x = point[static_cast<std::size_t>(part.feature)];
  if (part.kind == Kind::above) return std::isnan(x) ? part.missing_above : x > part.border;
  const auto others = static_cast<std::int32_t>(codes[static_cast<std::size_t>(part.feature)]) - 1;
  const bool known = x >= 0 && x < others;
  const std::int32_t code = known ? static_cast<std::int32_t>(x) : others;
  return part.kind == Kind::equal ? code == part.code : code;
}

/// The value index that CatBoost reaches.
std::int32_t followed(const CatboostSteps& steps, const std::vector<double>& point,
                      const std::vector<std::size_t>& codes) {
  std::size_t at = 0;
  while (steps.steps[at].split != nullptr) {
    const CatboostSplit& split = *steps.steps[at].split;
    bool second = false;
    if (split.combinations) {
      std::vector<std::int32_t> tuple;
      for (const CatboostPart& part : split.combinations->parts) {
        tuple.push_back(value_of(part, point, codes));
      }
      const auto& apart = split.combinations->apart;
      const bool is_apart = std::find(apart.begin(), apart.end(), tuple) != apart.end();
      second = is_apart != split.apart_first;
    } else if (split.type == "FloatFeature") {
      const double x = point[static_cast<std::size_t>(split.feature)];
      second = std::isnan(x) ? !split.missing_first : x > split.number;
    } else {
      const CatboostPart part{Kind::category, split.feature, 0, false, 0};
      const auto code = value_of(part, point, codes);
      second =
          std::binary_search(split.apart.begin(), split.apart.end(), code) != split.apart_first;
    }
    at = second ? steps.steps[at].second : steps.steps[at].first;
  }
  return steps.steps[at].value;
}

CatboostSplit random_split(std::mt19937_64& random, const std::vector<std::size_t>& codes) {
  CatboostSplit split;
  const auto border = [&] { return static_cast<double>(pick(random, 4)); };
  // Missing numbers are below all borders of the income and above all of the age.
  const int kind = pick(random, 5);
  if (kind == 0) {
    split.type = "FloatFeature";
    split.feature = pick(random, 2) == 0 ? income : age;
    split.number = border();
    split.missing_first = split.feature == income;
    return split;
  }
  split.type = "OnlineCtr";
  split.apart_first = pick(random, 2) == 0;
  if (kind == 1) {
    split.feature = pick(random, 2) == 0 ? towns : trades;
    const auto known = static_cast<int>(codes[static_cast<std::size_t>(split.feature)]) - 1;
    for (int c = 0; c < known; ++c) {
      if (pick(random, 2) == 0) split.apart.push_back(c);
    }
    return split;
  }
  auto asked = std::make_shared<CatboostCombinations>();
  if (pick(random, 3) > 0) asked->parts.push_back({Kind::category, towns, 0, false, 0});
  asked->parts.push_back({Kind::category, trades, 0, false, 0});
  if (pick(random, 2) == 0) asked->parts.push_back({Kind::above, income, border(), false, 0});
  if (pick(random, 2) == 0) asked->parts.push_back({Kind::above, age, border(), true, 0});
  if (pick(random, 3) == 0) asked->parts.push_back({Kind::above, age, border(), true, 0});
  if (pick(random, 3) == 0) asked->parts.push_back({Kind::equal, towns, 0, false, 1});
  std::set<std::vector<std::int32_t>> tuples;
  for (int n = pick(random, 14); n > 0; --n) {
    std::vector<std::int32_t> tuple;
    for (const CatboostPart& part : asked->parts) {
      const auto known = static_cast<int>(codes[static_cast<std::size_t>(part.feature)]) - 1;
      tuple.push_back(pick(random, part.kind == Kind::category ? known : 2));
    }
    tuples.insert(std::move(tuple));
  }
  asked->apart.assign(tuples.begin(), tuples.end());
  split.combinations = std::move(asked);
  return split;
}

TEST(CatboostCombinations, BecomeSplitsOnSingleFeatures) {
  std::mt19937_64 random(test_seed());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (int round = 0; round < test_cases(150); ++round) {
    const std::vector<std::size_t> codes{4, 6, 0, 0};
    std::vector<CatboostSplit> splits;
    for (int n = 1 + pick(random, 5); n > 0; --n) splits.push_back(random_split(random, codes));
    // A tree in which every path asks some of the splits.
    CatboostSteps steps;
    steps.steps.resize(1);
    for (std::size_t i = 0; i < steps.steps.size(); ++i) {
      if (i > 0 && (steps.steps.size() > 40 || pick(random, 4) == 0)) {
        steps.steps[i].value = static_cast<std::int32_t>(i);
        continue;
      }
      steps.steps[i].split =
          &splits[static_cast<std::size_t>(pick(random, static_cast<int>(splits.size())))];
      steps.steps[i].first = steps.steps.size();
      steps.steps[i].second = steps.steps.size() + 1;
      steps.steps.resize(steps.steps.size() + 2);
    }
    Tree tree;
    std::size_t room = 100'000;
    ASSERT_TRUE(catboost_split_combinations(steps, codes, room, tree));
    const auto leaves = static_cast<std::size_t>(
        std::count_if(tree.nodes.begin(), tree.nodes.end(),
                      [](const Node& node) { return node.kind == NodeKind::leaf; }));
    EXPECT_LE(leaves, 100'000 - room);
    EXPECT_GE(leaves + 1 + leaves / 8, 100'000 - room);
    for (const double town : {0.0, 1.0, 2.0, 3.0, 7.0, nan}) {
      for (const double trade : {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, nan}) {
        for (const double x : {-1.0, 0.0, 0.5, 1.0, 2.5, 3.0, 4.0, nan}) {
          for (const double y : {-1.0, 0.0, 1.5, 3.0, 3.5, nan}) {
            const std::vector<double> point{town, trade, x, y};
            const std::int32_t leaf = reach_leaf(tree, point, Precision::float64);
            ASSERT_EQ(tree.nodes[static_cast<std::size_t>(leaf)].value,
                      followed(steps, point, codes))
                << "round " << round << " at " << town << ' ' << trade << ' ' << x << ' ' << y;
          }
        }
      }
    }
    std::size_t too_little = leaves - 1;
    Tree other;
    EXPECT_FALSE(catboost_split_combinations(steps, codes, too_little, other));
  }
}

TEST(CatboostCombinations, AreFoundByTheirKeys) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < test_cases(40); ++round) {
    CatboostTable table;
    std::vector<std::vector<std::uint32_t>> known;
    const int categories = 1 + pick(random, 3);
    for (int c = 0; c < categories; ++c) {
      table.elements.push_back({Kind::category, static_cast<std::size_t>(c), 0, 0});
      known.emplace_back();
      for (int n = 2 + pick(random, 8); n > 0; --n) {
        known.back().push_back(static_cast<std::uint32_t>(random()));
      }
    }
    for (int b = pick(random, 3); b > 0; --b) {
      table.elements.push_back({Kind::above, 0, 1, 0});
      known.emplace_back();
    }
    std::set<std::vector<std::int64_t>> wanted;
    for (int n = 20; n > 0; --n) {
      std::vector<std::int64_t> parts;
      std::uint64_t key = 0;
      for (std::size_t i = 0; i < table.elements.size(); ++i) {
        const auto& hashes = known[i];
        parts.push_back(hashes.empty() ? pick(random, 2)
                                       : bits_as<std::int32_t>(hashes[static_cast<std::size_t>(
                                             pick(random, static_cast<int>(hashes.size())))]));
        // CatBoost's own formula.
        constexpr std::uint64_t root = 0x4906ba494954cb65;
        key = root * (key + root * static_cast<std::uint64_t>(parts.back()));
      }
      table.values[key] = static_cast<float>(n);
      wanted.insert(std::move(parts));
    }
    const CatboostEntries entries = catboost_entries(table, known);
    std::set<std::vector<std::int64_t>> found;
    for (const CatboostEntry& entry : entries.found) found.insert(entry.parts);
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(entries.unnamed, 0U);
    // A category that is not known leaves its keys unnamed.
    const std::uint32_t dropped = known[0].front();
    std::erase(known[0], dropped);
    const auto with = static_cast<std::size_t>(std::count_if(
        wanted.begin(), wanted.end(),
        [&](const auto& parts) { return parts[0] == bits_as<std::int32_t>(dropped); }));
    EXPECT_EQ(catboost_entries(table, known).unnamed, with);
  }
}

TEST(CatboostCombinations, TooManyToTryAreNotTried) {
  CatboostTable table;
  std::vector<std::vector<std::uint32_t>> known;
  for (std::size_t c = 0; c < 6; ++c) {
    table.elements.push_back({Kind::category, c, 0, 0});
    known.emplace_back(4000, 1U);
  }
  table.values[1] = 1;
  EXPECT_TRUE(catboost_entries(table, known).too_many);
}

}  // namespace catboost_combinations_test
