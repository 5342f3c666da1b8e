// The tuning parameters of the prover in one table. They decide how long a proof takes and how
// large its certificate is, never whether it is valid: a checker checks every number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace boxwood::proofs::tuning {

// When a dual bound is worth its place in the certificate
inline constexpr std::size_t least_excluded = 20;  ///< per cent of the live leaves it must exclude
inline constexpr std::array<int, 3> share_bits{11, 14, 20};  ///< of its shares, coarsest first
inline constexpr std::size_t coarse_enough = 105;  ///< coarse shares may leave so many per cent of
                                                   ///< the leaves that the exact ones leave live

// How long a dual bound is improved
inline constexpr int most_rounds = 200;
inline constexpr int rounds_per_check = 5;
inline constexpr double far_enough = 1.002;      ///< ends beyond this multiple of the claim
inline constexpr double least_rise = 1e-3;       ///< of a check, as a share of the claim
inline constexpr double least_gap_share = 0.08;  ///< of a check, as a share of what is missing

// The line search for a price
inline constexpr double first_step = 1.0 / 8;  ///< as a share of the price
inline constexpr int most_steps = 40;          ///< outward, each twice as long as the one before
inline constexpr int refinements = 4;          ///< inward
inline constexpr int price_bits = 14;          ///< the scores take the other bits of a product

// When cuts alone are tried before a dual bound
inline constexpr std::size_t few_leaves = 60;  ///< so few leaves more than trees: cuts close soon
inline constexpr std::size_t much_fewer = 75;  ///< per cent of the undecided leaves of the box in
                                               ///< which cuts alone failed: they may succeed now
inline constexpr std::uint64_t first_patience = 2;  ///< multiple of ProofLimits::plain_boxes before
                                                    ///< the first dual bound that excluded leaves;
inline constexpr int enough_failures = 8;  ///< it doubles with each dual bound that excluded none,
                                           ///< from this one on, as long as none ever did,
inline constexpr std::uint64_t most_patience = 1024;  ///< up to here
inline constexpr double least_progress = 0.5;  ///< an attempt ends early if the share of the box
                                               ///< that it closed is less than this share of the
                                               ///< boxes it used
inline constexpr std::uint64_t boxes_per_progress = 32;  ///< boxes between two looks at that,
inline constexpr std::uint64_t boxes_per_limits = 64;    ///< and at the limits

// The choice of cuts
inline constexpr double most_exponent = 50;  ///< of the weights of rivals, so that exp stays finite

}  // namespace boxwood::proofs::tuning
