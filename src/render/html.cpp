#include "render/html.hpp"

#include "base/text.hpp"

#include <fmt/format.h>

#include <cctype>

namespace boxwood {
namespace {

constexpr const char* cell_style =
    "padding:3px 16px 3px 0;text-align:left;vertical-align:middle;border:none";

/// Whether a blank at `at` stands between thousands: a digit before it, exactly three after it.
bool parts_thousands(std::string_view text, std::size_t at) {
  const auto digit = [&](std::size_t place) {
    return place < text.size() && std::isdigit(static_cast<unsigned char>(text[place])) != 0;
  };
  return text[at] == ' ' && at > 0 && digit(at - 1) && digit(at + 1) && digit(at + 2) &&
         digit(at + 3) && !digit(at + 4);
}

}  // namespace

std::string escaped(std::string_view outside) {
  const std::string text = visible(outside, "\n");
  std::string page;
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '&':
        page += "&amp;";
        break;
      case '<':
        page += "&lt;";
        break;
      case '>':
        page += "&gt;";
        break;
      case '"':
        page += "&quot;";
        break;
      case '\'':
        page += "&#x27;";
        break;
      default:
        if (parts_thousands(text, i)) {
          page += "&nbsp;";
        } else {
          page += text[i];
        }
    }
  }
  return page;
}

std::string html_block(std::string_view text, bool quiet) {
  if (text.empty()) return {};
  return fmt::format("<div{}>{}</div>", quiet ? " style=\"opacity:.75\"" : "", escaped(text));
}

std::string html_lines(std::string_view text) {
  if (text.empty()) return {};
  return fmt::format("<div style=\"white-space:pre-line\">{}</div>", escaped(text));
}

std::string html_frame(const std::string& content) {
  return "<div style=\"font-family:sans-serif;font-size:14px;line-height:1.5\">" + content +
         "</div>";
}

std::string html_table(const Lines& lines, const std::vector<std::string>& pictures,
                       std::size_t before) {
  std::string page =
      "<table style=\"border-collapse:collapse;margin:6px 0;font-size:inherit;color:inherit\">";
  for (std::size_t row = 0; row < lines.size(); ++row) {
    page += "<tr>";
    const auto add = [&](const std::string& content) {
      page += row == 0
                  ? fmt::format("<th style=\"{};font-weight:600\">{}</th>", cell_style, content)
                  : fmt::format("<td style=\"{}\">{}</td>", cell_style, content);
    };
    for (std::size_t column = 0; column < lines[row].size(); ++column) {
      if (!pictures.empty() && column == before) add(row == 0 ? "" : pictures[row - 1]);
      add(escaped(visible(lines[row][column])));
    }
    page += "</tr>";
  }
  return page + "</table>";
}

std::string html_badge(const Badge& badge) {
  return fmt::format(
      "<span style=\"background:{};color:#fff;border-radius:9px;padding:1px 9px;font-size:12px\">"
      "{}</span>",
      badge.colour, escaped(badge.words));
}

}  // namespace boxwood
