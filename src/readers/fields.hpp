// A value of a document together with its JSON path, so that every error names its place.
#pragma once

#include "readers/document.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::readers {

/// Borrows the document. Accessors throw Error ("model.json: learner.objective: ...") when the
/// value is absent or of another kind.
class Field {
 public:
  Field(const Value& value, std::string_view place) : value_(&value), place_(place) {}

  Field operator[](std::string_view key) const;
  Field operator[](std::size_t index) const;
  std::optional<Field> find(std::string_view key) const;  ///< absent: nothing

  std::size_t size() const;  ///< of an array of any kind
  bool is_string() const { return std::holds_alternative<std::string>(value_->content); }
  bool holds_integers() const { return std::holds_alternative<Integers>(value_->content); }

  const std::string& string() const;
  std::vector<std::string> strings() const;
  /// XGBoost writes its parameters as strings; plain integers are fine too.
  std::int64_t integer() const;
  std::span<const std::int32_t> integers() const;  ///< borrowed from the document
  Floats floats() const;
  /// One number or several, as numbers or as a string: "5E-1", "[5E-1,2E-1]".
  Floats numbers_in_text() const;

  std::string where() const;                   ///< "model.json: learner.objective.name"
  std::string where(std::size_t index) const;  ///< the same with "[7]" behind it
  [[noreturn]] void fail(const std::string& reason, const std::string& remedy = {}) const;
  [[noreturn]] void fail_at(std::size_t index, const std::string& reason) const;

 private:
  Field(const Value& value, std::string_view place, std::string path)
      : value_(&value), place_(place), path_(std::move(path)) {}

  const Value* value_;
  std::string_view place_;
  std::string path_;
};

}  // namespace boxwood::readers
