// Measures the scales of features from data.
#include <boxwood/schema.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace boxwood {
namespace {

/// A valid scale; no value if the spread is 0 or too small.
std::optional<double> as_scale(double spread) {
  if (!(spread >= 1e-30)) return std::nullopt;
  return std::min(spread, 1e30);
}

/// A quantile of sorted values, linearly interpolated.
double value_at(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(place));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double rest = place - std::floor(place);
  return rest == 0 ? sorted[below] : std::lerp(sorted[below], sorted[above], rest);
}

double deviation_of(const std::vector<double>& sorted) {
  // In units of the largest absolute value, so that squares do not overflow.
  const double unit = std::max(std::abs(sorted.front()), std::abs(sorted.back()));
  if (unit == 0) return 0;
  const auto count = static_cast<double>(sorted.size());
  double mean = 0, squares = 0;
  for (const double value : sorted) mean += value / unit / count;
  for (const double value : sorted) {
    const double away = value / unit - mean;
    squares += away * away / count;
  }
  return sorted.front() == sorted.back() ? 0 : std::sqrt(squares) * unit;
}

double median_deviation_of(const std::vector<double>& sorted) {
  const double median = value_at(sorted, 0.5);
  std::vector<double> away;
  away.reserve(sorted.size());
  for (const double value : sorted) away.push_back(std::abs(value - median));
  std::sort(away.begin(), away.end());
  return value_at(away, 0.5);
}

double scale_of(const std::vector<double>& sorted, Spread spread) {
  if (sorted.empty()) return 1;
  if (spread == Spread::range) return as_scale(sorted.back() - sorted.front()).value_or(1);
  if (spread == Spread::median_deviation) {
    if (const auto scale = as_scale(median_deviation_of(sorted))) return *scale;
  }
  return as_scale(deviation_of(sorted)).value_or(1);
}

}  // namespace

void measure(Schema& schema, std::span<const std::vector<double>> rows, Spread spread) {
  schema.scaled = true;
  schema.scaled_by = spread;
  for (std::size_t i = 0; i < schema.features.size(); ++i) {
    FeatureSchema& feature = schema.features[i];
    if (feature.kind == FeatureKind::categorical) continue;
    std::vector<double> values;
    for (const std::vector<double>& row : rows) {
      if (i < row.size() && std::isfinite(row[i])) values.push_back(row[i]);
    }
    std::sort(values.begin(), values.end());
    feature.quantiles.clear();
    feature.scale = 1;
    if (spread != Spread::quantiles) {
      feature.scale = scale_of(values, spread);
      continue;
    }
    if (values.empty() || values.front() == values.back()) continue;
    for (int k = 0; k <= 100; ++k) feature.quantiles.push_back(value_at(values, k / 100.0));
    // Interpolation rounds; quantiles must stay ascending.
    for (std::size_t k = 1; k < feature.quantiles.size(); ++k) {
      feature.quantiles[k] = std::max(feature.quantiles[k], feature.quantiles[k - 1]);
    }
  }
}

}  // namespace boxwood
