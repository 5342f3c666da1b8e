#include "base/text.hpp"

#include <boxwood/error.hpp>

#include <utility>

namespace boxwood {
namespace {

/// Errors quote names, cells and numbers of files, which may be of any length and contain anything.
void make_printable(std::string& text, std::string_view keep = {}) {
  constexpr std::size_t longest = 600;
  text = visible(cut_middle(std::move(text), longest), keep);
}

/// Makes the parts printable, and one text of them.
std::string sentence(std::string& place, std::string& reason, std::string& remedy,
                     std::string& excerpt) {
  make_printable(place);
  make_printable(reason);
  make_printable(remedy);
  make_printable(excerpt, "\n");
  std::string text = place.empty() ? reason : place + ": " + reason;
  if (!excerpt.empty()) text = place + "\n" + excerpt + " " + reason;
  if (!remedy.empty()) text += ". " + remedy;
  return text;
}

}  // namespace

Error::Error(std::string place, std::string reason, std::string remedy, std::string excerpt)
    : std::runtime_error(sentence(place, reason, remedy, excerpt)),
      place_(std::move(place)),
      reason_(std::move(reason)),
      remedy_(std::move(remedy)),
      excerpt_(std::move(excerpt)) {}

}  // namespace boxwood
