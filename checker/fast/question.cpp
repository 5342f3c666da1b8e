#include "question.hpp"

#include <algorithm>

namespace check {
namespace {

bool from(const Bound& bound, double value) {  // value >= bound, or > if open
  if (value != bound.hi) return value > bound.hi;
  return bound.open ? bound.lo < 0 : bound.lo <= 0;
}
bool to(const Bound& bound, double value) {
  if (value != bound.hi) return value < bound.hi;
  return bound.open ? bound.lo > 0 : bound.lo >= 0;
}
bool from_all(const std::vector<Bound>& bounds, double value) {
  return std::all_of(bounds.begin(), bounds.end(), [&](const Bound& b) { return from(b, value); });
}
bool to_all(const std::vector<Bound>& bounds, double value) {
  return std::all_of(bounds.begin(), bounds.end(), [&](const Bound& b) { return to(b, value); });
}

/// a + b without rounding: Knuth's two-sum.
Bound exact_sum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part), false};
}

/// Costs must not be negative and not fall with the distance: cells count on it. Multiples of the
/// step must be whole numbers where others are not admissible.
void check_rule(const Rule& rule) {
  bool fits = rule.scale > 0 && std::is_sorted(rule.quantiles.begin(), rule.quantiles.end()) &&
              rule.quantiles.size() != 1;
  for (const double size : {rule.step, rule.least, rule.most, rule.weight, rule.up, rule.down}) {
    fits = fits && size >= 0;
  }
  for (const double value : rule.quantiles) fits = fits && std::isfinite(value);
  for (const auto& row : rule.changes) {
    for (const double size : row) fits = fits && size >= 0;
  }
  if (!fits) throw Unsupported("a rule with a negative cost");
  const bool whole_steps = rule.kind == "continuous" || rule.step == std::floor(rule.step);
  if (!whole_steps || (rule.step > 0 && !rule.allowed.empty())) {
    throw Unsupported("a step with allowed values, or between whole numbers");
  }
}

std::size_t feature_number(const Json& value) {
  if (whole(value) < 0) throw Unsupported("a negative number of a feature");
  return static_cast<std::size_t>(whole(value));
}

double share(const std::vector<double>& q, double value) {
  const auto below = std::lower_bound(q.begin(), q.end(), value) - q.begin();
  const auto above = std::upper_bound(q.begin(), q.end(), value) - q.begin();
  const auto last = static_cast<double>(q.size() - 1);
  const auto number_of = [](auto n) { return static_cast<double>(n); };
  if (below != above) return (number_of(below) + number_of(above - 1)) / 2 / last;
  if (below == 0) return 0;
  if (below == static_cast<std::ptrdiff_t>(q.size())) return 1;
  const auto at = [&](std::ptrdiff_t i) { return q[static_cast<std::size_t>(i)]; };
  const auto lower = std::lower_bound(q.begin(), q.end(), at(below - 1)) - q.begin();
  const auto upper = std::upper_bound(q.begin(), q.end(), at(below)) - q.begin();
  const double start = number_of(lower + below - 1), end = number_of(below + upper - 1);
  const double way = (value - at(lower)) / (at(below) - at(lower));
  double mixed = end;
  if (start == 0) {
    mixed = way * end + (1 - way) * start;
  } else if (way != 1) {
    mixed = std::min(start + way * (end - start), end);
  }
  return mixed / 2 / last;
}

}  // namespace

std::vector<double> numbers(const Json& list) {
  if (!list.is_array()) throw Unsupported("a list of numbers is missing");
  std::vector<double> values;
  for (const Json& one : list) values.push_back(number(one));
  return values;
}

Interval interval(const Json& data) {
  if (!data.is_array() || data.size() != 4) throw Unsupported("an interval is a list of four");
  const Interval made{no_nan(number(data[0])), no_nan(number(data[1])), data[2].get<bool>(),
                      data[3].get<bool>()};
  if (made.lower > made.upper) throw Unsupported("an interval whose ends are exchanged");
  return made;
}

