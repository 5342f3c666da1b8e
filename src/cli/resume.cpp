#include "cli/resume.hpp"

#include "base/file.hpp"
#include "base/json_fields.hpp"
#include "cli/usage.hpp"

#include <boxwood/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>

namespace boxwood::cli {
namespace {

constexpr std::size_t all_rows = std::numeric_limits<std::size_t>::max();

/// FNV-1a distinguishes different inputs; it is no protection against deliberate collisions.
class Hash {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
    }
  }
  void add_word(std::string_view word) {
    add(word);
    add(std::string_view("\0", 1));
  }
  void add_file(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::vector<char> chunk(std::size_t{1} << 16);
    while (stream) {
      stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      add({chunk.data(), static_cast<std::size_t>(stream.gcount())});
    }
    add_word("end");
  }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325u;
};

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The row and the state of a line of the output.
struct RowLine {
  std::size_t row = all_rows;
  bool limited = false;
};

RowLine parse_json_line(const std::string& line) {
  RowLine found;
  nlohmann::json object;
  try {
    object = parse_json(line, "line");
  } catch (const Error&) {  // the end of a line is missing
    return found;
  }
  if (!object.is_object() || !object.contains("row") || !object["row"].is_number_unsigned()) {
    return found;
  }
  found.row = object["row"].get<std::size_t>();
  const auto note = [&](const nlohmann::json& part) {
    found.limited = found.limited || part.value("stop", "") != "finished";
  };
  note(object);
  if (object.contains("alternatives")) {
    for (const nlohmann::json& one : object["alternatives"]) note(one);
  }
  return found;
}

/// The columns up to "stop" never need quotes.
RowLine parse_csv_line(const std::string& line, const std::string& header) {
  const auto cells_of = [](std::string_view text) {
    std::vector<std::string_view> cells;
    while (cells.size() < 6) {
      const std::size_t end = std::min(text.find(','), text.size());
      cells.push_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return cells;
  };
  const std::vector<std::string_view> names = cells_of(header), cells = cells_of(line);
  RowLine found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string_view cell = cells[i];
    if (names[i] == "row") std::from_chars(cell.data(), cell.data() + cell.size(), found.row);
    if (names[i] == "stop") found.limited = cell != "finished";
  }
  return found;
}

}  // namespace

Identity identity_of(const CLI::App& command, const std::vector<InputFile>& inputs) {
  Hash model, data, question;
  for (const auto& [flag, file] : inputs) {
    if (file.empty()) continue;
    std::error_code none;
    if (!std::filesystem::is_regular_file(file, none)) return {};
    const bool is_model = is_one_of(flag, {"MODEL", "--also"});
    const bool is_data = is_one_of(flag, {"--data", "--training"});
    Hash& hash = is_model ? model : is_data ? data : question;
    hash.add_word(flag);
    hash.add_file(file);
  }
  question.add_word(version);
  question.add_word(command.get_name());
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    const bool is_file = std::any_of(inputs.begin(), inputs.end(),
                                     [&](const InputFile& input) { return input.flag == name; });
    if (is_file || is_one_of(name, {"--output", "--resume", "--threads"})) continue;
    if (option->count() == 0) continue;
    question.add_word(name);
    for (const std::string& word : option->results()) question.add_word(word);
  }
  return {
      {"the model", model.text()}, {"the data", data.text()}, {"the question", question.text()}};
}

ResumeFile::ResumeFile(const std::filesystem::path& output, Identity identity)
    : output_(output), file_(output), identity_(std::move(identity)) {
  file_ += ".resume";
}

Earlier ResumeFile::read(const std::vector<std::size_t>& rows, const std::string& header) const {
  std::error_code none;
  Earlier earlier;
  if (!std::filesystem::exists(file_, none)) {
    if (!std::filesystem::exists(output_, none) || std::filesystem::file_size(output_, none) == 0) {
      return earlier;
    }
    throw Error(
        output_.string(),
        fmt::format("there is nothing to resume: the file is complete, or \"{}\" is missing",
                    file_.filename().string()),
        "To answer all rows again, leave --resume out");
  }
  const nlohmann::json document = parse_json(read_file(file_), file_.string());
  const JsonField said(document, file_.string());
  for (const auto& [what, hash] : identity_) {
    if (said[what.c_str()].string() == hash) continue;
    throw Error(output_.string(),
                fmt::format("{} has changed since these rows were answered", what),
                "Run the same command with the same files, or leave --resume out to answer all "
                "rows again");
  }
  const std::size_t most = said.has("rows") ? document["rows"].get<std::size_t>() : all_rows;

  // Several CSV lines may belong to one row, and no line says that it is the last one. Such a row
  // counts as complete when the next one has begun.
  const bool several = header.starts_with("alternative,");
  std::ifstream stream(output_, std::ios::binary);
  std::string line;
  std::uint64_t at = 0;
  std::size_t current = all_rows, number = 0;
  while (std::getline(stream, line) && !stream.eof()) {  // eof: the line is not complete
    ++number;
    const std::uint64_t begin = at;
    at += line.size() + 1;
    const auto refuse = [&](const std::string& reason) {
      throw Error(fmt::format("{}, line {}", output_.string(), number), reason,
                  "The file was changed: leave --resume out to answer all rows again");
    };
    if (!header.empty() && number == 1) {
      if (line != header) refuse("this is not the header of these answers");
      earlier.bytes = at;
      continue;
    }
    const RowLine found = header.empty() ? parse_json_line(line) : parse_csv_line(line, header);
    if (!(several && found.row == current)) {
      if (several && current != all_rows) {
        ++earlier.rows;
        earlier.bytes = begin;
      }
      if (earlier.rows == most) break;
      if (earlier.rows == rows.size() || found.row != rows[earlier.rows]) {
        refuse("this is not the next row of the batch");
      }
      current = found.row;
      if (!several) {
        ++earlier.rows;
        earlier.bytes = at;
      }
    }
    earlier.limited = earlier.limited || found.limited;
  }
  return earlier;
}

void ResumeFile::begin() const { write(all_rows); }
void ResumeFile::only_first(std::size_t rows) const { write(rows); }

void ResumeFile::write(std::size_t rows) const {
  nlohmann::ordered_json document;
  document["about"] =
      fmt::format("{} is unfinished: boxwood --resume continues it", output_.filename().string());
  for (const auto& [what, hash] : identity_) document[what] = hash;
  if (rows != all_rows) document["rows"] = rows;
  write_file(file_.string(),
             document.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void ResumeFile::remove() const {
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace boxwood::cli
