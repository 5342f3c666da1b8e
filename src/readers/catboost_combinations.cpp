// Trees with splits on combinations of features. Such a split asks whether a tuple of values is in
// a set. Here it becomes splits on single features, as many as are needed until the possible values
// of every feature decide it. Splits that are already decided are omitted.
#include "readers/catboost.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

namespace boxwood::readers {
namespace {

using PartKind = CatboostElement::Kind;
using Codes = std::vector<std::int32_t>;  // ascending
using Rows = std::vector<std::uint32_t>;  // of CatboostCombinations::apart

/// The values of a feature that are possible on the path from the root. A missing number counts as
/// below or above all borders of its feature, so it always stays with the numbers at one end.
struct LeftOver {
  double above = -std::numeric_limits<double>::infinity();  // no longer at or below this border
  double up_to = std::numeric_limits<double>::infinity();
  std::shared_ptr<const Codes> codes;

  /// 0 or 1 where a comparison is decided, otherwise -1.
  int decided(const CatboostPart& part) const {
    if (part.kind == PartKind::above)
      return part.border <= above ? 1 : part.border >= up_to ? 0 : -1;
    const bool in = std::binary_search(codes->begin(), codes->end(), part.code);
    return !in ? 0 : codes->size() == 1 ? 1 : -1;
  }
};

/// The tuples of a split on combinations that are still possible.
using PossibleRows = std::map<const CatboostCombinations*, std::shared_ptr<const Rows>>;

struct PendingNode {
  std::size_t node = 0;
  std::size_t step = 0;
  std::map<std::int32_t, LeftOver> left;  // by feature
  PossibleRows possible;
};

class CombinationBuilder {
 public:
  CombinationBuilder(const CatboostSteps& steps, const std::vector<std::size_t>& codes,
                     std::size_t& room, Tree& tree)
      : steps_(steps.steps), codes_(codes), room_(room), tree_(tree) {}

  bool run() {
    tree_.nodes.assign(1, {});
    PendingNode root;
    for (const auto& step : steps_) {
      if (step.split == nullptr) continue;
      if (!step.split->combinations) {
        add_feature(root, step.split->feature);
        continue;
      }
      const CatboostCombinations& asked = *step.split->combinations;
      for (const CatboostPart& part : asked.parts) add_feature(root, part.feature);
      auto& rows = root.possible[&asked];
      if (rows) continue;
      auto all = std::make_shared<Rows>(asked.apart.size());
      for (std::size_t r = 0; r < all->size(); ++r) (*all)[r] = static_cast<std::uint32_t>(r);
      rows = std::move(all);
    }
    waiting_.push_back(std::move(root));
    while (!waiting_.empty()) {
      PendingNode next = std::move(waiting_.back());
      waiting_.pop_back();
      if (!place(std::move(next))) return false;
    }
    return true;
  }

 private:
  void add_feature(PendingNode& root, std::int32_t feature) const {
    LeftOver& left = root.left[feature];
    const std::size_t count = codes_[static_cast<std::size_t>(feature)];
    if (left.codes || count == 0) return;
    auto all = std::make_shared<Codes>(count);
    for (std::size_t c = 0; c < count; ++c) (*all)[c] = static_cast<std::int32_t>(c);
    left.codes = std::move(all);
  }

  /// Tuples that are looked at count too, which limits the time as well as the memory.
  bool take(std::size_t leaves) {
    leaves += looked_at_ / looks_of_a_leaf;
    looked_at_ %= looks_of_a_leaf;
    if (leaves > room_) return false;
    room_ -= leaves;
    return true;
  }

  /// Follows decided splits from a step, and then makes the node a leaf or splits it.
  bool place(PendingNode at) {
    if (looked_at_ >= looks_of_a_leaf && !take(0)) return false;
    while (steps_[at.step].split != nullptr) {
      const auto& step = steps_[at.step];
      const bool decided =
          step.split->combinations ? combination(at, *step.split) : plain(at, *step.split);
      if (!decided) return true;
      at.step = second_ ? step.second : step.first;
    }
    if (!take(1)) return false;
    tree_.nodes[at.node].value = steps_[at.step].value;
    return true;
  }

