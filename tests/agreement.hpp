// What it means that an engine agrees with brute force: same status, same cost, same set of
// cheapest points, one for each region.
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/explain.hpp>
#include <boxwood/query.hpp>
#include <boxwood/verify.hpp>

#include "oracle.hpp"

#include <vector>

using boxwood::Answer;
using boxwood::Ensemble;
using boxwood::FeatureKind;
using boxwood::OneHot;
using boxwood::Query;
using boxwood::Solution;
using boxwood::Status;
using boxwood::Tree;

void expect_agreement(const Answer& answer, const Oracle::Result& truth,
                      const std::vector<Ensemble>& ensembles, const Query& query);

/// Explains with a known solution and expects agreement with brute force, a clean verification and
/// the same first point as before, which is kept in `first_point`.
void expect_agreeing_answer(const boxwood::Prepared& prepared,
                            const std::vector<Ensemble>& ensembles, const Query& query,
                            const boxwood::Options& options, const Oracle::Result& truth,
                            std::vector<double>& first_point);
