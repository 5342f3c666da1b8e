// The verifier's own reading of a model and a query, written independently so that an error
// elsewhere is not repeated here.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <span>
#include <vector>

namespace boxwood::verifying {

/// The leaf that a point reaches.
const Node* leaf_at(const Tree& tree, std::span<const double> point, Precision input);
/// Raw scores by walking every tree from its root.
std::vector<double> scores_at(const Ensemble& ensemble, std::span<const double> point);
/// What the library's own predict makes of scores, link by link.
std::vector<double> outputs_of(const Ensemble& ensemble, const std::vector<double>& scores);
bool outcome_holds(const Requirement& requirement, const Ensemble& ensemble,
                   const std::vector<double>& scores);
bool literal_holds(const Literal& literal, double value, Precision precision);
/// Whether a linear condition holds, by whole numbers of any length; `from` is the query's point.
bool sum_is_within(const LinearCondition& sum, std::span<const double> from,
                   std::span<const double> point);
/// Whether a derived column has the finite value that its formula gives, or stays missing with it;
/// `from` is the query's point.
bool follows(const Derived& derived, std::span<const double> from, std::span<const double> point);
double cost_of(const Query& query, std::span<const double> point);

}  // namespace boxwood::verifying
