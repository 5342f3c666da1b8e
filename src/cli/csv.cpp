#include "cli/csv.hpp"

#include "base/digits.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "render/words.hpp"

#include <boxwood/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace boxwood::cli {
namespace {

/// Files of spreadsheets that call themselves CSV have semicolons or tabs in many countries.
void refuse_other_separator(std::string_view header, const std::string& file) {
  const char* name = header.find(';') != std::string_view::npos    ? "semicolons"
                     : header.find('\t') != std::string_view::npos ? "tabs"
                                                                   : nullptr;
  if (!name) return;
  throw Error(fmt::format("{}, line 1", file), fmt::format("the columns are separated by {}", name),
              "Separate them by commas and write numbers with a decimal point");
}

/// Reads one record after the other; `line` counts the lines of the file, also inside quotes.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  }

  bool at_quote() const { return peek() == '"'; }
  bool finished() const { return at_ >= text_.size(); }

  Record next() {
    Record record;
    record.line = line_;
    while (true) {
      record.cells.push_back(peek() == '"' ? quoted_cell() : plain_cell());
      if (finished()) return record;
      if (text_[at_++] == ',') continue;
      // A line end: CR LF is one.
      if (text_[at_ - 1] == '\r' && peek() == '\n') ++at_;
      ++line_;
      return record;
    }
  }

 private:
  char peek() const { return finished() ? '\0' : text_[at_]; }

  std::string plain_cell() {
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell(text_.substr(at_, end - at_));
    at_ = end;
    return cell;
  }

