// Brute force from first principles. For every feature it lists each value that could possibly be
// the nearest of its kind (now, next to a threshold, next to an end of the range, every whole
// number around), tries all combinations, and keeps the cheapest that work. It shares no code with
// the library, only the plain structs.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

class Oracle {
 public:
  struct Result {
    double cost = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> points;  ///< every cheapest one among the candidates
  };

  /// Nothing when there are too many combinations to try.
  static std::optional<Result> solve(const std::vector<boxwood::Ensemble>& ensembles,
                                     const boxwood::Query& query, double most = 60'000);

  /// Of points whose largest change costs the same, those with the least sum.
  static void keep_least_sums(const boxwood::Query& query,
                              std::vector<std::vector<double>>& points);

  /// Calls see(point) for every combination of candidates; false when there are more than `most`.
  static bool visit(const std::vector<boxwood::Ensemble>& ensembles, const boxwood::Query& query,
                    double most, const std::function<void(const std::vector<double>&)>& see);

  /// Negative, 0 or positive as the exact distance of two numbers is less than, equal to or more
  /// than a size: the upper one is compared with the exact sum of the lower one and the size.
  static double compare(double a, double b, double size);

  /// Clauses and the limit on changes.
  static bool obeys(const std::vector<boxwood::Ensemble>& ensembles, const boxwood::Query& query,
                    const std::vector<double>& point);

  static std::size_t changes_of(const boxwood::Query& query, const std::vector<double>& point);

  static bool works(const std::vector<boxwood::Ensemble>& ensembles, const boxwood::Query& query,
                    const std::vector<double>& point);

  /// Scores that overflow alike are level. (None is NaN: leaves and bases are finite.)
  static double ahead(double score, double rival) { return score == rival ? 0 : score - rival; }

  static bool is_class(const boxwood::Ensemble& ensemble, const boxwood::ClassIs& wanted,
                       const std::vector<double>& raw, const std::vector<double>& outputs);

  /// Whether the output that is asked for is a number: softmax of infinite scores is not.
  static bool has_number(const boxwood::Ensemble& ensemble, const boxwood::Requirement& requirement,
                         const std::vector<double>& point);

 private:
  static bool inside(const boxwood::Interval& range, double value);

  static double leaf_value(const boxwood::Ensemble& ensemble, const boxwood::Tree& tree,
                           const std::vector<double>& point, std::size_t output);

  template <typename Real>
  static double sum(const boxwood::Ensemble& ensemble, const std::vector<double>& point,
                    std::size_t output);

  static std::vector<double> scores(const boxwood::Ensemble& ensemble,
                                    const std::vector<double>& point);

  template <typename Real>
  static std::vector<double> linked_in(const boxwood::Ensemble& ensemble,
                                       const std::vector<double>& scores);

  static std::vector<double> linked(const boxwood::Ensemble& ensemble,
                                    const std::vector<double>& scores);

 public:
  /// `summed`: for linf what ties are broken by, the sum of the terms.
  static double cost_of(const boxwood::Query& query, const std::vector<double>& point,
                        bool summed = false);

 private:
  /// So many steps from 0: hundredths, say, are quotients by 100, which decimal numbers read as.
  static double grid_value(double step, double count);

  static double by_norm(const boxwood::Query& query, double step);

  /// Where a value lies in a list of values at equal shares, from 0 to 1: between two of them in
  /// proportion, in the middle of those that are equal to it.
  static double share(const std::vector<double>& list, double value);

  static const boxwood::OneHot* group_of(const boxwood::Query& query, std::size_t d);

  static std::size_t hot_in(const boxwood::OneHot& group, const std::vector<double>& point);

  static double group_term(const boxwood::Query& query, const boxwood::OneHot& group,
                           const std::vector<double>& point);

  static std::vector<double> candidates_of(const std::vector<boxwood::Ensemble>& ensembles,
                                           const boxwood::Query& query, std::size_t d);
};