namespace {

Rule read_rule(const Json& data) {
  known(data,
        {"kind", "fixed", "range", "domain", "allowed", "step", "missing_allowed", "changes",
         "direction", "least_change", "most_change", "weight", "up", "down", "scale", "quantiles"},
        "a feature");
  Rule rule;
  rule.kind = word(data.value("kind", Json(rule.kind)),
                   {"continuous", "integer", "ordinal", "categorical"});
  rule.direction = word(data.value("direction", Json(rule.direction)), {"both", "up", "down"});
  rule.fixed = data.value("fixed", false);
  rule.missing_allowed = data.value("missing_allowed", false);
  if (data.contains("range")) rule.range = interval(data["range"]);
  if (data.contains("allowed")) rule.allowed = numbers(data["allowed"]);
  if (data.contains("quantiles")) rule.quantiles = numbers(data["quantiles"]);
  if (data.contains("changes")) {
    for (const Json& row : list_at(data, "changes")) rule.changes.push_back(numbers(row));
  }
  const auto take = [&](const char* key, double& value) {
    if (data.contains(key)) value = number(data[key]);
  };
  take("step", rule.step);
  take("least_change", rule.least);
  take("most_change", rule.most);
  take("weight", rule.weight);
  take("up", rule.up);
  take("down", rule.down);
  take("scale", rule.scale);
  check_rule(rule);
  return rule;
}

Group read_group(const Json& data) {
  known(data, {"columns", "weight", "none_allowed"}, "a group");
  Group group{{}, 1, data.value("none_allowed", false)};
  for (const Json& column : list_at(data, "columns")) {
    group.columns.push_back(feature_number(column));
  }
  if (data.contains("weight")) group.weight = number(data["weight"]);
  if (!(group.weight >= 0)) throw Unsupported("a group with a negative cost");
  return group;
}

Literal read_literal(const Json& data) {
  known(data, {"feature", "inside", "range", "codes", "missing"}, "a condition");
  Literal literal;
  literal.feature = feature_number(data.at("feature"));
  literal.inside = data.at("inside");
  literal.missing = data.value("missing", false);
  literal.by_codes = data.contains("codes");
  if (literal.by_codes) literal.codes = codes_of(data["codes"]);
  if (literal.by_codes && literal.codes.empty()) throw Unsupported("a condition without codes");
  if (!literal.by_codes) literal.range = interval(data.at("range"));
  return literal;
}

}  // namespace

Question::Question(const Json& data, const std::vector<Model>& models) : models_(models) {
  if (!data.is_object() || !is_version(data, "boxwood_question")) {
    throw Unsupported("the question file is not of version 1");
  }
  known(data,
        {"boxwood_question", "point", "requirements", "features", "groups", "clauses",
         "max_changes", "cost", "mixture", "fewest_first", "scale_name"},
        "a question");
  point = numbers(data.at("point"));
  const Json none = {{"groups", Json::array()}, {"clauses", Json::array()}};
  for (const Json& one : list_at(data, "features")) rules.push_back(read_rule(one));
  for (const Json& one : list_at(data.contains("groups") ? data : none, "groups")) {
    groups.push_back(read_group(one));
  }
  for (const Json& clause : list_at(data.contains("clauses") ? data : none, "clauses")) {
    if (!clause.is_array()) throw Unsupported("a clause is a list of conditions");
    clauses.emplace_back();
    for (const Json& one : clause) {
      clauses.back().push_back(read_literal(one));
      if (clauses.back().back().feature >= point.size()) {
        throw Unsupported("a clause about no feature");
      }
    }
  }
  if (data.contains("max_changes")) max_changes = whole(data["max_changes"]);
  if (max_changes && *max_changes < 0) throw Unsupported("a negative number of changes");
  norm = data.at("cost");
  if (norm == "mixture") {
    l2 = number(data.at("mixture").at("l2"));
    l1 = number(data.at("mixture").at("l1"));
    l0 = number(data.at("mixture").at("l0"));
    if (!(l2 >= 0 && l1 >= 0 && l0 >= 0)) throw Unsupported("a mixture with a negative cost");
  } else if (norm != "l2" && norm != "l1" && norm != "l0" && norm != "linf") {
    throw Unsupported("the cost " + norm);
  }
  fewest = data.value("fewest_first", false);
  requirements = data.at("requirements");
  check_fit();
}

