// The certificate of an answer: what is claimed, and the tree that proves it.
#include <boxwood/error.hpp>
#include <boxwood/proof.hpp>
#include <boxwood/question_file.hpp>

#include "base/infinity.hpp"
#include "base/text.hpp"
#include "grid/linear_trees.hpp"
#include "proof/problem.hpp"
#include "proof/search.hpp"
#include "proof/sha256.hpp"
#include "query/neighbours.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace boxwood {
namespace {

using Json = nlohmann::ordered_json;

Json proof_number(double value) {
  return std::isfinite(value) ? Json(value) : Json(number_text(value));
}

/// The point must have the outcome whatever the last digits of the link are, so that a checker can
/// say so.
void check_point(std::span<const Ensemble> ensembles, const std::vector<proofs::Outcomes>& outcomes,
                 std::span<const double> point) {
  for (const proofs::Outcomes& outcome : outcomes) {
    if (outcome.certainly(ensembles[outcome.model()].predict(point), true)) continue;
    throw Error("proof",
                "the outcome of the answer depends on the last digits of the model's link, or the "
                "output overflows",
                "Ask without a proof");
  }
}

}  // namespace

struct Prover::Parts {
  std::span<const Ensemble> ensembles;
  std::vector<std::string> digests;
  Cuts cuts;
};

Prover::Prover(std::span<const Ensemble> ensembles) {
  auto parts = std::make_shared<Parts>();
  parts->ensembles = ensembles;
  for (const Ensemble& ensemble : ensembles) parts->digests.push_back(model_digest(ensemble));
  parts->cuts = proofs::cuts_of_models(ensembles);
  parts_ = std::move(parts);
}

Proof prove(std::span<const Ensemble> ensembles, const Query& query, const Answer& answer,
            const ProofLimits& limits) {
  return Prover(ensembles).prove(query, answer, limits);
}

Proof Prover::prove(const Query& query, const Answer& answer, const ProofLimits& limits) const {
  const std::span<const Ensemble> ensembles = parts_->ensembles;
  const auto begun = std::chrono::steady_clock::now();
  refuse_robust_or_live(query, "a proof");
  validate(query, ensembles);
  if (query.agree) {
    throw Error("proof", "proofs do not cover an outcome of some of the models",
                "Ask all models, each as a requirement of its own, or ask without a proof");
  }
  if (std::any_of(ensembles.begin(), ensembles.end(),
                  [](const Ensemble& one) { return one.link == Link::composed; })) {
    throw Error("proof", "proofs do not cover models that are made of several models",
                "Ask without a proof");
  }
  if (query.norm == Norm::custom) {
    throw Error("proof", "proofs do not cover a cost function of one's own",
                "Use a norm or a mixture, or ask without a proof");
  }
  if (has_linear_rules(query)) {
    throw Error("proof", "proofs do not cover linear rules", "Ask without a proof");
  }
  if (!query.derived.empty()) {
    throw Error("proof", "proofs do not cover derived columns", "Ask without a proof");
  }
  std::vector<proofs::Outcomes> outcomes;
  for (const Requirement& requirement : query.requirements) {
    outcomes.emplace_back(ensembles[requirement.ensemble], requirement);
  }
  Json json;
  json["boxwood_proof"] = 1;
  json["models"] = parts_->digests;
  json["question"] = sha256(question_text(query));
  proofs::Claim claim{infinity, {}};
  if (answer.status == Status::infeasible) {
    json["claim"] = "infeasible";
  } else {
    const bool optimal = answer.status == Status::optimal;
    json["claim"] = optimal ? "optimal" : "lower_bound";
    claim.cost = optimal ? answer.cost : answer.lower_bound;
    json["cost"] = proof_number(claim.cost);
    if (query.fewest_first) {
      claim.changes = optimal ? change_count(query, answer.best().point) : answer.least_changes;
      json["changes"] = *claim.changes;
    }
  }
  const proofs::ProofProblem problem(ensembles, parts_->cuts, query, claim);
  if (answer.status == Status::optimal) {
    const std::vector<double> point = problem.in_cells(answer.best().point);
    check_point(ensembles, outcomes, point);
    json["point"] = Json::array();
    for (const double value : point) json["point"].push_back(proof_number(value));
  }
  proofs::TreeWriter writer(problem, outcomes, limits);
  Proof proof;
  try {
    json["tree"] = writer.write();
    proof.text = json.dump() + "\n";
  } catch (const proofs::Stopped& stopped) {
    proof.stop = stopped.reason;
  }
  proof.boxes = writer.boxes();
  proof.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return proof;
}

}  // namespace boxwood
