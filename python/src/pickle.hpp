// Questions and answers as tuples of plain Python values and back, for pickle and copy. `parts`
// lists the fields of each struct once; the same list packs and unpacks. A field that is added to a
// struct must be added to its list: a test compares pickled answers and questions with the
// originals.
#pragma once

#include "common.hpp"

#include <type_traits>
#include <utility>

namespace boxwood::python {

/// Changes whenever a list below does, so that a pickle of another version is refused by name.
inline constexpr int pickle_version = 2;

template <typename T, typename Wanted>
concept Is = std::is_same_v<std::remove_const_t<T>, Wanted>;

auto parts(Is<Interval> auto& x) {
  return std::tie(x.lower, x.upper, x.lower_closed, x.upper_closed);
}
auto parts(Is<ClassIs> auto& x) { return std::tie(x.target, x.probability, x.margin); }
auto parts(Is<ClassIn> auto& x) { return std::tie(x.targets); }
auto parts(Is<OutputIn> auto& x) { return std::tie(x.range, x.output); }
auto parts(Is<ScoreIn> auto& x) { return std::tie(x.range, x.output, x.rival); }
auto parts(Is<Requirement> auto& x) { return std::tie(x.ensemble, x.outcome, x.negated); }
auto parts(Is<FeatureRule> auto& x) {
  return std::tie(x.kind, x.fixed, x.range, x.domain, x.allowed, x.step, x.missing_allowed,
                  x.changes, x.direction, x.least_change, x.most_change, x.weight, x.up, x.down,
                  x.scale, x.quantiles, x.robust, x.robust_codes);
}
auto parts(Is<OneHot> auto& x) { return std::tie(x.columns, x.weight, x.none_allowed); }
auto parts(Is<Literal> auto& x) {
  return std::tie(x.feature, x.range, x.inside, x.missing, x.codes);
}
auto parts(Is<LinearTerm> auto& x) { return std::tie(x.feature, x.coefficient, x.of, x.codes); }
auto parts(Is<LinearCondition> auto& x) { return std::tie(x.terms, x.range); }
auto parts(Is<Clause> auto& x) { return std::tie(x.any_of, x.linear); }
auto parts(Is<Mixture> auto& x) { return std::tie(x.squared_l2, x.l1, x.l0); }
auto parts(Is<Query> auto& x) {
  return std::tie(x.point, x.requirements, x.features, x.groups, x.clauses, x.max_changes, x.norm,
                  x.mixture, x.term, x.fewest_first, x.scale_name, x.most_cost);
}
auto parts(Is<Solution> auto& x) { return std::tie(x.point, x.region, x.codes); }
auto parts(Is<Statistics> auto& x) {
  return std::tie(x.nodes, x.open_nodes, x.peak_bytes, x.threads, x.seconds);
}
auto parts(Is<Answer> auto& x) {
  return std::tie(x.status, x.stop, x.already_met, x.cost, x.distance, x.lower_bound, x.solutions,
                  x.more_ties, x.output_before, x.output_after, x.statistics);
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
