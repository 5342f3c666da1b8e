#include "render/axes.hpp"

#include "base/text.hpp"
#include "render/svg_canvas.hpp"
#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace boxwood {
namespace {

constexpr std::size_t longest_label = 26;  // letters
constexpr std::size_t most_labels = 20;    // of categories; of more, every second, third, …
constexpr std::size_t most_letters = 44;   // of all labels along one axis together

bool is_whole(const FeatureSchema& feature) { return feature.kind != FeatureKind::continuous; }

double logit(double p) { return std::log(p) - std::log1p(-p); }
double unlogit(double value) { return 1 / (1 + std::exp(-value)); }

std::size_t letters(const std::vector<Tick>& ticks) {
  std::size_t count = 0;
  for (const Tick& tick : ticks) count += display_width(tick.label) + 2;
  return count;
}

/// The beginning and the end of a text, for labels that have the same beginning.
std::string shortened_inside(std::string_view text, std::size_t most) {
  if (display_width(text) <= most) return std::string(text);
  const std::string head = shortened(text, most / 2 + 1);
  std::size_t start = text.size();
  for (std::size_t width = 0; start > 0 && width < most - most / 2 - 1; ++width) {
    --start;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0u) == 0x80) --start;
  }
  return head + std::string(text.substr(start));
}

/// The text from its first byte on in which the labels differ, with an ellipsis before it.
std::string shortened_before(std::string_view text, std::size_t common, std::size_t most) {
  while (common > 0 && (static_cast<unsigned char>(text[common]) & 0xC0u) == 0x80) --common;
  return shortened("…" + std::string(text.substr(common)), most);
}

/// Labels of limited length: their beginnings or, if these are equal, a part in which they differ.
std::vector<std::string> short_labels(const std::vector<std::string>& labels) {
  std::size_t common = labels.front().size();
  for (const std::string& label : labels) {
    const auto ends =
        std::mismatch(label.begin(), label.end(), labels.front().begin(), labels.front().end());
    common = std::min(common, static_cast<std::size_t>(ends.first - label.begin()));
  }
  const auto all = [&](const auto& part_of) {
    std::vector<std::string> shown;
    for (const std::string& label : labels) shown.push_back(part_of(label));
    return shown;
  };
  const auto differ = [](const std::vector<std::string>& shown) {
    return std::set<std::string>(shown.begin(), shown.end()).size() == shown.size();
  };
  std::vector<std::string> shown =
      all([](const std::string& label) { return shortened(label, longest_label); });
  if (differ(shown)) return shown;
  shown = all([](const std::string& label) { return shortened_inside(label, longest_label); });
  if (differ(shown)) return shown;
  return all([&](const std::string& label) {
    return display_width(label) <= longest_label ? label
                                                 : shortened_before(label, common, longest_label);
  });
}

/// 0.5 and the probabilities 0.1, 0.01, … and 0.9, 0.99, … that lie in a range.
std::vector<Tick> logit_ticks(double low, double high) {
  constexpr int most_digits = 15;
  std::vector<Tick> ticks;
  const auto add = [&](double value, int digits) {
    if (value < low || value > high) return;
    ticks.push_back({value, fmt::format("{:.{}f}", value, digits)});
  };
  for (int k = most_digits; k > 0; --k) add(std::pow(10, -k), k);
  add(0.5, 1);
  for (int k = 1; k <= most_digits; ++k) add(1 - std::pow(10, -k), k);
  while (letters(ticks) > most_letters && ticks.size() > 2) {
    std::vector<Tick> half;
    for (std::size_t k = 0; k < ticks.size(); k += 2) half.push_back(std::move(ticks[k]));
    ticks = std::move(half);
  }
  return ticks;
}

}  // namespace

double Axis::position(double value) const {
  if (scale == AxisScale::linear) return (value - low) / (high - low);
  return (logit(value) - logit(low)) / (logit(high) - logit(low));
}

std::string Axis::title_with_unit() const {
  return unit.empty() ? title : fmt::format("{} ({})", title, unit);
}

