// Answers for people and for programs: a table, JSON, CSV and pictures, all with the same facts.
//
//   boxwood::Explanation shown{model, schema, query, answer, row};
//   std::cout << boxwood::to_table(shown);          // feature, now, change to, anything in
//   std::cout << boxwood::to_json(shown) << '\n';   // one object on one line
//
// The JSON objects and the CSV columns are described in docs/formats.md.
#pragma once

#include <boxwood/analysis.hpp>
#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/reasons.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace boxwood {

/// "13 months", "4 870 DM", "100 to 500 DM" (a label), "missing".
std::string value_text(const FeatureSchema& feature, double value,
                       Precision precision = Precision::float32);

/// One change of an answer, for people. A one-hot group is one change.
struct ChangeText {
  std::string title;
  std::string now;
  std::string then;
  std::string anything;     ///< the values with the same scores: "at most 13 months"
  std::size_t feature = 0;  ///< for a group, its first column that changes
};

std::vector<ChangeText> changes_in_words(const Ensemble& ensemble, const Schema& schema,
                                         const Query& query, const Solution& solution);

/// The values of a feature, or of its group, in a wide region around `point`. If the feature
/// changes, only the values that its constraints allow.
std::string wide_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                      const WideRegion& wide, std::span<const double> point, std::size_t feature);

/// A rule of the query in words: "savings fixed", "duration at least 24 months".
std::string rule_text(const Ensemble& ensemble, const Schema& schema, const Query& query,
                      const Rule& rule);

/// What the first requirement asks for, and how many more there are: "credit is granted",
/// `the model gives "yes" and meets 1 more requirement`, "brings the price to at least 9".
std::string wanted_text(const Ensemble& ensemble, const Schema& schema, const Query& query);

/// An interval in words: "at most 13 months", "one of: none, guarantor", "more than 3.5". For
/// whole-number kinds the words name whole numbers. An end beyond the feature's range is omitted,
/// unless the present value `now` is also beyond it.
std::string interval_text(const FeatureSchema& feature, const Interval& interval,
                          Precision precision = Precision::float32,
                          std::optional<double> now = std::nullopt);

/// The point that `find_rounded` returned, and its tolerance.
struct Rounding {
  std::vector<double> point;
  double tolerance = 0;
};

/// For texts about a query to several models: the model whose outcome and figures the texts show,
/// and how many models have a counted outcome in the answer.
struct SeveralModels {
  std::string name;  ///< `model "now"`
  std::size_t agreeing = 0;
  std::string normal;    ///< that the answer is normal to isolation forests, if that is required
  bool certain = false;  ///< some model that is asked is a stack (Claim::certain)
};
/// Nothing if there is only one model.
std::optional<SeveralModels> several_models(std::span<const Ensemble> ensembles,
                                            std::span<const std::string> names, const Query& query,
                                            const Answer& answer);

/// Results of analyses that are shown with an answer. A part that was not asked for is empty.
struct Findings {
  std::optional<WideRegion> wide{};  ///< of the answer's point
  std::optional<WhyNot> why_not{};
  std::vector<PathStep> path{};  ///< to the answer's point
  std::optional<Rounding> rounding{};
  std::size_t earlier_alternatives = 0;  ///< of the same menu, before this answer
  std::optional<SeveralModels> models{};
};

/// The row that an answer is about: its number in the data, from 0, or a name. If the name is
/// empty, texts do not name the row.
struct RowLabel {
  RowLabel(std::size_t row) : number(row) {}
  explicit RowLabel(std::string text) : name(std::move(text)) {}

  std::optional<std::size_t> number{};
  std::string name{};
};

