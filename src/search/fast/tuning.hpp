// All tuning parameters of the fast engine in one table: name, default, range, and why the default
// is what it is. They decide how much work a search does and in which order, never its answer:
// Tuning.AnswersDoNotDependOnIt sets them at random. `boxwood_ask --tune NAME=VALUE` and
// EngineSettings::tuning set them. "Measured" refers to docs/notes/engine_experiments.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace boxwood::fast {

// clang-format off
// W(name, default, least, most, why): a whole number.  R(name, default, least, most, why): a real number.
#define BOXWOOD_FAST_TUNING(W, R)                                                                                    \
  /* How far to look first */                                                                                        \
  W(outlook_samples, 128, 1, 1'000'000, "leaf costs that are sampled to guess a radius; measured: 256 takes a twentieth longer")      \
  W(outlook_share, 16, 1, 1'000'000, "one in so many of the leaves, the nearest, are looked at for the guess; all where they are not enough") \
  W(outlook_trees, 25, 1, 1'000'000, "trees that are looked at for each sum of the guess, and at most twice as many; measured: 50 and 100 take up to a tenth longer, 12 a twentieth") \
  W(path_leaves, 50, 0, 1'000'000, "near leaves are found by paths from the roots where trees have at least so many leaves on average; measured: forests of 100 trees take a third to a half, models with 13 to 46 leaves a tree up to a tenth more") \
  W(path_share, 4, 1, 1'000'000, "with more than one in so many leaves near, all are looked at instead; measured: a leaf at the end of a path takes 18 ns, one of all leaves 6 ns") \
  R(first_leaf_factor, 2, 1, 1e6, "leaves of the first problem, as a multiple of those in the least radius; measured: 1.1 costs up to a half more, 1.25 to 2 are within noise") \
  R(next_leaf_factor, 1.5, 1, 1e6, "growth of the number of leaves while no point is found; measured: 1.25 costs up to a half more, 2 is within noise") \
  R(piece_radius_factor, 2, 1.01, 1e6, "growth of the radius where leaves are cut into pieces, whose number grows with the radius") \
  R(good_radius_share, 0.5, 0, 1, "a first problem is kept if the point found costs more than this share of its radius; otherwise it is reduced") \
  W(wide_leaves, 500, 0, 1'000'000'000, "a first problem of at most so many leaves whose radius is much too large is probed as it is before there is one for the smaller radius; measured: without this limit German credit takes a tenth longer") \
  W(wide_boxes, 16, 0, 1'000'000, "boxes of that first problem; measured: 3 and 32 gain less than 8 to 14") \
  W(first_probe_boxes, 24, 0, 1'000'000, "boxes searched for a first point in each first problem; measured: 8 is better on some models and worse on others") \
  R(rules_leaf_factor, 3, 1, 1e6, "next_leaf_factor under linear rules, which put the answer far beyond the first radius; measured: 1.5 costs a fifth more on German credit, 6 is within noise") \
  W(rules_probe_boxes, 100, 0, 1'000'000, "first_probe_boxes under linear rules; measured: 24 costs two and a half times as much on adult, 400 is within noise") \
  W(example_tries, 64, 0, 1'000'000, "nearest examples of the caller that are tried as a first point")                \
  /* Better points */                                                                                                \
  W(start_patience, 30, 0, 1'000'000, "unsuccessful attempts to improve the first point before giving up")           \
  W(polish_patience, 20, 0, 1'000'000, "unsuccessful attempts to improve the best point at a node before giving up") \
  R(polish_share, 0.1, 0, 1, "share of all work spent on better points; measured: 0.07 to 0.15 within noise, 0.3 costs a tenth or more") \
  R(worse_repair, 1.03, 1, 1e6, "a repair may cost this multiple of the best cost before it is pulled back")         \
  R(worse_accepted, 1.02, 1, 1e6, "a repaired point up to this multiple of the best cost is the next one to change") \
  W(reset_one_in, 2, 1, 1'000'000, "each attempt resets at most one in so many of the changed variables")             \
  W(restart_every, 8, 1, 1'000'000, "after so many unsuccessful attempts the best point is taken again")             \
  R(least_gain, 1e-9, 0, 0.5, "a point must be better by this share to count, so that rounding is not taken for progress") \
  R(least_repair_gain, 1e-12, 1e-15, 1e-6, "a move must gain this share of what is missing: the move table drifts by rounding") \
  W(escapes, 3, 0, 1'000, "so often a repair under linear rules goes on when no move helps, with larger weights of what is missed; measured: 8 costs a tenth more on German credit, 1 costs more on students") \
  R(escape_factor, 2, 1.01, 1e6, "growth of these weights")                                                          \
  R(bias_spread, 1, 0, 1.9, "width of the random factors around 1 with which a repair prefers variables")            \
  /* Fewest changes first */                                                                                         \
  W(fewest_first_nodes, 100, 1, 1'000'000, "nodes of the first look for some point; small questions end within it")  \
  W(fewest_few_changes, 3, 0, 1'000, "up to so many changes, points with exactly so many are searched before changes are counted") \
  W(fewest_few_nodes, 3'000, 1, 1'000'000'000, "nodes of each such search before it is given up")                    \
  /* The probe */                                                                                                    \
  W(probe_boxes, 32, 1, 1'000'000, "boxes of the first portion of a probe, after which its progress is judged")      \
  W(probe_most_boxes, 10'000, 1, 1'000'000, "boxes of the largest portion: how seldom limits and progress are looked at") \
  R(probe_growth, 0.5, 0, 1e3, "each portion is longer than the one before by this share")                           \
  R(probe_sure_share, 0.1, 0, 1e6, "a probe always spends this share of the dual's price; measured: 1 costs two thirds more on MNIST") \
  R(probe_most_share, 4, 0, 1e6, "a probe never spends more than this multiple of the dual's price: its estimate takes both halves of a cut for equal") \
  R(rival_exponent, 50, 0, 700, "limit of the exponent that weighs the rivals of a probability in branching, so that exp stays finite") \
  /* The dual bound */                                                                                               \
  W(root_rounds, 400, 1, 1'000'000, "most rounds of block ascent at the root")                                       \
  W(node_rounds, 8, 1, 1'000'000, "most rounds at other nodes, which inherit shares; measured: 16 is within noise")  \
  W(root_stride, 10, 1, 1'000'000, "rounds between two checks of the bound at the root")                             \
  W(node_stride, 4, 1, 1'000'000, "rounds between two checks of the bound at other nodes")                           \
  R(root_least_progress, 0.02, 0, 1, "rounds stop when a check gains less than this share of the gap; measured at the root: 0.01 to 0.03 within noise") \
  R(node_least_progress, 0.05, 0, 1, "the same at other nodes")                                                      \
  R(price_step, 0.05, 1e-6, 1e3, "first step of the search for a price, as a share of the price")                    \
  R(price_growth, 4, 1.01, 1e3, "each step of that search is longer by this factor")                                 \
  W(price_steps, 60, 1, 1'000, "most steps outward")                                                                 \
  W(price_refinements, 4, 0, 1'000, "most steps inward; measured: 12 is within noise")                               \
  R(price_tolerance, 0.1, 0, 1, "the search ends when at most this share of the gain is left; measured: 0.001 is within noise") \
  /* Pushes of prices */                                                                                             \
  R(push_factor, 2, 1.01, 1e3, "all prices are raised by at most this factor; after a failure by its root")          \
  R(push_least_factor, 1.1, 1.01, 1e3, "and at least by this one")                                                   \
  W(push_rounds, 20, 1, 1'000'000, "rounds in which the shares follow; measured on forests of spambase: 12 takes a fifth to four fifths longer, 3 three times as long") \
  R(push_least_gain, 0.02, 0, 1, "nodes push prices if pushes close this share of the gap on average")               \
  W(push_one_in, 16, 1, 1'000'000, "if not, one in so many nodes does, to see whether that has changed")             \
  R(push_gain_weight, 0.1, 0, 1, "weight of the latest push in the running mean of gaps closed")                     \
  /* When to reduce */                                                                                               \
  W(shrink_one_in, 10, 1, 1'000'000, "a node is reduced when more than one in so many of its leaves or cells is dead; measured: 10 saves a tenth to a fifth on MNIST") \
  W(change_rounds, 4, 1, 1'000, "most rounds of dropping what asks for too many changes") \
  W(change_sure_rounds, 2, 1, 1'000, "rounds that are always made: the second one shares the gains of leaves better; measured: fewest pixels of ten classes take 6 times as long with 1, 3 and 4 cost a tenth more with five classes") \
  R(point_slack, 1e-7, 0, 1e-3, "what local search aims for beyond a threshold, as a share of the largest leaf value, so that ties in votes are won") \
  /* Prices of steps in nanoseconds, fitted on nine models; most steps are within a factor of 2 */                   \
  R(price_box, 400, 1, 1e9, "a box of a probe")                                                                      \
  R(price_box_leaf, 1.5, 0, 1e9, "a box, for each leaf of its problem; measured: 2 costs a tenth more on tabular models, 0.5 up to a half more on MNIST and forests") \
  R(price_box_leaf_of_several, 6, 0, 1e9, "the same where there are several conditions, whose sums every box adds up anew; measured with five classes: 3 takes a twentieth longer, 8 as long") \
  R(price_round_leaf, 40, 0, 1e9, "a round of the dual, for each leaf; measured: 50 takes as long or a twentieth longer") \
  R(price_check_leaf, 150, 0, 1e9, "a check of the dual bound, for each leaf")                                       \
  R(price_try, 500, 1, 1e9, "an attempt at a better point")                                                          \
  R(price_try_leaf, 6, 0, 1e9, "such an attempt, for each leaf")                                                     \
  R(price_first_dual_leaf, 10'000, 0, 1e9, "the dual bound of a whole first problem, for each leaf: many rounds; measured: 5,000 costs up to a sixth more on tabular models, 20,000 a tenth more on MNIST")      \
  R(dual_price_guess, 1e6, 0, 1e12, "price of a node's dual bound before the first one")                             \
  R(gap_closed_guess, 0.3, 0, 1, "share of the gap that a dual bound closes, before the first one")                  \
  R(least_gap_closed, 1e-3, 1e-9, 1, "smallest share of the gap that is taken for real")                             \
  R(dual_price_weight, 0.2, 0, 1, "weight of the latest dual bound in the running mean of prices")                   \
  R(gap_closed_weight, 0.1, 0, 1, "weight of the latest dual bound in the running mean of gaps closed")
// clang-format on

struct Tuning {
#define BOXWOOD_WHOLE(name, value, least, most, why) std::uint32_t name = value;
#define BOXWOOD_REAL(name, value, least, most, why) double name = value;
  BOXWOOD_FAST_TUNING(BOXWOOD_WHOLE, BOXWOOD_REAL)
#undef BOXWOOD_WHOLE
#undef BOXWOOD_REAL
};

struct TuningEntry {
  std::string_view name;
  double value;
  double least;
  double most;
  bool whole;
  std::string_view why;
};

/// The table, in its order.
std::span<const TuningEntry> tuning_table();

/// Sets one parameter. Throws Error for an unknown name and for a value out of range.
void set(Tuning& tuning, std::string_view name, double value);

}  // namespace boxwood::fast
