// A certificate that anyone can check: that no admissible point with the wanted outcome is cheaper
// than an answer says. docs/proof.md has the format and the theorem; checker/ has two checkers that
// share no code with this library.
//
//   const boxwood::Answer answer = boxwood::explain(model, query);
//   const boxwood::Proof proof = boxwood::prove(std::span(&model, 1), query, answer);
//   std::ofstream("proof.json") << proof.text;
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace boxwood {

/// When to give up on a proof.
struct ProofLimits {
  std::uint64_t boxes = 2'000'000;
  /// A box that needs more boxes than this below it first gets a dual bound, which excludes leaves
  /// and is written into the certificate. 0: wherever it excludes anything.
  std::uint64_t plain_boxes = 250;
  double seconds = std::numeric_limits<double>::infinity();
  const std::atomic<bool>* interrupt = nullptr;  ///< any thread may set it to stop
};

struct Proof {
  std::string text;  ///< the certificate: JSON, docs/proof.md; empty if a limit came first
  Stop stop = Stop::finished;  ///< the limit that came first: nodes (boxes), time or interrupt
  std::uint64_t boxes = 0;
  double seconds = 0;
};

/// Proves answers about the same models; what does not depend on the question is computed once. The
/// models must outlive it. Copies share everything; several threads may use one at once.
class Prover {
 public:
  explicit Prover(std::span<const Ensemble> ensembles);

  /// Proves what an answer claims: that it is optimal, that there is no point, or, of a search that
  /// stopped early, its lower bound. Searches again within the known cost, with the rules that a
  /// checker can repeat. Throws Error if proofs do not cover something in the question or the
  /// models (a custom cost, some links). A limit is no error: see Proof::stop.
  Proof prove(const Query& query, const Answer& answer, const ProofLimits& limits = {}) const;

 private:
  struct Parts;
  std::shared_ptr<const Parts> parts_;
};

/// The same for a single answer.
Proof prove(std::span<const Ensemble> ensembles, const Query& query, const Answer& answer,
            const ProofLimits& limits = {});

/// The hash of a model in certificates: SHA-256 of what the model computes, the same for every file
/// form.
std::string model_digest(const Ensemble& ensemble);

}  // namespace boxwood
