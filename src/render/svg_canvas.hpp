// SVG as text: shapes with classes, and one style sheet for light and dark. The result is
// well-formed whatever texts a model contains. The same calls give the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace boxwood {

/// Text for XML: markup is escaped, invalid UTF-8 and control characters are replaced.
std::string xml_text(std::string_view text);

/// The approximate width of a drawn text, in pixels.
double text_width(std::string_view text, double size);

/// The text, or its beginning and an ellipsis if it has more letters than this.
std::string shortened(std::string_view text, std::size_t most);

/// The text, or its beginning and an ellipsis if it is wider than so many pixels.
std::string fitting(std::string_view text, double pixels, double size);

enum class Anchor { start, middle, end };

class Svg {
 public:
  /// `title` is what a screen reader says and a browser shows.
  Svg(double width, double height, std::string_view title);

  double width() const { return width_; }
  double height() const { return height_; }

  void rectangle(double x, double y, double width, double height, std::string_view css,
                 std::string_view hint = {});
  void line(double x1, double y1, double x2, double y2, std::string_view css);
  void path(std::string_view commands, std::string_view css);
  void polyline(const std::vector<std::pair<double, double>>& points, std::string_view css);
  void circle(double x, double y, double radius, std::string_view css, std::string_view hint = {});
  /// Turned by `angle` degrees about its anchor.
  void text(double x, double y, std::string_view words, std::string_view css,
            Anchor anchor = Anchor::start, double angle = 0);

  /// The whole file.
  std::string finish() const;

 private:
  double width_;
  double height_;
  std::string title_;
  std::string body_;
};

/// A coordinate with two decimals at most.
std::string pixels(double value);

/// Colours that a picture can ask for by class: `k0` … for classes, `s0` … for steps of a scale.
inline constexpr std::size_t class_colours = 10;
inline constexpr std::size_t scale_steps = 10;
/// Their colours on a light page; of classes they repeat after the last.
const char* class_colour(std::size_t number);
const char* scale_colour(std::size_t step);
inline constexpr const char* nothing_colour = "#e9ebee";

}  // namespace boxwood