/// Throws Unsupported unless the models read the point, and each column is in one group at most.
void Question::check_fit() {
  bool fits = requirements.is_array() && !requirements.empty() && rules.size() == point.size();
  for (const Model& model : models_) {
    fits = fits && model.width == point.size();
    for (const double value :
         model.input == models_.front().input ? std::vector<double>() : point) {
      if (!std::isnan(value) && to_single(value) != value) {
        throw Unsupported("models that read a value in different precisions, as different numbers");
      }
    }
    single_ = single_ || model.input == "float32";
  }
  std::vector<bool> grouped(point.size());
  for (const Group& group : groups) {
    fits = fits && !group.columns.empty();
    for (const std::size_t column : group.columns) {
      fits = fits && column < point.size() && !grouped[column];
      if (fits) grouped[column] = true;
    }
  }
  if (!fits) throw Unsupported("the question does not fit the models");
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (std::isinf(single_ ? to_single(point[d]) : point[d]) && !rules[d].fixed) {
      throw Unsupported("a feature that may change from an infinite value");
    }
  }
}

const Group* Question::group_of(std::size_t feature) const {
  for (const Group& group : groups) {
    if (std::count(group.columns.begin(), group.columns.end(), feature) > 0) return &group;
  }
  return nullptr;
}

double Question::next(double value, bool upward) const {
  const double end = upward ? inf : -inf;
  if (!single_) return std::nextafter(value, end);
  return static_cast<double>(std::nextafter(static_cast<float>(value), static_cast<float>(end)));
}

double Question::cost_of_size(double weight, double size) const {
  if (norm == "l0") return weight;
  if (norm == "l2") return weight * (size * size);
  if (norm != "mixture") return weight * size;
  const double square = l2 > 0 ? l2 * (size * size) : 0.0;
  const double plain = l1 > 0 ? l1 * size : 0.0;
  return weight * (square + plain + l0);
}

double Question::term(std::size_t d, double to_value) const {
  const double start = point[d];
  const Rule& rule = rules[d];
  const bool missing = std::isnan(start), to_missing = std::isnan(to_value);
  if (to_value == start || (missing && to_missing)) return 0;
  if (missing || to_missing) return rule.missing_allowed ? cost_of_size(rule.weight, 1) : inf;
  if (rule.kind == "categorical") {
    const auto place = [](double code) {
      return static_cast<std::size_t>(std::clamp(code, 0.0, 0x1p40));
    };
    const std::size_t row = place(start), column = place(to_value);
    const bool listed = row < rule.changes.size() && column < rule.changes[row].size();
    const double size = listed ? rule.changes[row][column] : 1.0;
    return size == inf ? inf : cost_of_size(rule.weight, size);
  }
  const double weight = rule.weight * (to_value > start ? rule.up : rule.down);
  const double size =
      rule.quantiles.empty()
          ? std::abs(to_value - start) / rule.scale
          : std::abs(share(rule.quantiles, to_value) - share(rule.quantiles, start));
  return cost_of_size(weight, size);
}

double Question::group_cost(const Group& group, std::size_t now, std::size_t hot_now) const {
  if (now == hot_now) return 0;
  if (hot_now == group.columns.size() && !group.none_allowed) return inf;
  return cost_of_size(group.weight, 1);
}

std::size_t Question::hot(const Group& group, const std::vector<double>& at) const {
  std::size_t found = group.columns.size();
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    const double value = at[group.columns[k]];
    if (value == 0) continue;
    if (value != 1 || found != group.columns.size()) {
      throw Rejected("the columns of a group are not one-hot");
    }
    found = k;
  }
  return found;
}

std::optional<Question::Limits> Question::limits(std::size_t d, bool upward, bool in_single) const {
  const Rule& rule = rules[d];
  const auto limit = [&](double end) { return in_single ? to_single(end) : end; };
  Limits made{{{limit(rule.range.lower), 0, !rule.range.lower_closed}},
              {{limit(rule.range.upper), 0, !rule.range.upper_closed}}};
  const double start = point[d];
  if (!std::isfinite(start)) return made;
  if (rule.direction == (upward ? "down" : "up")) return std::nullopt;
  std::vector<Bound>& near = upward ? made.low : made.high;
  std::vector<Bound>& far = upward ? made.high : made.low;
  const double sign = upward ? 1 : -1;
  if (rule.least > 0) near.push_back(exact_sum(start, sign * rule.least));
  if (rule.most < inf) far.push_back(exact_sum(start, sign * rule.most));
  return made;
}

double Question::multiple(double step, double times) const {
  const double parts = std::round(1 / step);
  return read(parts > 1 && 1 / parts == step ? times / parts : times * step);
}

