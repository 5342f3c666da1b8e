// The answer as sentences: the JSON key "text", and `--format text`.
#include "base/text.hpp"
#include "render/advice.hpp"
#include "render/changes.hpp"
#include "render/findings.hpp"
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
  const auto& [ensemble, schema, query, answer, row, faults, findings] = explanation;
  std::vector<std::string> all = {full_stop(headline(explanation))};
  if (answer.solutions.empty() || answer.already_met) {
    all.push_back(verdict(explanation));
    for (const std::string& sentence : why_not_sentences(explanation)) all.push_back(sentence);
  } else {
    std::vector<std::string> changes;
    const Solution& best = answer.best();
    for (const ChangeText& change : changes_in_words(ensemble, schema, query, best)) {
      changes.push_back(fmt::format("{} from {} to {} (anything in: {})", change.title, change.now,
                                    change.then, change.anything));
    }
    all.push_back(advice(explanation));
    all.push_back(full_stop(fmt::format("{} {}", verdict(explanation), fmt::join(changes, "; "))));
    all.push_back(full_stop(closing(explanation)));
    if (findings.rounding) all.push_back(full_stop(rounding_text(explanation)));
  }
  if (const std::string count = tie_count(answer); !count.empty()) all.push_back(count + ".");
  for (const Note& note : notes(explanation)) all.push_back(text_of(note));
  if (faults) {
    all.push_back(faults->empty() ? checked_text(answer)
                                  : full_stop(visible(fmt::format("VERIFICATION FAILED: {}",
                                                                  fmt::join(*faults, "; ")))));
  }
  return all;
}

}  // namespace boxwood
