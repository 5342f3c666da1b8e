// The main job: the cheapest admissible point with the wanted outcome, and the regions around.
#pragma once

#include <boxwood/answer.hpp>
#include <boxwood/ensemble.hpp>
#include <boxwood/query.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace boxwood {

/// Both solve the same problem and give the same answers. `paper` follows the publication and is
/// there to check `fast`, to compare with, and to enumerate regions.
enum class Engine : std::uint8_t { fast, paper };

/// Of each feature the number of cells: pieces of its axis that the model's splits tell apart.
std::vector<std::size_t> cell_counts(const Ensemble& ensemble);

const char* to_string(Engine engine);

/// What a running search knows. Costs never rise and bounds never fall from one report to the next.
struct Progress {
  double best_cost = std::numeric_limits<double>::infinity();
  double lower_bound = 0;
  std::uint64_t nodes = 0;
  double seconds = 0;
};

/// Limits lead to results, not to errors: the search stops soon after one is reached, with its
/// best point and a valid lower bound. They are for the search: preparing the models and the query,
/// which takes time in proportion to the leaves, is not interrupted.
struct Limits {
  double seconds = std::numeric_limits<double>::infinity();
  std::uint64_t nodes = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bytes = std::uint64_t{4} << 30;  ///< memory for tables and open boxes
  const std::atomic<bool>* interrupt = nullptr;  ///< set it from anywhere to stop
};

/// Internal settings for tests and benchmarks; see src/search/engine_settings.hpp.
struct EngineSettings;

struct Options {
  Engine engine = Engine::fast;
  int threads = 0;        ///< 0: all cores
  std::size_t ties = 16;  ///< at most this many points of equal cost are returned
  Limits limits;
  /// Points that may have the outcome, training data say: the fast engine starts from the nearest
  /// that has it. They must outlive the call.
  std::span<const std::vector<double>> examples;
  /// Run the paper's engine as published, without Boxwood's additions (docs/engine.md). The fast
  /// engine ignores this.
  bool published = false;
  std::shared_ptr<const EngineSettings> engine_settings;  ///< for the library's own tests
  std::function<void(const Progress&)> progress;          ///< called by one thread at a time
};

struct LeafBoxes;
namespace fast {
struct Model;
}

/// Ensembles made ready for questions, once for many. It refers to the ensembles, which must
/// outlive it; it never changes and may be shared between threads.
class Prepared {
 public:
  explicit Prepared(std::span<const Ensemble> ensembles);
  explicit Prepared(const Ensemble& ensemble);
  Prepared(Ensemble&&) = delete;
  /// The same ensembles, somewhere else, and one more behind them, for queries of which no answer
  /// changes more features than this: for the library itself.
  Prepared(const Prepared& prepared, std::span<const Ensemble> with_one_more,
           std::optional<std::size_t> max_changes);

  std::span<const Ensemble> ensembles() const { return ensembles_; }
  const LeafBoxes& leaves() const { return *leaves_; }  ///< for the library itself, as is the next
  const fast::Model& model() const { return *model_; }

 private:
  std::span<const Ensemble> ensembles_;
  std::shared_ptr<const LeafBoxes> leaves_;
  std::shared_ptr<const fast::Model> model_;
};

/// The cheapest admissible point that meets every requirement. Throws Error for a query that makes
/// no sense; limits end in a status.
Answer explain(const Prepared& prepared, const Query& query, const Options& options = {});
Answer explain(std::span<const Ensemble> ensembles, const Query& query,
               const Options& options = {});
Answer explain(const Ensemble& ensemble, const Query& query, const Options& options = {});

/// A box in which every ensemble is constant, with its nearest admissible point.
struct Region {
  Solution nearest;
  double cost = 0;
  std::vector<std::vector<double>> scores;  ///< raw, one vector for each ensemble
};

/// Called for each region; return false to stop the stream.
using RegionVisitor = std::function<bool(const Region&)>;

/// The pure boxes that hold an admissible point within `radius` (a distance; infinity for all) of
/// the query's point and meet its requirements (none: every box), each exactly once. Returns why
/// it ended: `finished` when the set is complete. Runs on the calling thread. Rules about several
/// features cut the boxes: every point of a region obeys them.
Stop visit_regions(const Prepared& prepared, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options = {});
Stop visit_regions(std::span<const Ensemble> ensembles, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options = {});
Stop visit_regions(const Ensemble& ensemble, const Query& query, double radius,
                   const RegionVisitor& visit, const Options& options = {});

}  // namespace boxwood
