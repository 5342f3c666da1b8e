// Looks up the names in query text: features, one-hot groups and their labels.
#pragma once

#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>
#include <boxwood/schema.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace boxwood::text {

/// A feature, or all columns of a group.
struct Subject {
  std::size_t index = 0;
  bool group = false;
  auto operator<=>(const Subject&) const = default;
};

class Names {
 public:
  /// Keeps references to the ensembles and the schema. Groups are those of the query.
  Names(std::span<const Ensemble> ensembles, const Schema& schema, const Query& query);

  /// A feature by name, else a group by title, else a feature by title.
  std::optional<Subject> find(std::string_view name) const;
  /// `Did you mean "sex"?`, or nothing.
  std::string near(std::string_view wrong) const;

  /// For people: the title.
  const std::string& title(Subject subject) const;
  /// The labels that a value of it can be given by.
  std::vector<std::string> labels(Subject subject) const;
  /// The code that has a label; of a group the place of its column.
  std::optional<std::size_t> code(Subject subject, std::string_view label) const;

  const Schema& schema() const { return schema_; }
  /// The group that a feature is a column of.
  std::optional<std::size_t> group_of(std::size_t feature) const;

 private:
  std::span<const Ensemble> ensembles_;
  const Schema& schema_;
  std::map<std::string, Subject, std::less<>> subjects_;
  std::map<std::size_t, std::size_t> group_of_;
};

}  // namespace boxwood::text