double Question::snapped(std::size_t d, double value, bool upward) const {
  const Rule& rule = rules[d];
  const double sign = upward ? 1 : -1;
  if (!rule.allowed.empty()) {
    double best = sign * inf;
    for (const double one : rule.allowed) {
      const double allowed = read(one);
      if (sign * allowed >= sign * value && sign * allowed < sign * best) best = allowed;
    }
    return best;
  }
  if (!std::isfinite(value)) return value;
  if (rule.step > 0) {
    if (multiple(rule.step, std::round(value / rule.step)) == value) return value;
    double times = sign * std::ceil(sign * (value / rule.step));
    if (std::abs(times) > 0x1p50) throw Unsupported("a step that is too fine for its values");
    while (sign * multiple(rule.step, times - sign) >= sign * value) times -= sign;
    while (sign * multiple(rule.step, times) < sign * value) times += sign;
    return multiple(rule.step, times);
  }
  if (rule.kind != "continuous") return upward ? std::ceil(value) : std::floor(value);
  return value;
}

std::optional<double> Question::nearest(std::size_t d, const Bound* lower, const Bound* upper,
                                        bool upward) const {
  std::optional<Limits> limit = limits(d, upward, single_);
  if (!limit) return std::nullopt;
  if (lower) limit->low.push_back(*lower);
  if (upper) limit->high.push_back(*upper);
  double value = upward ? -inf : inf;
  for (const Bound& bound : upward ? limit->low : limit->high) {
    double first = bound.hi;
    if (std::isfinite(first)) {
      first = read(first);
      const auto fits = [&](double v) { return upward ? from(bound, v) : to(bound, v); };
      while (fits(first) && std::isfinite(first)) first = next(first, !upward);
      while (!fits(first) && first != (upward ? inf : -inf)) first = next(first, upward);
    }
    value = upward ? std::max(value, first) : std::min(value, first);
  }
  value = snapped(d, value, upward);
  if (!std::isfinite(value) || !from_all(limit->low, value) || !to_all(limit->high, value)) {
    return std::nullopt;
  }
  return value + 0.0;
}

std::optional<double> Question::cheapest_code(std::size_t d, const Bound* lower,
                                              const Bound* upper) const {
  const Rule& rule = rules[d];
  std::vector<double> codes;
  if (!rule.allowed.empty()) {
    for (const double code : rule.allowed) codes.push_back(read(code));
  } else {
    std::size_t width = rule.changes.size();
    for (const auto& row : rule.changes) width = std::max(width, row.size());
    const auto end = static_cast<double>(width);
    for (double code = 0; code < end; code += std::max(rule.step, 1.0)) codes.push_back(code);
    Bound beyond{end, 0, false}, below{0, 0, true};
    if (lower && (lower->hi > end || (lower->hi == end && lower->open))) beyond = *lower;
    if (upper && upper->hi <= 0) below = *upper;
    if (const auto code = nearest(d, &beyond, upper, true)) codes.push_back(*code);
    if (const auto code = nearest(d, lower, &below, false)) codes.push_back(*code);
  }
  std::optional<double> best;
  for (const double code : codes) {
    if (!rule.range.holds(code) || (lower && !from(*lower, code)) || (upper && !to(*upper, code))) {
      continue;
    }
    if (!best || term(d, code) < term(d, *best)) best = code;
  }
  return best;
}

bool Question::may_be_hot(const Group& group, std::size_t hot_now) const {
  for (std::size_t k = 0; k < group.columns.size(); ++k) {
    const std::size_t column = group.columns[k];
    const double value = k == hot_now ? 1 : 0, now = point[column];
    const Rule& rule = rules[column];
    if (value == now) continue;
    const auto limit = limits(column, value > now, false);
    if (rule.fixed || !limit || !from_all(limit->low, value) || !to_all(limit->high, value)) {
      return false;
    }
    if (!rule.allowed.empty() && std::count(rule.allowed.begin(), rule.allowed.end(), value) == 0) {
      return false;
    }
  }
  return true;
}

bool Question::literal_holds(const Literal& literal, double given) const {
  const double value = read(given);
  if (std::isnan(value)) return literal.missing;
  if (literal.by_codes) {
    const bool named =
        value > -1 && value < 0x1p31 &&
        std::binary_search(literal.codes.begin(), literal.codes.end(), static_cast<int>(value));
    return named == literal.inside;
  }
  Interval range = literal.range;
  range.lower = read(range.lower);
  range.upper = read(range.upper);
  return range.holds(value) == literal.inside;
}

