// The answer as sentences: what the JSON carries under "text" and what can be read aloud.
#include "render/outcome.hpp"
#include "render/words.hpp"

#include <boxwood/render.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace boxwood {
namespace {

std::string full_stop(std::string text) {
  if (text.ends_with(':')) text.pop_back();
  if (!text.ends_with('.')) text += '.';
  return text;
}

}  // namespace

std::vector<std::string> sentences(const Explanation& explanation) {
  const auto& [ensemble, schema, query, answer, row, faults] = explanation;
  std::vector<std::string> all = {full_stop(headline(explanation))};
  if (answer.solutions.empty() || answer.already_met) {
    all.push_back(verdict(explanation));
  } else {
    std::vector<std::string> changes;
    const Solution& best = answer.best();
    for (const std::size_t i : changed_features(query, best.point)) {
      const FeatureSchema& feature = schema.features[i];
      changes.push_back(
          fmt::format("{} from {} to {} (anything in: {})", title_of(feature),
                      value_text(feature, query.point[i], ensemble.input),
                      value_text(feature, best.point[i], ensemble.input),
                      interval_text(feature, best.region[i], ensemble.input, query.point[i])));
    }
    all.push_back(full_stop(fmt::format("{} {}", verdict(explanation), fmt::join(changes, "; "))));
    all.push_back(full_stop(closing(explanation)));
  }
  if (answer.solutions.size() > 1) {
    const std::string count = tie_count(answer);
    all.push_back(full_stop(count.substr(0, count.find_first_of(":,"))));
  }
  for (const std::string& note : notes(explanation)) all.push_back(note);
  if (faults) {
    all.push_back(faults->empty() ? checked_text(answer)
                                  : full_stop(fmt::format("VERIFICATION FAILED: {}",
                                                          fmt::join(*faults, "; "))));
  }
  return all;
}

}  // namespace boxwood
