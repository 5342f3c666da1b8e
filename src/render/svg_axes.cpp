#include "render/svg_axes.hpp"

#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace boxwood {
namespace {

constexpr double letter = 11;            // pixels, as the style sheet has it
constexpr std::size_t longest = 26;      // letters of a label
constexpr double slant = 35;             // degrees, of labels that are too wide for their place
constexpr double row = 16;               // a line of text
constexpr std::size_t most_labels = 40;  // with more of them only some are told

bool is_whole(const FeatureSchema& feature) {
  return feature.kind.value_or(FeatureKind::continuous) != FeatureKind::continuous;
}

double widest(const std::vector<Tick>& ticks) {
  double width = 0;
  for (const Tick& tick : ticks) width = std::max(width, text_width(tick.label, letter));
  return width;
}

/// Whether labels along the x axis would touch each other.
bool is_crowded(const Axis& axis, double pixels_wide) {
  for (std::size_t k = 1; k < axis.ticks.size(); ++k) {
    const double apart =
        (axis.ticks[k].at - axis.ticks[k - 1].at) / (axis.high - axis.low) * pixels_wide;
    const double needed =
        (text_width(axis.ticks[k].label, letter) + text_width(axis.ticks[k - 1].label, letter)) / 2;
    if (needed + 6 > apart) return true;
  }
  return false;
}

std::string title_with_unit(const FeatureSchema& feature) {
  const std::string title = shortened(title_of(feature), 60);
  return feature.unit.empty() ? title : fmt::format("{} ({})", title, feature.unit);
}

}  // namespace

std::vector<Tick> round_ticks(double low, double high, std::size_t count) {
  std::vector<Tick> ticks;
  const double raw = (high - low) / static_cast<double>(std::max<std::size_t>(count, 1));
  if (!(raw > 0) || !std::isfinite(raw)) return ticks;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double share = raw / power;
  const double step = power * (share <= 1 ? 1 : share <= 2 ? 2 : share <= 5 ? 5 : 10);
  const double first = std::ceil(low / step - 1e-9);
  const double last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; ++k) {
    // Written with few digits and read again: 3 * 0.1 is to be 0.3.
    const double value = with_digits(k * step, 10);
    ticks.push_back({k * step, grouped_number(value, Precision::float64)});
  }
  return ticks;
}

Axis feature_axis(const FeatureSchema& feature, const Interval& view) {
  Axis axis{view.lower, view.upper, {}, title_with_unit(feature)};
  if (!is_whole(feature)) {
    axis.ticks = round_ticks(axis.low, axis.high, 7);
    return axis;
  }
  axis.low = std::ceil(view.lower) - 0.5;
  axis.high = std::floor(view.upper) + 0.5;
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  if (feature.labels.empty()) {
    axis.ticks = round_ticks(axis.low, axis.high, 7);
    std::erase_if(axis.ticks, [](const Tick& tick) { return tick.at != std::floor(tick.at); });
    return axis;
  }
  const auto count = static_cast<double>(feature.labels.size());
  const double every = std::max(1.0, std::ceil(count / static_cast<double>(most_labels)));
  for (double code = 0; code < count; code += every) {
    if (code < axis.low || code > axis.high) continue;
    axis.ticks.push_back(
        {code, shortened(feature.labels[static_cast<std::size_t>(code)], longest)});
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

void make_room_for_axes(Frame& frame) {
  frame.left += widest(frame.y.ticks) + 10 + row + 4;
  const bool crowded = is_crowded(frame.x, frame.right - frame.left);
  const double down = std::sin(slant * 3.14159265358979 / 180);
  frame.bottom -= (crowded ? widest(frame.x.ticks) * down + 14 : row) + row + 8;
  // Half of the outermost labels stands beside the plot.
  if (!frame.x.ticks.empty() && !crowded) {
    const double over = frame.to_x(frame.x.ticks.back().at) +
                        text_width(frame.x.ticks.back().label, letter) / 2 - frame.right;
    if (over > 0) frame.right -= std::min(over, 40.0);
  }
}

void draw_axes(Svg& svg, const Frame& frame, bool grid) {
  const bool crowded = is_crowded(frame.x, frame.right - frame.left);
  for (const Tick& tick : frame.x.ticks) {
    const double x = frame.to_x(tick.at);
    if (grid) svg.line(x, frame.top, x, frame.bottom, "grid");
    svg.line(x, frame.bottom, x, frame.bottom + 4, "tick");
    if (crowded) {
      svg.text(x + 3, frame.bottom + 14, tick.label, "", Anchor::end, -slant);
    } else {
      svg.text(x, frame.bottom + row, tick.label, "", Anchor::middle);
    }
  }
  for (const Tick& tick : frame.y.ticks) {
    const double y = frame.to_y(tick.at);
    if (grid) svg.line(frame.left, y, frame.right, y, "grid");
    svg.line(frame.left - 4, y, frame.left, y, "tick");
    svg.text(frame.left - 7, y + 4, tick.label, "", Anchor::end);
  }
  const double down = std::sin(slant * 3.14159265358979 / 180);
  const double below = crowded ? widest(frame.x.ticks) * down + 14 : row;
  svg.text((frame.left + frame.right) / 2, frame.bottom + below + row + 2, frame.x.title, "soft",
           Anchor::middle);
  svg.text(frame.left - widest(frame.y.ticks) - 10 - 8, (frame.top + frame.bottom) / 2,
           frame.y.title, "soft", Anchor::middle, -90);
  svg.rectangle(frame.left, frame.top, frame.right - frame.left, frame.bottom - frame.top, "frame");
}

}  // namespace boxwood