std::vector<Variable> Question::variables() const {
  std::vector<std::vector<Cut>> cuts(point.size());
  for (const Model& model : models_) {
    for (const Tree& tree : model.trees) {
      for (const Node& node : tree.nodes) {
        if (node.kind != 0) add_cuts(node, tree, cuts[static_cast<std::size_t>(node.feature)]);
      }
    }
  }
  for (const auto& clause : clauses) {
    for (const Literal& literal : clause) {
      std::vector<Cut>& list = cuts[literal.feature];
      if (literal.by_codes) {
        add_set_cuts(literal.codes, false, list);
        continue;
      }
      const double lower = read(literal.range.lower) + 0.0, upper = read(literal.range.upper) + 0.0;
      if (std::isfinite(lower)) list.push_back({lower, !literal.range.lower_closed});
      if (std::isfinite(upper)) list.push_back({upper, literal.range.upper_closed});
    }
  }
  std::vector<Variable> made;
  for (std::size_t d = 0; d < point.size(); ++d) {
    std::sort(cuts[d].begin(), cuts[d].end());
    cuts[d].erase(std::unique(cuts[d].begin(), cuts[d].end()), cuts[d].end());
    const Group* group = group_of(d);
    if (!group) {
      made.push_back(feature_variable(d, cuts[d]));
    } else if (group->columns.front() == d) {
      made.push_back(group_variable(*group));
    }
  }
  return made;
}

Variable Question::feature_variable(std::size_t d, const std::vector<Cut>& cuts) const {
  const Rule& rule = rules[d];
  const double start = point[d];
  const bool missing = std::isnan(start);
  Variable made{d, {d}, {}, 0};
  if (missing && (rule.fixed || !rule.missing_allowed)) {
    made.cells.push_back({{start}, 0});
    return made;
  }
  std::size_t own = cuts.size() + 1;
  if (!missing) {
    const double now = read(start);
    own = static_cast<std::size_t>(std::count_if(cuts.begin(), cuts.end(), [&](const Cut& cut) {
      return cut.inclusive ? now > cut.value : now >= cut.value;
    }));
  }
  for (std::size_t rank = 0; rank <= cuts.size(); ++rank) {
    if (rank == own) {
      made.own = made.cells.size();
      made.cells.push_back({{start}, 0});
      continue;
    }
    if (rule.fixed) continue;
    Bound lower, upper;
    if (rank > 0) lower = {cuts[rank - 1].value, 0, cuts[rank - 1].inclusive};
    if (rank < cuts.size()) upper = {cuts[rank].value, 0, !cuts[rank].inclusive};
    const Bound* low = rank > 0 ? &lower : nullptr;
    const Bound* high = rank < cuts.size() ? &upper : nullptr;
    std::optional<double> value;
    if (missing) {
      value = nearest(d, low, high, true);
      if (!value) value = nearest(d, low, high, false);
      const bool zero = (!low || from(*low, 0)) && (!high || to(*high, 0));
      if (!value && zero && rule.allowed.empty() && rule.range.holds(0)) value = 0.0;
    } else if (rule.kind == "categorical" && !rule.changes.empty()) {
      value = cheapest_code(d, low, high);
    } else {
      value = nearest(d, low, high, rank > own);
    }
    if (value && std::isfinite(term(d, *value))) made.cells.push_back({{*value}, term(d, *value)});
  }
  if (rule.missing_allowed && !rule.fixed) {
    const double nothing = std::numeric_limits<double>::quiet_NaN();
    if (missing) made.own = made.cells.size();
    made.cells.push_back({{nothing}, term(d, nothing)});
  }
  return made;
}

Variable Question::group_variable(const Group& group) const {
  const std::size_t now = hot(group, point);
  Variable made{group.columns.front(), group.columns, {}, 0};
  for (std::size_t k = 0; k <= group.columns.size(); ++k) {
    const double cost = group_cost(group, now, k);
    if ((k != now && cost == inf) || !may_be_hot(group, k)) continue;
    if (k == now) made.own = made.cells.size();
    std::vector<double> values(group.columns.size(), 0.0);
    if (k < values.size()) values[k] = 1;
    made.cells.push_back({std::move(values), cost});
  }
  return made;
}

}  // namespace check
