#include <boxwood/error.hpp>

#include <utility>

namespace boxwood {
namespace {

std::string sentence(const std::string& place, const std::string& reason,
                     const std::string& remedy) {
  std::string text = place.empty() ? reason : place + ": " + reason;
  if (!remedy.empty()) text += ". " + remedy;
  return text;
}

}  // namespace

Error::Error(std::string place, std::string reason, std::string remedy)
    : std::runtime_error(sentence(place, reason, remedy)),
      place_(std::move(place)),
      reason_(std::move(reason)),
      remedy_(std::move(remedy)) {}

}  // namespace boxwood