  std::string quoted_cell() {
    const std::size_t opened = line_;
    std::string cell;
    for (++at_; !finished(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += '"';
        ++at_;
      } else {
        ++at_;
        if (!finished() && text_.find_first_of(",\r\n", at_) != at_) {
          if (line_ == 1) refuse_other_separator(text_.substr(at_, 1), file_);
          throw Error(fmt::format("{}, line {}", file_, line_), "text after a closing quote",
                      "Inside quotes write a quote twice");
        }
        return cell;
      }
    }
    throw Error(fmt::format("{}, line {}", file_, opened), "the closing quote is missing");
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

bool is_blank(const Record& record) {
  return record.cells.size() == 1 && record.cells.front().empty();
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool has_default_names(const Ensemble& ensemble) {
  for (std::size_t i = 0; i < ensemble.features.size(); ++i) {
    if (ensemble.features[i].name != fmt::format("f{}", i)) return false;
  }
  return true;
}

constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

/// The columns by name; those that are there twice are an error only when asked for.
class Header {
 public:
  explicit Header(const Sheet& sheet) : sheet_(sheet) {
    for (std::size_t i = 0; i < sheet.header.size(); ++i) {
      const auto [entry, is_new] = columns_.try_emplace(sheet.header[i], i);
      if (!is_new) entry->second = twice;
    }
  }

  std::size_t find(const std::string& name) const {
    const auto found = columns_.find(name);
    if (found == columns_.end()) return nowhere;
    if (found->second != twice) return found->second;
    throw Error(fmt::format("{}, line 1", sheet_.file),
                fmt::format("column \"{}\" is given twice", name));
  }

 private:
  static constexpr std::size_t twice = nowhere - 1;
  const Sheet& sheet_;
  std::unordered_map<std::string_view, std::size_t> columns_;
};

/// `Its columns are "a", "b" and 7 more`.
std::string columns_text(const Sheet& sheet) {
  constexpr std::size_t most = 6;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < sheet.header.size() && i < most; ++i) {
    names.push_back(fmt::format("\"{}\"", sheet.header[i]));
  }
  if (sheet.header.size() > most)
    names.push_back(fmt::format("{} more", sheet.header.size() - most));
  return "Its columns are " + and_list(names);
}

/// For each feature the column that holds it. A model without names of its own takes a file of just
/// its columns in its order, but only when no name matches: half of a match would mix columns up.
std::vector<std::size_t> match_columns(const Sheet& sheet, const Ensemble& ensemble,
                                       const Schema& schema) {
  const Header header(sheet);
  std::vector<std::size_t> columns;
  const FeatureSchema* lacking = nullptr;
  for (const FeatureSchema& feature : schema.features) {
    std::size_t column = header.find(feature.name);
    if (column == nowhere && !feature.title.empty()) column = header.find(feature.title);
    if (column == nowhere && !lacking) lacking = &feature;
    columns.push_back(column);
  }
  if (!lacking) return columns;
  const bool unnamed = has_default_names(ensemble);
  const bool none_matches =
      std::all_of(columns.begin(), columns.end(), [](std::size_t c) { return c == nowhere; });
  if (unnamed && none_matches && sheet.header.size() == columns.size()) {
    std::iota(columns.begin(), columns.end(), std::size_t{0});
    return columns;
  }
  std::string remedy = did_you_mean(lacking->name, sheet.header);
  if (remedy.empty() && unnamed) {
    remedy = fmt::format("The model has no names: give just its {} columns, in its order",
                         ensemble.features.size());
  }
  if (remedy.empty()) remedy = columns_text(sheet);
  throw Error(sheet.file, fmt::format("no column \"{}\"", lacking->name), remedy);
}

double cell_value(const std::string& cell, const FeatureSchema& feature, const std::string& place) {
  const std::string_view text = trimmed(cell);
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto label = std::find(feature.labels.begin(), feature.labels.end(), text);
  if (label != feature.labels.end()) return static_cast<double>(label - feature.labels.begin());
  double value = 0;
  const bool is_number = parse_number(text, value);
  if (feature.labels.empty()) {
    if (!is_number) {
      throw Error(
          place, fmt::format("\"{}\" is not a number", cell),
          "If it is a label, list the column's labels in a schema and give it with --schema");
    }
    return value;
  }
  // Where labels are numbers themselves, a number that is none of them is no code either.
  double label_number = 0;
  const bool codes_are_plain =
      feature.other_codes &&
      std::none_of(feature.labels.begin(), feature.labels.end(),
                   [&](const std::string& known) { return parse_number(known, label_number); });
  if (is_number && codes_are_plain) return value;
  if (is_number &&
      (std::isnan(value) || (value >= 0 && value < static_cast<double>(feature.labels.size()) &&
                             value == std::floor(value)))) {
    return value;
  }
  std::string remedy = did_you_mean(text, feature.labels);
  if (remedy.empty()) remedy = fmt::format("Labels: {}", fmt::join(feature.labels, "; "));
  throw Error(place, fmt::format("\"{}\" is not a label", cell), remedy);
}

}  // namespace

bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = from_digits(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return false;
  if (error == std::errc{}) return true;
  if (error != std::errc::result_out_of_range) return false;
  // Too large or too small for a double: what every library reads, infinity or zero.
  value = std::strtod(std::string(text).c_str(), nullptr);
  return true;
}

Sheet parse_csv(std::string_view text, std::string file) {
  Sheet sheet;
  sheet.file = std::move(file);
  Reader reader(text, sheet.file);
  const bool quoted = reader.at_quote();
  if (!reader.finished()) sheet.header = reader.next().cells;
  if (sheet.header.size() == 1 && !quoted) {
    refuse_other_separator(sheet.header.front(), sheet.file);
  }
  double number = 0;
  const bool unnamed = std::all_of(
      sheet.header.begin(), sheet.header.end(),
      [&](const std::string& name) { return name.empty() || parse_number(name, number); });
  if (unnamed) {
    throw Error(sheet.file, "the first line does not name the columns",
                "Put the features' names there, separated by commas");
  }
  while (!reader.finished()) {
    Record record = reader.next();
    // A blank line ends many files; with one column it is a missing value.
    if (is_blank(record) && (sheet.header.size() > 1 || reader.finished())) continue;
    if (record.cells.size() != sheet.header.size()) {
      throw Error(
          fmt::format("{}, line {}", sheet.file, record.line),
          fmt::format("{} cells, but the header has {}", record.cells.size(), sheet.header.size()));
    }
    sheet.records.push_back(std::move(record));
  }
  return sheet;
}

Sheet read_csv(const std::filesystem::path& file) {
  const std::string text = read_file(file, "Check the path of the data");
  return parse_csv(text, file.string());
}

Data data_for(const Sheet& sheet, const Ensemble& ensemble, const Schema& schema) {
  const std::vector<std::size_t> columns = match_columns(sheet, ensemble, schema);
  if (sheet.records.empty()) {
    throw Error(sheet.file, "there is no row below the names of the columns");
  }
  Data data;
  data.file = sheet.file;
  for (const Record& record : sheet.records) {
    std::vector<double> point;
    point.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = record.cells[columns[i]];
      // The place is spelled out only for a cell that needs it: most are plain numbers.
      double value = 0;
      if (schema.features[i].labels.empty() && parse_number(cell, value)) {
        point.push_back(value);
        continue;
      }
      point.push_back(cell_value(cell, schema.features[i],
                                 fmt::format("{}, line {}, column \"{}\"", sheet.file, record.line,
                                             sheet.header[columns[i]])));
    }
    data.points.push_back(std::move(point));
    data.lines.push_back(record.line);
  }
  return data;
}

}  // namespace boxwood::cli