/// What is proven about the answer to a query. "Allowed" points obey every rule and
/// limit of the query; for a later alternative of a menu they also differ enough from the earlier
/// ones.
struct Claim {
  Status status = Status::unknown;
  Stop stop = Stop::finished;
  bool already_met = false;
  bool fewest_first = false;  ///< the number of changes was minimised first, then the cost
  std::string cost_name;      ///< "L1 by scale + 0.1 per changed feature"
  double cost = 0;            ///< of the answer's point; infinite where there is none
  std::size_t changes = 0;    ///< of the answer's point; a one-hot group counts as one
  /// With `fewest_first`, proven: every allowed point with the outcome has at least this many
  /// changes.
  std::size_t least_changes = 0;
  /// Proven: no allowed point with the outcome costs less. If `among_changes` is set, this is
  /// proven only for points with no more changes than that.
  double lower_bound = 0;
  std::optional<std::size_t> among_changes{};
  double gap = 0;        ///< (cost - lower_bound) / cost
  bool limited = false;  ///< the query has constraints, so some changes are not allowed
  std::size_t earlier_alternatives = 0;  ///< of the same menu
  /// "The outcome" then means that of the point and of all its neighbours (FeatureRule::robust).
  bool robust = false;
  /// Some model is a stack: points whose outcome the rounding of its sum decides do not count
  /// (Composition::linear).
  bool certain = false;
};

/// All statements about what is proven are made here. `earlier_alternatives`: how many alternatives
/// of the same menu come before the answer. `ensembles`: those of the query.
Claim claim_of(const Query& query, const Answer& answer, std::size_t earlier_alternatives = 0,
               std::span<const Ensemble> ensembles = {});
/// "proven: no allowed change costs less (L1 by scale + 0.1 per changed feature)".
std::string claim_text(const Claim& claim);

/// One question and its answer. It only refers to its parts: they must outlive it.
struct Explanation {
  const Ensemble& ensemble;  ///< the one that the query's first requirement is about
  const Schema& schema;
  const Query& query;
  const Answer& answer;
  RowLabel row = 0;
  /// What `verify` found wrong: empty if nothing, not set if it was not called.
  std::optional<std::vector<std::string>> faults;
  Findings findings{};
};

/// One region of `visit_regions`, counted from 1.
struct RegionView {
  const Ensemble& ensemble;
  const Schema& schema;
  const Query& query;
  const Region& region;
  std::size_t row = 0;
  std::size_t number = 1;
};

/// A menu for one row, each alternative with its findings. If there is none, `alternatives` holds
/// one explanation that says so.
struct MenuView {
  std::span<const Explanation> alternatives;
  const Menu& menu;
  const MenuOptions& asked;
};

/// What varies from one point of a sweep to the next: the level of the first requirement
/// (find_sweep), or the multiple of the robust distances (find_robust_sweep).
enum class Swept : std::uint8_t { levels, distances };
/// The answers of one row for several levels, in their order.
struct SweepView {
  const Ensemble& ensemble;
  const Schema& schema;
  const Query& query;  ///< of distances: the query of the multiple 1
  std::span<const SweepPoint> points;
  RowLabel row = 0;
  Swept swept = Swept::levels;
};
/// The query that a point of the sweep answers.
Query query_at(const SweepView& view, double level);

/// The most for a budget.
struct BestView {
  const Ensemble& ensemble;
  const Schema& schema;
  const Query& query;      ///< its first requirement is best_requirement()
  const BestCurve& found;  ///< without steps, if only `best` was asked for
  double budget = 0;
  RowLabel row = 0;
};
/// The steps of the curve as levels of a sweep, for its pictures: the first that needs a step, and
/// the last that it reaches.
std::vector<SweepPoint> sweep_of(const BestView& view);

/// What each feature contributes to an answer.
struct ReasonsView {
  const Ensemble& ensemble;
  const Schema& schema;
  const Query& query;
  const Reasons& found;
  RowLabel row = 0;
};
/// The same for people: a sentence about the answer, a table whose first line is the header, and
/// what is proven of its numbers.
struct ReasonsText {
  std::string head;
  std::vector<std::vector<std::string>> lines;
  std::string end;
};
ReasonsText reasons_in_words(const ReasonsView& view);

