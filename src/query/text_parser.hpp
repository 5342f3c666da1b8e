// Reads statements. Outcomes and simple rules go into the query as they are read. Conditions are
// kept for text_meaning.cpp, which places them when all other statements are known.
#pragma once

#include "query/text_formula.hpp"
#include "query/text_linear.hpp"
#include "query/text_names.hpp"
#include "query/text_tokens.hpp"

#include <boxwood/query_text.hpp>

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::text {

/// A condition that holds in every answer, and where it was written.
struct Condition {
  Formula formula;
  Part part;
  bool compares_with_now = false;
};

/// `only a, b`: all other features stay unchanged.
struct OnlyThese {
  std::vector<Subject> subjects;
  Part part;
  bool is_default = false;  ///< of the schema
};

struct CostStatement {
  Norm norm = Norm::squared_l2;
  Mixture mixture{};
  bool fewest_first = false;
  Part part;

  bool same_cost(const CostStatement& other) const {
    return norm == other.norm && mixture == other.mixture && fewest_first == other.fewest_first;
  }
};

/// A number that only one statement may set: a weight, its factor up or down, a scale.
enum class Factor : std::uint8_t { weight, up, down, scale };
struct FactorStatement {
  double number = 1;
  Part part;
};

/// `duration may only rise` in a question.
struct DirectionStatement {
  std::size_t feature = 0;
  Direction direction = Direction::both;
  Part part;
};

/// `fewest changes first` or its opposite, `lowest cost first`.
struct FewestStatement {
  bool fewest_first = false;
  Part part;
};

/// `robust 0.05`: for all features that may change, as a share of their ranges.
struct RobustShare {
  double share = 0;
  Part part;
};

/// What the texts have said so far.
struct Draft {
  Query query;
  std::vector<Condition> conditions{};
  std::vector<OnlyThese> only{};
  std::vector<std::pair<Requirement, Part>> wants{};
  std::map<std::size_t, Part> least{}, most{};  ///< sizes of changes, by feature
  std::vector<std::pair<Derived, Part>> derived{};
  std::optional<RobustShare> robust_share{};
  // Of the question's own texts, so that two statements that contradict each other are refused.
  std::optional<CostStatement> cost{};
  std::optional<FewestStatement> fewest_first{};
  std::map<std::pair<Subject, Factor>, FactorStatement> factors{};
  std::map<std::size_t, Part> fixed{};  ///< by column
  std::vector<DirectionStatement> directions{};
  // Of the schema's texts.
  std::optional<bool> default_fewest_first{};
  std::set<std::size_t> default_fixed{};
  std::map<std::size_t, Direction> default_directions{};
};

class Parser {
 public:
  Parser(const Source& source, Statements may_hold, std::span<const Ensemble> ensembles,
         std::span<const std::string> models, const Names& names, Draft& draft);

  void run();

 private:
  // The cursor.
  const Token& peek(std::size_t ahead = 0) const;
  const Token& take();
  bool accept_word(std::string_view word);
  bool accept_words(std::initializer_list<std::string_view> words);
  bool accept_symbol(std::string_view symbol);
  void expect_word(std::string_view word);
  void expect_symbol(std::string_view symbol);
  bool at_stop() const { return peek().kind == TokenKind::stop; }
  [[noreturn]] void fail(const Token& token, const std::string& reason,
                         const std::string& remedy = {}) const;
  [[noreturn]] void expected(const std::string& what) const;
  Part part_from(std::size_t first_token) const;

  // Names and numbers.
  Subject subject();
  std::vector<Subject> subjects();
  std::size_t number_feature(std::string_view what);  ///< not a group, not categorical
  double plain_number(std::string_view what);
  double factor(std::string_view what);
  double size_of_change(std::size_t feature);
  void unit(const std::string& unit, const std::string& owner);
  std::string feature_unit(std::size_t feature) const;
  double value(Subject subject);
  std::optional<double> labelled_value(Subject subject);
  double from_now(double now, const std::string& unit_text, const std::string& owner);
  bool at_comparison() const;
  std::string comparison();
  Interval interval(const std::string& comparison, double value, const Token& at) const;

  // Statements.
  void statement();
  bool is_about_keyword() const;
  void want();
  void want_of_several(std::size_t first_token);
  void add_want(Requirement requirement, std::size_t first_token);
  Requirement wish(const Ensemble& ensemble);
  Requirement class_wish(const Ensemble& ensemble);
  Requirement classes_wish(const Ensemble& ensemble, bool but);
  Requirement output_wish(const Ensemble& ensemble);
  Requirement score_wish(const Ensemble& ensemble);
  std::size_t model();
  std::size_t class_of(const Ensemble& ensemble);
  std::size_t output_of(const Ensemble& ensemble, std::string_view what);
  double output_end(double now);
  Interval outcome_range(std::optional<double> now);

  void fix(std::size_t first_token);
  void only();
  void max_changes();
  void fewest_first(bool fewest, std::size_t first_token);
  void cost();
  void set_factor(Subject subject, Factor which, std::size_t first_token);
  void weight();
  void scale();
  void robust();
  void robust_in(Subject subject, const Token& at);
  bool simple_rule();
  void change_size(std::size_t feature, std::size_t first_token);
  void set_direction(Direction direction, Subject subject, const Token& at);
  void may_only(Direction direction, Subject subject, std::size_t first_token);

  // Linear conditions, in text_linear.cpp.
  bool at_linear() const;
  bool at_linear_group() const;
  Formula linear();
  Formula linear_between(const Expression& left, const std::string& comparison,
                         const Expression& right, const Token& at);
  Expression expression();
  Expression product();
  Expression operand();
  Expression operand_without_sign();
  Expression change_of();
  Expression category();
  Expression of_subject(Subject subject, const Token& at) const;
  Interval range_of(const Sum& sum) const;

  // Derived columns, in text_derived.cpp.
  void derived_column(std::size_t first_token);
  std::size_t calculated_sum(Derived& derived);
  std::size_t calculated_product(Derived& derived);
  std::size_t calculated_operand(Derived& derived);

  // Conditions.
  void condition_statement();
  Formula condition();
  Formula conjunction();
  Formula negation();
  Formula atom();
  Formula number_first();
  Formula about(Subject subject, const Token& at);
  Formula within(Subject subject, const Interval& range) const;
  Formula compared(Subject subject, const std::string& comparison, const Token& at);
  Formula member(Subject subject);
  Formula movement(Subject subject, const Token& at, std::string_view direction);
  Formula group_is(std::size_t group, const std::vector<std::size_t>& places) const;
  Formula group_is_none(std::size_t group) const;
  Formula group_stays(std::size_t group) const;
  Formula values_are(std::size_t feature, std::vector<double> values) const;
  bool is_categorical(Subject subject) const;
  void require_order(Subject subject, const Token& at, const std::string& what) const;

  const Source& source_;
  Statements may_hold_;
  std::span<const Ensemble> ensembles_;
  std::span<const std::string> models_;
  const Names& names_;
  Draft& draft_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool compares_with_now_ = false;  ///< the statement that is being read
};

/// From 1e-30 to 1e30, as weights and scales are.
bool is_factor(double value);

}  // namespace boxwood::text
