#include <boxwood/error.hpp>

#include <utility>

namespace boxwood {
namespace {

std::string sentence(const std::string& place, const std::string& reason, const std::string& remedy,
                     const std::string& excerpt) {
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
