#include "render/svg_canvas.hpp"

#include "render/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace boxwood {
namespace {

/// The number of bytes of the UTF-8 character at the front; 0 if it is invalid or not allowed in
/// XML.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return lead >= 0x20 && lead != 0x7F ? 1 : 0;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0u) != 0x80) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;                      // an overlong form
  if (lead == 0xED && byte(1) >= 0xA0) return 0;                     // half of a surrogate pair
  if (lead == 0xEF && byte(1) == 0xBF && byte(2) >= 0xBE) return 0;  // not characters
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

// Pale enough that marks and lines are readable on them, on light and on dark pages. The first two
// colours of classes are blue and yellow: red and green would suggest which class is good.
constexpr std::array<const char*, class_colours> light_classes = {
    "#a9c6f0", "#f2dc91", "#d5b9e8", "#9ed8c3", "#f3b7a4",
    "#bcdc90", "#f3b9d2", "#cfd3d8", "#8fd3e0", "#e0b98a"};
constexpr std::array<const char*, class_colours> dark_classes = {
    "#36588c", "#7b661f", "#634679", "#24705a", "#7d4132",
    "#536d28", "#7d3f5d", "#565b63", "#1f6a78", "#6e5028"};
constexpr std::array<const char*, scale_steps> light_scale = {
    "#f4f7fb", "#dfe9f5", "#c6d9ee", "#a9c8e6", "#89b4dc",
    "#689fd1", "#4a89c4", "#3272b1", "#205b98", "#14457b"};
constexpr std::array<const char*, scale_steps> dark_scale = {
    "#1c222b", "#1f2d3d", "#223a52", "#264868", "#2b5880",
    "#336a99", "#4180b3", "#5997cb", "#7bb0df", "#a6cdf0"};

std::string sheet() {
  std::string css =
      "text{font-family:system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
      "font-size:11px;fill:#1f2328}"
      ".head{font-size:15px;font-weight:600}.soft{fill:#5b636e}"
      ".page{fill:#ffffff}.frame{fill:none;stroke:#8b929c;stroke-width:1}"
      ".grid{stroke:#e4e7eb;stroke-width:1}.tick{stroke:#8b929c;stroke-width:1}"
      ".flat{shape-rendering:crispEdges}"
      ".cell{shape-rendering:crispEdges;stroke:#ffffff;stroke-opacity:.35;stroke-width:.5}"
      ".rim{fill:none;stroke:#ffffff;stroke-opacity:.7;stroke-width:3;shape-rendering:crispEdges}"
      ".edge{fill:none;stroke:#1f2328;stroke-opacity:.75;stroke-width:1;"
      "shape-rendering:crispEdges}"
      ".halo{fill:none;stroke:#ffffff;stroke-width:4;stroke-linejoin:round;stroke-linecap:round;"
      "stroke-opacity:.8}"
      ".path{fill:none;stroke:#1f2328;stroke-width:1.8;stroke-linejoin:round}"
      ".head-of-path{fill:#1f2328}"
      ".now{fill:#ffffff;stroke:#1f2328;stroke-width:2}"
      ".then{fill:#1f2328;stroke:#ffffff;stroke-width:1.5}"
      ".curve{fill:none;stroke:#205b98;stroke-width:2.5;stroke-linecap:round}"
      ".gap{fill:#689fd1;fill-opacity:.22}.bar{stroke:#205b98;stroke-width:1.5}"
      ".dot{fill:#205b98;stroke:#ffffff;stroke-width:1.5}"
      ".ring{fill:#ffffff;stroke:#205b98;stroke-width:1.5}"
      ".never{fill:#8b929c;fill-opacity:.18}.none{fill:#e9ebee}";
  std::string dark =
      "text{fill:#e6e8eb}.soft{fill:#a3aab4}.page{fill:#15181d}.frame{stroke:#6d747e}"
      ".grid{stroke:#2a2f37}.tick{stroke:#6d747e}.cell{stroke:#15181d}.edge{stroke:#e6e8eb}"
      ".rim{stroke:#15181d}.halo{stroke:#15181d}.path{stroke:#e6e8eb}.head-of-path{fill:#e6e8eb}"
      ".now{fill:#15181d;stroke:#e6e8eb}.then{fill:#e6e8eb;stroke:#15181d}"
      ".curve,.bar{stroke:#7bb0df}.gap{fill:#7bb0df}.dot{fill:#7bb0df;stroke:#15181d}"
      ".ring{fill:#15181d;stroke:#7bb0df}.none{fill:#262a31}";
  for (std::size_t k = 0; k < class_colours; ++k) {
    css += fmt::format(".k{}{{fill:{}}}", k, light_classes[k]);
    dark += fmt::format(".k{}{{fill:{}}}", k, dark_classes[k]);
  }
  for (std::size_t k = 0; k < scale_steps; ++k) {
    css += fmt::format(".s{}{{fill:{}}}", k, light_scale[k]);
    dark += fmt::format(".s{}{{fill:{}}}", k, dark_scale[k]);
  }
  return fmt::format("{}@media (prefers-color-scheme:dark){{{}}}", css, dark);
}

std::string with_hint(std::string_view element, std::string_view rest, std::string_view hint) {
  if (hint.empty()) return fmt::format("<{} {}/>\n", element, rest);
  return fmt::format("<{} {}><title>{}</title></{}>\n", element, rest, xml_text(hint), element);
}

}  // namespace