  /// Whether a split on one feature is decided (then `second_` has the branch); otherwise the split
  /// is made.
  bool plain(PendingNode& at, const CatboostSplit& split) {
    const LeftOver& left = at.left.at(split.feature);
    if (split.type == "FloatFeature") {
      const CatboostPart part{PartKind::above, split.feature, split.number, !split.missing_first,
                              0};
      const int decided = left.decided(part);
      if (decided < 0) return split_on(at, part);
      second_ = decided == 1;
      return true;
    }
    Codes in;
    std::set_intersection(left.codes->begin(), left.codes->end(), split.apart.begin(),
                          split.apart.end(), std::back_inserter(in));
    if (in.empty() || in.size() == left.codes->size()) {
      second_ = in.empty() == split.apart_first;
      return true;
    }
    return split_codes(at, split.feature, std::move(in));
  }

  /// The same for a split on a combination.
  bool combination(PendingNode& at, const CatboostSplit& split) {
    const CatboostCombinations& asked = *split.combinations;
    const Rows& rows = *at.possible.at(&asked);
    if (rows.empty() || rows.size() == tuples(at, asked.parts)) {
      second_ = rows.empty() == split.apart_first;
      return true;
    }
    // Values of a part that the tuples treat alike stay together. The part with the fewest groups
    // of such values is split.
    std::size_t best = asked.parts.size();
    std::vector<Codes> groups;
    for (std::size_t p = 0; p < asked.parts.size(); ++p) {
      looked_at_ += 8 * rows.size();  // grouping them takes about eight times as long
      std::vector<Codes> own = groups_of(at, asked, rows, p);
      if (own.size() < 2 || (best < asked.parts.size() && own.size() >= groups.size())) continue;
      best = p;
      groups = std::move(own);
    }
    const CatboostPart& part = asked.parts[best];
    if (part.kind != PartKind::category) return split_on(at, part);
    // If the code that stands for all others is still possible, it is in the last group, which goes
    // right.
    Codes in;
    for (std::size_t g = 0; g < groups.size() / 2; ++g) {
      in.insert(in.end(), groups[g].begin(), groups[g].end());
    }
    std::sort(in.begin(), in.end());
    return split_codes(at, part.feature, std::move(in));
  }

  /// An upper bound on the number of possible tuples. It is too high where two comparisons of one
  /// number exclude each other's values; a split that seems undecided for this reason is split
  /// further.
  static std::size_t tuples(const PendingNode& at, const std::vector<CatboostPart>& parts) {
    constexpr std::size_t many = std::numeric_limits<std::uint32_t>::max();
    std::size_t count = 1;
    for (const CatboostPart& part : parts) {
      const LeftOver& left = at.left.at(part.feature);
      count *= part.kind == PartKind::category ? left.codes->size()
               : left.decided(part) < 0        ? 2
                                               : 1;
      if (count > many) return many;
    }
    return count;
  }

  /// The possible values of a part, grouped by the tuples of the other parts that occur with them.
  /// Values without a tuple are one group, which comes last; if there are none, the last group is
  /// the one with the largest value.
  static std::vector<Codes> groups_of(const PendingNode& at, const CatboostCombinations& asked,
                                      const Rows& rows, std::size_t p) {
    const CatboostPart& part = asked.parts[p];
    const LeftOver& left = at.left.at(part.feature);
    Codes values{0, 1};
    if (part.kind == PartKind::category) {
      values = *left.codes;
    } else if (left.decided(part) >= 0) {
      return {};
    }
    std::map<std::vector<std::int32_t>, std::uint32_t> numbers;  // of the other parts
    std::map<std::int32_t, std::vector<std::uint32_t>> with;
    for (const std::uint32_t row : rows) {
      std::vector<std::int32_t> rest = asked.apart[row];
      const std::int32_t value = rest[p];
      rest[p] = 0;
      const auto number = static_cast<std::uint32_t>(numbers.size());
      with[value].push_back(numbers.try_emplace(std::move(rest), number).first->second);
    }
    std::map<std::vector<std::uint32_t>, Codes> alike;
    for (const std::int32_t value : values) {
      auto& of = with[value];
      std::sort(of.begin(), of.end());
      alike[of].push_back(value);
    }
    std::vector<Codes> groups;
    for (auto& [of, group] : alike) groups.push_back(std::move(group));
    // Only categories that tables name have tuples; the code that stands for all others never has.
    const auto last =
        std::max_element(groups.begin(), groups.end(),
                         [](const Codes& a, const Codes& b) { return a.back() < b.back(); });
    std::iter_swap(last, groups.end() - 1);
    return groups;
  }

