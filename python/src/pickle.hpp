// Questions and answers as tuples of plain Python values and back, for pickle and copy. `parts`
// lists the fields of each struct in their order; the same list packs and unpacks. The lists are
// bindings, so that a field that is added to a struct and not to its list does not compile.
#pragma once

#include "common.hpp"

#include <type_traits>
#include <utility>

namespace boxwood::python {

/// Changes whenever a list below does, so that a pickle of another version is refused by name.
inline constexpr int pickle_version = 3;

template <typename T, typename Wanted>
concept Is = std::is_same_v<std::remove_const_t<T>, Wanted>;

auto parts(Is<Interval> auto& x) {
  auto& [lower, upper, lower_closed, upper_closed] = x;
  return std::tie(lower, upper, lower_closed, upper_closed);
}
auto parts(Is<ClassIs> auto& x) {
  auto& [target, probability, margin] = x;
  return std::tie(target, probability, margin);
}
auto parts(Is<ClassIn> auto& x) {
  auto& [targets] = x;
  return std::tie(targets);
}
auto parts(Is<OutputIn> auto& x) {
  auto& [range, output] = x;
  return std::tie(range, output);
}
auto parts(Is<ScoreIn> auto& x) {
  auto& [range, output, rival] = x;
  return std::tie(range, output, rival);
}
auto parts(Is<Requirement> auto& x) {
  auto& [ensemble, outcome, negated, counted] = x;
  return std::tie(ensemble, outcome, negated, counted);
}
auto parts(Is<FeatureRule> auto& x) {
  auto& [kind, fixed, range, domain, allowed, step, missing_allowed, changes, direction,
         least_change, most_change, weight, up, down, scale, quantiles, derived, robust,
         robust_codes] = x;
  return std::tie(kind, fixed, range, domain, allowed, step, missing_allowed, changes, direction,
                  least_change, most_change, weight, up, down, scale, quantiles, derived, robust,
                  robust_codes);
}
auto parts(Is<OneHot> auto& x) {
  auto& [columns, weight, none_allowed, robust] = x;
  return std::tie(columns, weight, none_allowed, robust);
}
auto parts(Is<Literal> auto& x) {
  auto& [feature, range, inside, missing, codes] = x;
  return std::tie(feature, range, inside, missing, codes);
}
auto parts(Is<LinearTerm> auto& x) {
  auto& [feature, coefficient, of, codes] = x;
  return std::tie(feature, coefficient, of, codes);
}
auto parts(Is<LinearCondition> auto& x) {
  auto& [terms, range] = x;
  return std::tie(terms, range);
}
auto parts(Is<Clause> auto& x) {
  auto& [any_of, linear] = x;
  return std::tie(any_of, linear);
}
auto parts(Is<Derived::Step> auto& x) {
  auto& [op, feature, number, a, b] = x;
  return std::tie(op, feature, number, a, b);
}
auto parts(Is<Derived> auto& x) {
  auto& [feature, steps, precision] = x;
  return std::tie(feature, steps, precision);
}
auto parts(Is<Mixture> auto& x) {
  auto& [squared_l2, l1, l0] = x;
  return std::tie(squared_l2, l1, l0);
}
auto parts(Is<LiveRegion> auto& x) {
  auto& [row, rows, box, codes, scores] = x;
  return std::tie(row, rows, box, codes, scores);
}
auto parts(Is<LiveRegions> auto& x) {
  auto& [regions, rows] = x;
  return std::tie(regions, rows);
}
auto parts(Is<Query> auto& x) {
  auto& [point, requirements, features, groups, clauses, derived, max_changes, agree, live,
         live_regions, norm, mixture, term, fewest_first, scale_name, exact_clauses] = x;
  return std::tie(point, requirements, features, groups, clauses, derived, max_changes, agree, live,
                  live_regions, norm, mixture, term, fewest_first, scale_name, exact_clauses);
}
auto parts(Is<Solution> auto& x) {
  auto& [point, region, codes] = x;
  return std::tie(point, region, codes);
}
auto parts(Is<Statistics> auto& x) {
  auto& [nodes, open_nodes, peak_bytes, threads, seconds] = x;
  return std::tie(nodes, open_nodes, peak_bytes, threads, seconds);
}
auto parts(Is<Answer> auto& x) {
  auto& [status, stop, already_met, cost, distance, lower_bound, least_changes, solutions,
         more_ties, output_before, output_after, statistics] = x;
  return std::tie(status, stop, already_met, cost, distance, lower_bound, least_changes, solutions,
                  more_ties, output_before, output_after, statistics);
}

template <typename T>
concept HasParts = requires(T& x) {
  parts(x);
};

template <typename T>
nb::object pack(const T& value);
template <typename T>
void unpack(nb::handle given, T& value);

template <typename T>
struct Packer {  // numbers, texts, and functions of Python's
  static nb::object pack_one(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return nb::int_(static_cast<int>(value));
    } else {
      return nb::cast(value);
    }
  }
  static void unpack_one(nb::handle given, T& value) {
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(nb::cast<int>(given));
    } else {
      value = nb::cast<T>(given);
    }
  }
};

