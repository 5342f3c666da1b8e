#include "search/prepared.hpp"

#include <boxwood/error.hpp>

#include "search/fast/simd.hpp"
#include "search/threads.hpp"

#include <fmt/format.h>

#include <chrono>

namespace boxwood {
namespace {

PreparedParts parts_for(std::shared_ptr<const ModelSet> models,
                        std::span<const Ensemble> ensembles) {
  if (ensembles.empty()) throw Error("query", "there is no model", "Give at least one model");
  // Detect vector instructions and cores now: detection, above all of oneTBB's cores, takes longer
  // than a small query, which would otherwise include it.
  fast::find_vectors();
  static_cast<void>(core_count());
  return {std::move(models), ensembles};
}

/// What copying and later freeing a tree takes besides its nodes, in units of Pace.
constexpr std::size_t allocation_work = 64;

/// An upper bound on the memory of the tables.
std::size_t table_bytes(std::span<const Ensemble> ensembles, Pace& pace) {
  const BoxCount boxes = count_boxes(ensembles, pace);
  std::size_t nodes = 0, values = 0, trees = 0;
  for (const Ensemble& ensemble : ensembles) {
    trees += ensemble.trees.size();
    for (const Tree& tree : ensemble.trees) {
      nodes += tree.nodes.size();
      values += tree.values.size();
    }
  }
  // A node has one cut, or as many as its set has categories, which the tables show when they are
  // built. Each cut has a number besides.
  return boxes.leaves * sizeof(LeafBox) +
         boxes.ranges * (sizeof(PathRange) + 2 * sizeof(std::uint32_t)) +
         (nodes - boxes.leaves) * (sizeof(Cut) + sizeof(std::uint32_t)) + values * sizeof(double) +
         nodes / 2 * sizeof(fast::TreePaths::Split) + FlatTrees::most_bytes(nodes, trees) +
         trees * (3 * sizeof(std::uint32_t) + sizeof(fast::LeafValues::Rows));
}

std::size_t ensemble_bytes(std::span<const Ensemble> ensembles) {
  std::size_t bytes = 0;
  for (const Ensemble& ensemble : ensembles) {
    for (const Tree& tree : ensemble.trees) {
      bytes +=
          sizeof(Tree) + tree.nodes.size() * sizeof(Node) + tree.values.size() * sizeof(double);
    }
  }
  return bytes;
}

void require_memory(std::size_t needed, const Watch& watch) {
  if (watch.fits(needed)) return;
  const auto megabytes = [](std::uint64_t bytes) { return (bytes + (1 << 20) - 1) >> 20; };
  throw Error("memory limit",
              fmt::format("preparing the models takes {} MB, but the limit is {} MB",
                          megabytes(needed), megabytes(watch.most_bytes())),
              fmt::format("Raise the limit; a search needs some memory more than these {} MB",
                          megabytes(needed)));
}

std::shared_ptr<const PreparedParts> owning_parts(ModelSet models) {
  auto owned = std::make_shared<const ModelSet>(std::move(models));
  const std::span<const Ensemble> ensembles = owned->ensembles;
  return std::make_shared<const PreparedParts>(parts_for(std::move(owned), ensembles));
}

/// For models without names; the schema is that of the first model.
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

/// A copy that a limit can stop: every tree has memory of its own, and there may be many. The list
/// of names does not compile unless it has all fields.
Ensemble copy_within(Pace& pace, const Ensemble& original) {
  const auto& [source, library, objective, notes, features, trees, base, input, accumulator, order,
               factor, divisor, link, link_form, steepness, task, decision, classes, composition] =
      original;
  std::vector<Tree> copied;
  copied.reserve(trees.size());
  for (const Tree& tree : trees) {
    pace.work(tree.nodes.size() + allocation_work);
    copied.push_back(tree);
  }
  return {source,      library, objective,  notes,   features, std::move(copied), base,      input,
          accumulator, order,   factor,     divisor, link,     link_form,         steepness, task,
          decision,    classes, composition};
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

/// How often a search that waits for another one's tables looks at its own limits.
constexpr std::chrono::milliseconds limit_check{5};

const Tables* LazyTables::finished() const {
  return finished_.load(std::memory_order_acquire) ? &tables_ : nullptr;
}

const Tables& LazyTables::get(std::span<const Ensemble> ensembles, Watch* watch) {
  if (finished_.load(std::memory_order_acquire)) {
    if (watch) require_memory(tables_.bytes(), *watch);
    return tables_;
  }
  {
    std::unique_lock lock(mutex_);
    while (busy_) {
      if (watch && watch->expired()) throw Pace::Stopped{};
      idle_.wait_for(lock, limit_check);
    }
    busy_ = true;
  }
  const auto done = [this](LazyTables*) {
    {
      const std::lock_guard lock(mutex_);
      busy_ = false;
    }
    idle_.notify_all();
  };
  const std::unique_ptr<LazyTables, decltype(done)> release(this, done);
  if (!finished_.load(std::memory_order_relaxed)) build(ensembles, watch);
  return tables_;
}

void LazyTables::build(std::span<const Ensemble> ensembles, Watch* watch) {
  Pace pace = watch ? watch->pace() : Pace{};
  if (!needed_) needed_ = table_bytes(ensembles, pace);
  if (watch) require_memory(*needed_, *watch);
  box_leaves(ensembles, tables_.leaves, pace);
  fast::make_leaf_table(ensembles, tables_.leaves, tables_.table, pace);
  finished_.store(true, std::memory_order_release);
}

Prepared prepare_with(const Prepared& prepared, Ensemble more,
                      std::optional<std::size_t> max_changes, Watch& watch, MemoryHold& held) {
  const Tables& tables = tables_of(prepared, &watch);
  const std::span<const Ensemble> before = prepared.ensembles();
  const std::size_t copied = tables.bytes() + ensemble_bytes(before);
  require_memory(tables.bytes() + copied, watch);
  held = MemoryHold(watch, copied);
  Pace pace = watch.pace();
  std::vector<Ensemble> all;
  all.reserve(before.size() + 1);
  for (const Ensemble& ensemble : before) all.push_back(copy_within(pace, ensemble));
  all.push_back(std::move(more));
  auto owned = std::make_shared<const ModelSet>(unnamed(std::move(all)));
  const Ensemble& added = owned->ensembles.back();
  Tables longer;
  longer.leaves =
      add_ensemble(tables.leaves, added, static_cast<std::uint32_t>(before.size()), pace);
  longer.table = fast::add_ensemble(tables.table, longer.leaves, added, max_changes, pace);
  return PreparedParts::wrap(
      {owned, owned->ensembles, std::make_unique<LazyTables>(std::move(longer))});
}

}  // namespace boxwood