double round_step(double low, double high, std::size_t count) {
  const double raw = (high - low) / static_cast<double>(std::max<std::size_t>(count, 1));
  if (!(raw > 0) || !std::isfinite(raw)) return 0;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  if (!(power > 0)) return 0;
  const double share = raw / power * (1 - 1e-9);
  return power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
}

std::string step_text(double value, double step) {
  const int decimals = -static_cast<int>(std::floor(std::log10(step) + 1e-9));
  if (decimals > 15 || step >= 1e15) return fmt::format("{:.6g}", value);
  const std::string text = fmt::format("{:.{}f}", value, std::max(decimals, 0));
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return with_thousands(is_zero && text.front() == '-' ? text.substr(1) : text);
}

std::vector<Tick> round_ticks(double low, double high, std::size_t count) {
  std::vector<Tick> ticks;
  const double step = round_step(low, high, count);
  if (!(step > 0)) return ticks;
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; ++k) {
    ticks.push_back({k * step, step_text(k * step, step)});
  }
  return ticks;
}

std::vector<Tick> fitting_ticks(double low, double high, std::size_t most) {
  std::vector<Tick> ticks = round_ticks(low, high, most);
  while (most > 1 && letters(ticks) > most_letters) ticks = round_ticks(low, high, --most);
  return ticks;
}

Axis level_axis(std::span<const double> levels, bool are_probabilities) {
  double low = levels.empty() ? 0 : levels.front();
  double high = low;
  for (const double level : levels) {
    low = std::min(low, level);
    high = std::max(high, level);
  }
  if (low == high) return {low - 0.5, high + 0.5, fitting_ticks(low - 0.5, high + 0.5, 4)};
  constexpr double margin = 0.03;
  // On a linear axis such levels would overlap at its end.
  constexpr double close = 0.02;
  const bool is_close = low < close * (high - low) || 1 - high < close * (high - low);
  if (are_probabilities && low > 0 && high < 1 && is_close) {
    const double more = (logit(high) - logit(low)) * margin;
    const Axis axis{unlogit(logit(low) - more), unlogit(logit(high) + more)};
    if (axis.low > 0 && axis.high < 1) {
      return {axis.low, axis.high, logit_ticks(axis.low, axis.high), {}, {}, AxisScale::logit};
    }
  }
  const double more = (high - low) * margin;
  return {low - more, high + more, fitting_ticks(low, high, 8)};
}

Axis feature_axis(const FeatureSchema& feature, const Interval& view) {
  Axis axis{view.lower, view.upper, {}, title_of(feature), visible(feature.unit)};
  if (!is_whole(feature)) {
    axis.ticks = fitting_ticks(axis.low, axis.high, 7);
    return axis;
  }
  axis.low = std::ceil(view.lower) - 0.5;
  axis.high = std::floor(view.upper) + 0.5;
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  if (feature.labels.empty()) {
    axis.ticks = fitting_ticks(axis.low, axis.high, 7);
    if (round_step(axis.low, axis.high, 7) < 1) {
      axis.ticks.clear();
      for (double k = axis.low + 0.5; k < axis.high; ++k)
        axis.ticks.push_back({k, step_text(k, 1)});
    }
    return axis;
  }
  std::vector<std::string> labels;
  for (const std::string& label : feature.labels) labels.push_back(visible(label));
  const std::vector<std::string> shown = short_labels(labels);
  const double first = std::max(axis.low + 0.5, 0.0);
  const double last = std::min(axis.high, static_cast<double>(shown.size()) - 0.5);
  const double every = std::max(1.0, std::ceil((last - first) / static_cast<double>(most_labels)));
  for (double code = first; code < last; code += every) {
    axis.ticks.push_back({code, shown[static_cast<std::size_t>(code)]});
  }
  return axis;
}

Interval drawn_interval(const FeatureSchema& feature, const Interval& interval, const Axis& axis,
                        Precision precision) {
  Interval drawn = interval;
  if (is_whole(feature)) {
    const Interval hull = whole_hull(interval, precision);
    if (hull.lower > hull.upper) return {1, 0};
    drawn = {hull.lower - 0.5, hull.upper + 0.5};
  }
  return {std::max(drawn.lower, axis.low), std::min(drawn.upper, axis.high)};
}

}  // namespace boxwood