template <HasParts T>
struct Packer<T> {
  static nb::object pack_one(const T& value) {
    return std::apply([](const auto&... part) { return nb::make_tuple(pack(part)...); },
                      parts(value));
  }
  static void unpack_one(nb::handle given, T& value) {
    std::size_t at = 0;
    std::apply([&](auto&... part) { (unpack(given[at++], part), ...); }, parts(value));
    if (at != nb::len(given)) throw nb::value_error("a pickle of another version of Boxwood");
  }
};

template <typename T>
requires(!std::is_arithmetic_v<T>) struct Packer<std::vector<T>> {
  static nb::object pack_one(const std::vector<T>& value) {
    nb::list all;
    for (const T& one : value) all.append(pack(one));
    return all;
  }
  static void unpack_one(nb::handle given, std::vector<T>& value) {
    value.resize(nb::len(given));
    for (std::size_t i = 0; i < value.size(); ++i) unpack(given[i], value[i]);
  }
};

template <typename T>
struct Packer<std::shared_ptr<const T>> {
  static nb::object pack_one(const std::shared_ptr<const T>& value) {
    return value ? pack(*value) : nb::object(nb::none());
  }
  static void unpack_one(nb::handle given, std::shared_ptr<const T>& value) {
    if (given.is_none()) return;
    T made{};
    unpack(given, made);
    value = std::make_shared<const T>(std::move(made));
  }
};

template <typename... Kinds>
struct Packer<std::variant<Kinds...>> {
  using Value = std::variant<Kinds...>;
  static nb::object pack_one(const Value& value) {
    return nb::make_tuple(value.index(),
                          std::visit([](const auto& one) { return pack(one); }, value));
  }
  static void unpack_one(nb::handle given, Value& value) {
    const auto index = nb::cast<std::size_t>(given[0]);
    std::size_t at = 0;
    const auto take = [&]<typename Kind>(Kind kind) {
      if (at++ != index) return;
      unpack(given[1], kind);
      value = std::move(kind);
    };
    (take(Kinds{}), ...);
  }
};

template <typename T>
nb::object pack(const T& value) {
  return Packer<T>::pack_one(value);
}
template <typename T>
void unpack(nb::handle given, T& value) {
  Packer<T>::unpack_one(given, value);
}

/// Lets pickle and copy handle objects of a bound struct.
template <typename T, typename Class>
void add_pickling(Class& bound) {
  bound.def("__getstate__",
            [](const T& self) { return nb::make_tuple(pickle_version, pack(self)); });
  bound.def("__setstate__", [](T& self, const nb::tuple& state) {
    if (nb::cast<int>(state[0]) != pickle_version) {
      throw Error("pickle", "another version of Boxwood made it", "Make it again with this one");
    }
    T made{};
    unpack(state[1], made);
    new (&self) T(std::move(made));
  });
}

}  // namespace boxwood::python