/// A map with the row and, if there are any, its answer and the steps to it.
struct MapView {
  const Ensemble& ensemble;
  const Schema& schema;
  const Query& query;
  const Map& map;
  const MapOptions& asked;
  const Answer& answer;
  std::span<const PathStep> path;
  RowLabel row = 0;
};

struct TableStyle {
  bool colour = false;
  /// How to ask which rules block an impossible outcome: "add --why-not." If empty, no hint is
  /// given.
  std::string why_not{};
};

/// The features whose value differs between the query's point and another one, in their order.
std::vector<std::size_t> changed_features(const Query& query, const std::vector<double>& point);

/// The answer in full sentences: the outcome now, what to change, what is proven, and notes.
std::vector<std::string> sentences(const Explanation& explanation);

/// A block of lines for a terminal, ending in a newline.
std::string to_table(const Explanation& explanation, const TableStyle& style = {});
std::string to_table(const RegionView& view, const TableStyle& style = {});
std::string to_table(const MenuView& view, const TableStyle& style = {});
std::string to_table(const SweepView& view, const TableStyle& style = {});
std::string to_table(const BestView& view, const TableStyle& style = {});
std::string to_table(const ReasonsView& view, const TableStyle& style = {});
std::string to_table(const MapView& view, const TableStyle& style = {});
/// A line for each row. Each explanation has an answer of `find_robustness`.
std::string robustness_table(std::span<const Explanation> rows, const TableStyle& style = {});
/// The distance within which the outcome of a row stays the same, and the nearest other outcome.
std::string robustness_text(const Explanation& explanation, const TableStyle& style = {});
/// Proven: no allowed change of a smaller distance has another outcome. 0 if nothing is proven.
double robustness_radius(const Explanation& explanation);

/// One HTML element for a notebook. It reads well on light and dark pages; all text is escaped.
std::string to_html(const Explanation& explanation, const TableStyle& style = {});
std::string to_html(const MenuView& view, const TableStyle& style = {});
std::string to_html(const SweepView& view);
std::string to_html(const BestView& view);
std::string to_html(const ReasonsView& view);
/// Regions of one row.
std::string to_html(std::span<const RegionView> regions);
std::string robustness_html(const Explanation& explanation);

/// Paragraphs, a table whose first line is the header, and paragraphs in small print; for results
/// without a view of their own.
std::string html_page(std::span<const std::string> title,
                      std::span<const std::vector<std::string>> lines,
                      std::span<const std::string> notes = {});

/// What is proven in two or three words, "proven optimal" or "gap 3.1 %", and a colour for it.
struct Badge {
  std::string words;
  std::string colour;
};
Badge badge_of(const Claim& claim);

/// One JSON object on one line, without a newline.
std::string to_json(const Explanation& explanation);
std::string to_json(const RegionView& view);
std::string to_json(const MenuView& view);
std::string to_json(const SweepView& view);
std::string to_json(const BestView& view);
std::string to_json(const ReasonsView& view);
std::string to_json(const MapView& view);
std::string robustness_json(const Explanation& explanation);

/// A header and, for each explanation or region, one record; without newlines.
std::string csv_header(const Ensemble& ensemble, bool verified);
std::string to_csv(const Explanation& explanation);
std::string region_csv_header(const Ensemble& ensemble);
std::string to_csv(const RegionView& view);
/// The requirement of a query at one level of a sweep.
Requirement at_level(const Requirement& requirement, double level);

/// How an SVG picture is drawn, in pixels. It follows the reader's preference for light or dark.
struct PictureStyle {
  double width = 720;
  double height = 480;
  bool by_output = false;  ///< the colours of a map show outputs, not classes
};
/// A whole SVG file; the same bytes for the same values.
std::string to_svg(const SweepView& view, const PictureStyle& style = {});
std::string to_svg(const MapView& view, const PictureStyle& style = {});

}  // namespace boxwood