  bool split_on(PendingNode& at, const CatboostPart& part) {
    if (part.kind == PartKind::equal) return split_codes(at, part.feature, {part.code});
    Node node;
    node.kind = NodeKind::less_equal;
    node.feature = part.feature;
    node.threshold = part.border;
    node.missing_left = !part.missing_above;
    PendingNode high = at;
    at.left.at(part.feature).up_to = part.border;
    high.left.at(part.feature).above = part.border;
    return make(node, std::move(at), std::move(high));
  }

  bool split_codes(PendingNode& at, std::int32_t feature, Codes in) {
    Codes out;
    const Codes& all = *at.left.at(feature).codes;
    std::set_difference(all.begin(), all.end(), in.begin(), in.end(), std::back_inserter(out));
    Node node;
    node.kind = NodeKind::in_set;
    node.feature = feature;
    // Unknown and missing categories are in no set; they stay with the code for all others.
    const auto [found, fresh] = sets_.try_emplace(in, static_cast<std::int32_t>(tree_.sets.size()));
    if (fresh) tree_.sets.push_back(in);
    node.value = found->second;
    PendingNode others = at;
    at.left.at(feature).codes = std::make_shared<const Codes>(std::move(in));
    others.left.at(feature).codes = std::make_shared<const Codes>(std::move(out));
    return make(node, std::move(at), std::move(others));
  }

  /// Always false: the split is made here because it was not decided.
  bool make(Node node, PendingNode left, PendingNode right) {
    const std::size_t at = left.node;
    node.left = static_cast<std::int32_t>(tree_.nodes.size());
    node.right = node.left + 1;
    tree_.nodes[at] = node;
    left.node = tree_.nodes.size();
    right.node = left.node + 1;
    tree_.nodes.resize(tree_.nodes.size() + 2);
    for (PendingNode* child : {&left, &right}) {
      narrow(*child, node.feature);
      waiting_.push_back(std::move(*child));
    }
    return false;
  }

  /// Drops tuples with a value that is no longer possible.
  void narrow(PendingNode& at, std::int32_t feature) {
    const LeftOver& left = at.left.at(feature);
    for (auto& [asked, rows] : at.possible) {
      for (std::size_t p = 0; p < asked->parts.size(); ++p) {
        const CatboostPart& part = asked->parts[p];
        if (part.feature != feature) continue;
        const int decided = part.kind == PartKind::category ? -1 : left.decided(part);
        if (part.kind != PartKind::category && decided < 0) continue;
        looked_at_ += rows->size();
        auto kept = std::make_shared<Rows>();
        for (const std::uint32_t row : *rows) {
          const std::int32_t value = asked->apart[row][p];
          const bool possible =
              part.kind == PartKind::category
                  ? std::binary_search(left.codes->begin(), left.codes->end(), value)
                  : value == decided;
          if (possible) kept->push_back(row);
        }
        rows = std::move(kept);
      }
    }
  }

  const std::vector<CatboostSteps::Step>& steps_;
  const std::vector<std::size_t>& codes_;
  std::size_t& room_;
  Tree& tree_;
  std::map<Codes, std::int32_t> sets_;
  std::vector<PendingNode> waiting_;
  bool second_ = false;
  static constexpr std::size_t looks_of_a_leaf = 8192;
  std::size_t looked_at_ = 0;
};

}  // namespace

bool catboost_split_combinations(const CatboostSteps& steps, const std::vector<std::size_t>& codes,
                                 std::size_t& room, Tree& tree) {
  return CombinationBuilder(steps, codes, room, tree).run();
}

}  // namespace boxwood::readers
