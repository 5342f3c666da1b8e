// The words of the question file, shared by its writer (query_json.cpp) and its reader
// (question_file.cpp).
#pragma once

#include <boxwood/query.hpp>

#include <array>
#include <string>
#include <utility>

namespace boxwood {

inline constexpr int question_version = 1;

inline constexpr std::array question_directions{std::pair{"both", Direction::both},
                                                std::pair{"up", Direction::up},
                                                std::pair{"down", Direction::down}};

inline constexpr std::array question_norms{
    std::pair{"l2", Norm::squared_l2},   std::pair{"l1", Norm::l1},
    std::pair{"l0", Norm::l0},           std::pair{"linf", Norm::linf},
    std::pair{"mixture", Norm::mixture}, std::pair{"custom", Norm::custom}};

/// A number as the question file has it: JSON, with text for infinity and NaN.
std::string question_number(double value);

inline constexpr std::array question_terms{
    std::pair{"value", LinearTerm::Of::value}, std::pair{"change", LinearTerm::Of::change},
    std::pair{"size", LinearTerm::Of::size}, std::pair{"codes", LinearTerm::Of::codes}};

inline constexpr std::array question_steps{
    std::pair{"column", Derived::Op::column}, std::pair{"number", Derived::Op::number},
    std::pair{"+", Derived::Op::plus},        std::pair{"-", Derived::Op::minus},
    std::pair{"*", Derived::Op::times},       std::pair{"/", Derived::Op::over},
    std::pair{"min", Derived::Op::least},     std::pair{"max", Derived::Op::most}};

}  // namespace boxwood
