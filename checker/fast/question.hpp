// The fast checker's own question: admissible values, costs, clauses, and the cells of variables.
#pragma once

#include "model.hpp"

#include <optional>

namespace check {

struct Interval {
  double lower = -inf, upper = inf;
  bool lower_closed = true, upper_closed = true;
  bool holds(double value) const {
    return (lower_closed ? value >= lower : value > lower) &&
           (upper_closed ? value <= upper : value < upper);
  }
};
Interval interval(const Json& data);
std::vector<double> numbers(const Json& list);

/// A limit hi + lo, exactly; lo is a rounding error.
struct Bound {
  double hi = 0, lo = 0;
  bool open = false;
};

struct Rule {
  std::string kind = "continuous", direction = "both";
  bool fixed = false, missing_allowed = false;
  Interval range;
  std::vector<double> allowed, quantiles;
  std::vector<std::vector<double>> changes;
  double step = 0, least = 0, most = inf, weight = 1, up = 1, down = 1, scale = 1;
};

struct Group {
  std::vector<std::size_t> columns;
  double weight = 1;
  bool none_allowed = false;
};

struct Literal {
  std::size_t feature = 0;
  Interval range;
  std::vector<int> codes;
  bool by_codes = false, inside = true, missing = false;
};

struct CellOf {
  std::vector<double> values;  ///< of the variable's columns
  double cost = 0;
};

struct Variable {
  std::size_t number = 0;
  std::vector<std::size_t> columns;
  std::vector<CellOf> cells;  ///< by position
  std::size_t own = 0;
};

class Question {
 public:
  Question(const Json& data, const std::vector<Model>& models);

  std::vector<double> point;
  std::vector<Rule> rules;
  std::vector<Group> groups;
  std::vector<std::vector<Literal>> clauses;
  std::optional<std::int64_t> max_changes;
  std::string norm;
  double l2 = 0, l1 = 0, l0 = 0;
  bool fewest = false;
  Json requirements;

  std::vector<Variable> variables() const;
  const Group* group_of(std::size_t feature) const;
  bool literal_holds(const Literal& literal, double value) const;
  double term(std::size_t d, double to) const;
  double group_cost(const Group& group, std::size_t now, std::size_t hot) const;
  std::size_t hot(const Group& group, const std::vector<double>& at) const;
  bool may_be_hot(const Group& group, std::size_t hot) const;

 private:
  struct Limits {
    std::vector<Bound> low, high;
  };
  void check_fit();
  double read(double value) const { return single_ ? to_single(value) : value; }
  double next(double value, bool upward) const;
  double cost_of_size(double weight, double size) const;
  std::optional<Limits> limits(std::size_t d, bool upward, bool in_single) const;
  double multiple(double step, double times) const;
  double snapped(std::size_t d, double value, bool upward) const;
  std::optional<double> nearest(std::size_t d, const Bound* lower, const Bound* upper,
                                bool upward) const;
  std::optional<double> cheapest_code(std::size_t d, const Bound* lower, const Bound* upper) const;
  Variable feature_variable(std::size_t d, const std::vector<Cut>& cuts) const;
  Variable group_variable(const Group& group) const;

  const std::vector<Model>& models_;
  bool single_ = false;
};

}  // namespace check
