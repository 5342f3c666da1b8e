#include <boxwood/page.hpp>

#include <boxwood/error.hpp>

#include "render/json_parts.hpp"

#include <cstdint>

namespace boxwood {
namespace {

constexpr std::string_view content_start =
    R"(<script type="application/json" id="boxwood-content">)";
constexpr std::string_view content_end = "</script>";

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group = group << 8 | (i < here ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= here ? digits[group >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

Json file_json(const PageFile& file) {
  return {{"name", file.name}, {"base64", base64(file.bytes)}};
}

/// "<" could end the script that holds the JSON.
std::string in_html(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string fill_page(std::string_view page, const PageContent& content) {
  const std::size_t start = page.find(content_start);
  const std::size_t from = start + content_start.size();
  const std::size_t to = start == std::string_view::npos ? start : page.find(content_end, from);
  if (to == std::string_view::npos) {
    throw Error("template", "this is not Boxwood's page", "make page writes build/page/index.html");
  }
  Json json = {{"boxwood_page", 1},
               {"title", content.title},
               {"model", file_json(content.model)},
               {"data", file_json(content.data)},
               {"question", {{"row", content.row}}}};
  if (content.schema) json["schema"] = file_json(*content.schema);
  if (!content.question.empty()) {
    json["saved"] = file_json({"question.json", content.question});
  }
  std::string filled(page.substr(0, from));
  filled += in_html(one_line(json));
  filled += page.substr(to);
  return filled;
}

}  // namespace boxwood
