#include "cli/csv.hpp"

#include "base/digits.hpp"
#include "base/file.hpp"
#include "base/names.hpp"
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

/// Reads one record after the other from memory or, piece by piece, from a file. `line` counts the
/// lines of the file, also inside quotes.
class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : window_(text), file_(file) { begin(); }
  Reader(FileReader& source, const std::string& file)
      : source_(&source), buffer_(std::size_t{1} << 16), file_(file) {
    refill();
    begin();
  }

  bool at_quote() { return peek() == '"'; }
  bool finished() { return at_ >= window_.size() && !refill(); }
  std::size_t line() const { return line_; }

  /// Replaces `cells` by those of the next record, whose first line is `line()` before the call.
  void next(std::vector<std::string>& cells) {
    std::size_t count = 0;
    while (true) {
      if (count == cells.size()) cells.emplace_back();
      std::string& cell = cells[count++];
      cell.clear();
      if (peek() == '"') {
        quoted_cell(cell);
      } else {
        plain_cell(cell);
      }
      if (!finished()) {
        const char end = window_[at_++];
        if (end == ',') continue;
        // A line end: CR LF is one.
        if (end == '\r' && peek() == '\n') ++at_;
        ++line_;
      }
      cells.resize(count);
      return;
    }
  }

 private:
  void begin() {
    refuse_utf16(window_, file_);
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (window_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();
  }

  /// Reads the next piece of the file once all of the last one is used. False at the end.
  bool refill() {
    if (!source_) return false;
    window_ = {buffer_.data(), source_->read(buffer_.data(), buffer_.size())};
    at_ = 0;
    return !window_.empty();
  }

  char peek() { return finished() ? '\0' : window_[at_]; }

  void plain_cell(std::string& cell) {
    while (!finished()) {
      const std::size_t end = std::min(window_.find_first_of(",\r\n", at_), window_.size());
      cell.append(window_.substr(at_, end - at_));
      at_ = end;
      if (end < window_.size()) return;
    }
  }

  void quoted_cell(std::string& cell) {
    const std::size_t opened = line_;
    ++at_;
    while (!finished()) {
      const char c = window_[at_++];
      if (c == '\n') ++line_;
      if (c != '"') {
        cell += c;
      } else if (peek() == '"') {
        cell += '"';
        ++at_;
      } else {
        if (!finished() && std::string_view(",\r\n").find(peek()) == std::string_view::npos) {
          if (line_ == 1) refuse_other_separator(window_.substr(at_, 1), file_);
          throw Error(fmt::format("{}, line {}", file_, line_), "text after a closing quote",
                      "Inside quotes write a quote twice");
        }
        return;
      }
    }
    throw Error(fmt::format("{}, line {}", file_, opened), "the closing quote is missing");
  }

  FileReader* source_ = nullptr;
  std::vector<char> buffer_;
  std::string_view window_;  // the part of the text that is in memory
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

/// The file's name and the names of its columns.
struct Sheet {
  std::string file;
  std::vector<std::string> header;
};

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

  /// LightGBM writes the spaces of its columns' names as underscores.
  std::size_t find_underscored(const std::string& name) const {
    std::size_t found = nowhere;
    for (std::size_t i = 0; i < sheet_.header.size(); ++i) {
      if (underscored(sheet_.header[i]) != name) continue;
      if (found != nowhere) return nowhere;  // two columns could be meant
      found = i;
    }
    return found;
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
    if (column == nowhere && ensemble.library == Library::lightgbm) {
      column = header.find_underscored(feature.name);
    }
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

/// Reading such a number as infinity would answer another question.
void refuse_overflow(std::string_view text, const std::string& place) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = from_digits(text.data(), text.data() + text.size(), value);
  if (error != std::errc::result_out_of_range || end != text.data() + text.size()) return;
  throw Error(place, fmt::format("\"{}\" is outside the range of a double", text));
}

double cell_value(const std::string& cell, const FeatureSchema& feature, const std::string& place) {
  const std::string_view text = trimmed(cell, " \t");
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto label = std::find(feature.labels.begin(), feature.labels.end(), text);
  if (label != feature.labels.end()) return static_cast<double>(label - feature.labels.begin());
  double value = 0;
  const bool is_number = parse_number(text, value);
  if (feature.labels.empty()) {
    // pandas writes columns of booleans so, which every library reads as 1 and 0.
    if (text == "True" || text == "true") return 1;
    if (text == "False" || text == "false") return 0;
    if (!is_number) {
      refuse_overflow(text, place);
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

/// Finds the columns and turns every record into a point; the points of rows that are not kept are
/// checked and dropped.
Data read_points(Reader& reader, const std::string& file, const Ensemble& ensemble,
                 const Schema& schema, const KeepRow& keep) {
  Sheet sheet{file, {}};
  const bool quoted = reader.at_quote();
  if (!reader.finished()) reader.next(sheet.header);
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
  const std::vector<std::size_t> columns = match_columns(sheet, ensemble, schema);
  Data data;
  data.file = file;
  std::vector<std::string> cells;
  std::vector<double> point(columns.size());
  while (!reader.finished()) {
    const std::size_t line = reader.line();
    reader.next(cells);
    // A blank line ends many files; with one column it is a missing value.
    const bool blank = cells.size() == 1 && cells.front().empty();
    if (blank && (sheet.header.size() > 1 || reader.finished())) continue;
    if (cells.size() != sheet.header.size()) {
      throw Error(
          fmt::format("{}, line {}", file, line),
          fmt::format("{} cells, but the header has {}", cells.size(), sheet.header.size()));
    }
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string& cell = cells[columns[i]];
      // The place is spelled out only for a cell that needs it: most are plain numbers.
      if (schema.features[i].labels.empty() && parse_number(cell, point[i])) continue;
      point[i] = cell_value(
          cell, schema.features[i],
          fmt::format("{}, line {}, column \"{}\"", file, line, sheet.header[columns[i]]));
    }
    data.points.push_back(!keep || keep(data.points.size()) ? point : std::vector<double>{});
    data.lines.push_back(line);
  }
  if (data.points.empty()) throw Error(file, "there is no row below the names of the columns");
  return data;
}

}  // namespace

bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const auto [end, error] = from_digits(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || text.empty()) return false;
  if (error == std::errc{}) return true;
  if (error != std::errc::result_out_of_range) return false;
  // A number too small for a double is 0, as every library reads it; one too large is refused.
  value = std::strtod(std::string(text).c_str(), nullptr);
  return std::isfinite(value);
}

Data parse_data(std::string_view text, const std::string& file, const Ensemble& ensemble,
                const Schema& schema, const KeepRow& keep) {
  Reader reader(text, file);
  return read_points(reader, file, ensemble, schema, keep);
}

Data read_data(const std::filesystem::path& file, const Ensemble& ensemble, const Schema& schema,
               const KeepRow& keep) {
  FileReader source(file, "Check the path of the data");
  const std::string name = file.string();
  Reader reader(source, name);
  return read_points(reader, name, ensemble, schema, keep);
}

}  // namespace boxwood::cli