std::string xml_text(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      // A line break or a tab becomes a blank; any other character that XML does not allow is
      // marked.
      const char c = text.front();
      safe += c == '\n' || c == '\r' || c == '\t' ? " " : "\xEF\xBF\xBD";
    } else if (length > 1) {
      safe += text.substr(0, length);
    } else {
      switch (text.front()) {
        case '&':
          safe += "&amp;";
          break;
        case '<':
          safe += "&lt;";
          break;
        case '>':
          safe += "&gt;";
          break;
        case '"':
          safe += "&quot;";
          break;
        default:
          safe += text.front();
      }
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return safe;
}

const char* class_colour(std::size_t number) { return light_classes[number % class_colours]; }
const char* scale_colour(std::size_t step) { return light_scale.at(step); }

double text_width(std::string_view text, double size) {
  constexpr double mean_letter = 0.58;  // of the height, for the usual sans-serif fonts
  return mean_letter * size * static_cast<double>(display_width(text));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (display_width(text) <= most) return std::string(text);
  std::size_t end = 0;
  std::size_t width = 0;
  while (end < text.size() && width + 1 < most) {
    std::size_t length = character_length(text.substr(end));
    if (length == 0) length = 1;
    width += display_width(text.substr(end, length));
    end += length;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string fitting(std::string_view text, double pixels, double size) {
  return shortened(text, static_cast<std::size_t>(std::max(1.0, pixels / text_width("n", size))));
}

std::string pixels(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title)
    : width_(width), height_(height), title_(title) {}

void Svg::rectangle(double x, double y, double width, double height, std::string_view css,
                    std::string_view hint) {
  body_ += with_hint("rect",
                     fmt::format("class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", css,
                                 pixels(x), pixels(y), pixels(width), pixels(height)),
                     hint);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css) {
  body_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", css,
                       pixels(x1), pixels(y1), pixels(x2), pixels(y2));
}

void Svg::path(std::string_view commands, std::string_view css) {
  body_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", css, commands);
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, std::string_view css) {
  std::string list;
  for (const auto& [x, y] : points) {
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", pixels(x), pixels(y));
  }
  body_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", css, list);
}

void Svg::circle(double x, double y, double radius, std::string_view css, std::string_view hint) {
  body_ += with_hint("circle",
                     fmt::format("class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"", css, pixels(x),
                                 pixels(y), pixels(radius)),
                     hint);
}

void Svg::text(double x, double y, std::string_view words, std::string_view css, Anchor anchor,
               double angle) {
  constexpr std::array<const char*, 3> anchors = {"start", "middle", "end"};
  const std::string turn = angle == 0 ? std::string{}
                                      : fmt::format(" transform=\"rotate({} {} {})\"",
                                                    pixels(angle), pixels(x), pixels(y));
  const std::string style = css.empty() ? std::string{} : fmt::format(" class=\"{}\"", css);
  body_ +=
      fmt::format("<text{} x=\"{}\" y=\"{}\" text-anchor=\"{}\"{}>{}</text>\n", style, pixels(x),
                  pixels(y), anchors[static_cast<std::size_t>(anchor)], turn, xml_text(words));
}

std::string Svg::finish() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n<style>{3}</style>\n"
      "<rect class=\"page\" width=\"{0}\" height=\"{1}\"/>\n{4}</svg>\n",
      pixels(width_), pixels(height_), xml_text(title_), sheet(), body_);
}

}  // namespace boxwood
