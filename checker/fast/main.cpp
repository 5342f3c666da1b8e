// Checks Boxwood proofs like boxwood_check.py, for large certificates and for many of them.
//
//   boxwood_check MODEL [MODEL ...] QUESTION PROOF
//   boxwood_check --batch LIST [MODEL ...]
//
// LIST has one object on each line: `question` and `proof` (texts) or `question_file` and
// `proof_file` (names), and `models` where no MODEL is named. Named models are read once.
#include "checker.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace check {
namespace {

/// Reads JSON. A key that is given twice would let a file say two things. Copies and messages of
/// deeply nested values would exhaust the stack; no file that Boxwood writes is nested deeper
/// than 10.
Json parsed(const std::string& text) {
  constexpr int deepest = 32;
  if (text.starts_with("\xef\xbb\xbf")) throw Unsupported("the text begins with a byte order mark");
  std::vector<std::set<std::string>> keys;
  return Json::parse(text, [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > deepest) throw Unsupported("the JSON is nested too deeply");
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      throw Unsupported("a key is given twice");
    }
    return true;
  });
}

std::string check_proof(const std::vector<Model>& models, const std::string& text,
                        const Json& proof) {
  if (!proof.is_object() || !is_version(proof, "boxwood_proof")) {
    throw Rejected("this is not a proof of version 1");
  }
  std::vector<std::string> digests;
  for (const Model& model : models) digests.push_back(model.digest());
  if (proof.at("models") != Json(digests)) throw Rejected("the proof is about other models");
  if (proof.at("question") != sha256(text)) throw Rejected("the proof is about another question");
  const Question question(parsed(text), models);
  const std::string claim = proof.at("claim");
  const bool infeasible = claim == "infeasible";
  if (!infeasible && claim != "optimal" && claim != "lower_bound") {
    throw Rejected("there is no such claim");
  }
  std::set<std::string> keys{"boxwood_proof", "models", "question", "claim", "tree"};
  if (!infeasible) keys.insert("cost");
  if (claim == "optimal") keys.insert("point");
  if (question.fewest && !infeasible) keys.insert("changes");
  for (const auto& [key, value] : proof.items()) {
    if (keys.erase(key) == 0) throw Rejected("the claim does not go with the key " + key);
  }
  if (!keys.empty()) throw Rejected("the claim needs the key " + *keys.begin());
  const double cost = infeasible ? inf : number(proof.at("cost"));
  if (!(cost >= 0)) throw Rejected("the claimed cost is not a number, or negative");
  if (!proof.at("tree").is_array()) throw Rejected("the proof has no tree");
  const std::int64_t changes = proof.contains("changes") ? whole(proof["changes"]) : -1;
  if (proof.contains("changes") && changes < 0) throw Rejected("a negative number of changes");
  const Checker checker(models, question, cost, changes);
  if (claim == "optimal") checker.check_point(numbers(proof.at("point")));
  const std::size_t boxes = checker.run(proof["tree"]);
  std::ostringstream said;
  said.precision(17);
  said << "no admissible point";
  if (infeasible) {
    said << " has the outcome";
  } else {
    if (question.fewest) said << " of at most " << changes << " changes";
    said << " with the outcome costs less than " << cost;
  }
  said << " (" << boxes << " boxes)";
  return said.str();
}

/// Names in the files must not forge lines or control the terminal.
std::string printable(const std::string& text) {
  constexpr std::size_t longest = 500;
  constexpr char digits[] = "0123456789abcdef";
  std::string safe;
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      safe += "\\n";
    } else if (byte < 32 || byte >= 127) {
      safe += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      safe += c;
    }
  }
  return safe;
}

/// Runs a check; the exit code and what to print.
template <typename Work>
int report(Work work) {
  try {
    const std::string proven = work();
    std::cout << "accepted: " << proven << "\n";
    return 0;
  } catch (const Rejected& reason) {
    std::cout << "rejected: " << printable(reason.what()) << "\n";
    return 1;
  } catch (const std::exception& error) {
    std::cout << "cannot be checked: " << printable(error.what()) << "\n";
    return 2;
  }
}

std::string contents(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  if (!file) throw Unsupported(name + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Model> models_named(const std::vector<std::string>& names) {
  std::vector<Model> models;
  for (const std::string& name : names) models.emplace_back(parsed(contents(name)));
  return models;
}

/// One verdict on each line, with the seconds that it took; models are read before.
int batch(const std::string& list, const std::vector<std::string>& names) {
  const std::vector<Model> common = models_named(names);
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    const std::clock_t begun = std::clock();
    report([&] {
      const Json one = parsed(line);
      std::vector<Model> own;
      if (names.empty()) {
        for (const Json& model : one.at("models")) own.emplace_back(model);
      }
      const auto text = [&](const std::string& key) {
        return one.contains(key) ? one[key].get<std::string>() : contents(one.at(key + "_file"));
      };
      const std::string proven =
          check_proof(names.empty() ? own : common, text("question"), parsed(text("proof")));
      const double used = static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
      return proven + " in " + std::to_string(used) + " s";
    });
  }
  return 0;
}

}  // namespace
}  // namespace check

int main(int count, char** words) {
  const std::vector<std::string> names(words + 1, words + count);
  if (names.size() >= 2 && names[0] == "--batch") {
    return check::batch(names[1], {names.begin() + 2, names.end()});
  }
  if (names.size() < 3) {
    std::cout << "boxwood_check MODEL [MODEL ...] QUESTION PROOF\n"
                 "boxwood_check --batch LIST [MODEL ...]\n";
    return 2;
  }
  return check::report([&] {
    return check::check_proof(check::models_named({names.begin(), names.end() - 2}),
                              check::contents(names[names.size() - 2]),
                              check::parsed(check::contents(names.back())));
  });
}
