// Derived columns: column dti is debt / income; column total is a + 2*b in float32.
#include "query/text_parser.hpp"

#include <fmt/format.h>

namespace boxwood::text {

void Parser::derived_column(std::size_t first_token) {
  Derived derived;
  derived.feature = number_feature("it cannot be derived");
  const Token& is = peek();
  expect_word("is");
  if (at_stop()) fail(is, "the formula is missing", "Write column dti is debt / income");
  calculated_sum(derived);
  if (accept_word("in")) {
    if (accept_word("float32")) {
      derived.precision = Precision::float32;
    } else if (!accept_word("float64")) {
      expected("\"float32\" or \"float64\"");
    }
  }
  for (const auto& [other, part] : draft_.derived) {
    if (other.feature != derived.feature || other == derived) continue;
    fail(tokens_[first_token], fmt::format("it contradicts {}", quote(part)), "Give one formula");
  }
  draft_.derived.emplace_back(std::move(derived), part_from(first_token));
}

std::size_t Parser::calculated_sum(Derived& derived) {
  std::size_t sum = calculated_product(derived);
  while (peek().is_symbol("+") || peek().is_symbol("-")) {
    const auto op = take().is_symbol("+") ? Derived::Op::plus : Derived::Op::minus;
    const std::size_t next = calculated_product(derived);
    derived.steps.push_back({.op = op, .a = sum, .b = next});
    sum = derived.steps.size() - 1;
  }
  return sum;
}

std::size_t Parser::calculated_product(Derived& derived) {
  std::size_t product = calculated_operand(derived);
  while (peek().is_symbol("*") || peek().is_word("/")) {
    const auto op = take().is_symbol("*") ? Derived::Op::times : Derived::Op::over;
    const Token& divisor = peek();
    const std::size_t next = calculated_operand(derived);
    const Derived::Step& by = derived.steps[next];
    if (op == Derived::Op::over && by.op == Derived::Op::number && by.number == 0) {
      fail(divisor, "the divisor is 0", "Divide by a column, or by a number other than 0");
    }
    derived.steps.push_back({.op = op, .a = product, .b = next});
    product = derived.steps.size() - 1;
  }
  return product;
}

std::size_t Parser::calculated_operand(Derived& derived) {
  constexpr std::size_t deepest = 40, longest = 200;  // the parser is recursive
  const Token& at = peek();
  const auto add = [&](const Derived::Step& step) {
    if (derived.steps.size() >= longest) fail(at, "the formula is too long");
    derived.steps.push_back(step);
    return derived.steps.size() - 1;
  };
  if (++depth_ > deepest) fail(at, "the formula is nested too deeply");
  std::size_t found = 0;
  const bool least = at.is_word("min"), most = at.is_word("max");
  if (accept_symbol("-")) {
    if (peek().kind == TokenKind::number) {
      found = add({.op = Derived::Op::number, .number = -take().number});
    } else {  // 0 - x and -1 * x differ from -x in the sign of a zero at most
      const std::size_t factor = add({.op = Derived::Op::number, .number = -1});
      found = add({.op = Derived::Op::times, .a = factor, .b = calculated_operand(derived)});
    }
  } else if (at.kind == TokenKind::number) {
    found = add({.op = Derived::Op::number, .number = take().number});
  } else if ((least || most) && peek(1).is_symbol("(")) {
    at_ += 2;
    found = calculated_sum(derived);
    if (!peek().is_symbol(",")) expected("\",\" and another column or number");
    while (accept_symbol(",")) {
      const std::size_t next = calculated_sum(derived);
      found = add({.op = least ? Derived::Op::least : Derived::Op::most, .a = found, .b = next});
    }
    expect_symbol(")");
  } else if (accept_symbol("(")) {
    found = calculated_sum(derived);
    expect_symbol(")");
  } else {
    if (!at.is_name()) expected("a column, a number, min, max or \"(\"");
    if (peek(1).is_symbol("(")) {
      fail(at, "formulas do not have this function",
           "Use +, -, *, /, min and max. In Python, boxwood.monotone declares a step of a pipeline "
           "that is another function of one column");
    }
    found = add({.op = Derived::Op::column, .feature = number_feature("it has no number")});
  }
  --depth_;
  return found;
}

}  // namespace boxwood::text
