#include "search/prepared.hpp"

#include <boxwood/error.hpp>

namespace boxwood {
namespace {

PreparedParts parts_for(std::shared_ptr<const ModelSet> models,
                        std::span<const Ensemble> ensembles) {
  if (ensembles.empty()) throw Error("query", "there is no model", "Give at least one model");
  PreparedParts parts{std::move(models), ensembles, box_leaves(ensembles), {}};
  parts.table = fast::make_leaf_table(ensembles, parts.leaves);
  return parts;
}

std::shared_ptr<const PreparedParts> owning_parts(ModelSet models) {
  auto owned = std::make_shared<const ModelSet>(std::move(models));
  const std::span<const Ensemble> ensembles = owned->ensembles;
  return std::make_shared<const PreparedParts>(parts_for(std::move(owned), ensembles));
}

/// For models without names, whose schema nobody asks for.
ModelSet unnamed(std::vector<Ensemble> ensembles) {
  ModelSet models;
  if (!ensembles.empty()) models.schema = schema_for(ensembles.front());
  models.names.resize(ensembles.size());
  models.ensembles = std::move(ensembles);
  return models;
}

std::vector<Ensemble> vector_of(Ensemble ensemble) {
  std::vector<Ensemble> ensembles;
  ensembles.push_back(std::move(ensemble));
  return ensembles;
}

}  // namespace

Prepared::Prepared(ModelSet models) : parts_(owning_parts(std::move(models))) {}
Prepared::Prepared(std::vector<Ensemble> ensembles) : Prepared(unnamed(std::move(ensembles))) {}
Prepared::Prepared(Ensemble ensemble) : Prepared(vector_of(std::move(ensemble))) {}

std::span<const Ensemble> Prepared::ensembles() const { return parts_->ensembles; }
const ModelSet& Prepared::models() const { return *parts_->models; }

Prepared prepare_in_place(std::span<const Ensemble> ensembles) {
  return PreparedParts::wrap(parts_for(nullptr, ensembles));
}

Prepared prepare_with(const Prepared& prepared, Ensemble more,
                      std::optional<std::size_t> max_changes) {
  const std::span<const Ensemble> before = prepared.ensembles();
  std::vector<Ensemble> all;
  all.reserve(before.size() + 1);
  all.assign(before.begin(), before.end());
  all.push_back(std::move(more));
  auto owned = std::make_shared<const ModelSet>(unnamed(std::move(all)));
  const Ensemble& added = owned->ensembles.back();
  PreparedParts parts{
      owned,
      owned->ensembles,
      add_ensemble(leaves_of(prepared), added, static_cast<std::uint32_t>(before.size())),
      {}};
  parts.table = fast::add_ensemble(leaf_table_of(prepared), parts.leaves, added, max_changes);
  return PreparedParts::wrap(std::move(parts));
}

}  // namespace boxwood
