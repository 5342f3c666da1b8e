// The one exception type for bad input. Outcomes of a search are results, never exceptions.
#pragma once

#include <stdexcept>
#include <string>

namespace boxwood {

/// Bad input: where it is (a file, a JSON path, a flag), what is wrong, and what to do about it.
/// `what()` reads "place: reason" or "place: reason. Remedy". Where the place is in a line of text,
/// `excerpt` is that line with a caret below it, after which the reason follows:
///
///   --rule, column 13
///       duration <= twelve
///                   ^ "twelve" is not a number
class Error : public std::runtime_error {
 public:
  Error(std::string place, std::string reason, std::string remedy = {}, std::string excerpt = {});

  const std::string& place() const noexcept { return place_; }
  const std::string& reason() const noexcept { return reason_; }
  const std::string& remedy() const noexcept { return remedy_; }
  const std::string& excerpt() const noexcept { return excerpt_; }

 private:
  std::string place_;
  std::string reason_;
  std::string remedy_;
  std::string excerpt_;
};

}  // namespace boxwood
