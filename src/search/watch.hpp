// The limits of one search: time, nodes, memory and interrupts. The first one reached is the reason
// why the search stops.
#pragma once

#include "base/pace.hpp"

#include <boxwood/answer.hpp>
#include <boxwood/explain.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace boxwood {

class Watch {
 public:
  explicit Watch(const Limits& limits) : limits_(limits), start_(Clock::now()) {}

  /// Limits::poll, for `while_polling` in threads.hpp.
  const std::function<void()>& poll() const { return limits_.poll; }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  /// Counts one node. False if the search has to stop. A node may take less than a microsecond, so
  /// the clock is read for one in sixteen of them.
  bool count_node() {
    constexpr std::uint64_t nodes_for_a_look = 16;
    const std::uint64_t before = nodes_.fetch_add(1, std::memory_order_relaxed);
    if (before >= limits_.nodes) request(Stop::nodes);
    return before % nodes_for_a_look == 0 ? !expired() : !stopped();
  }

  /// Whether the search has to stop. Cheap enough to call for every box.
  bool expired() {
    if (limits_.poll && std::this_thread::get_id() == caller_) limits_.poll();
    if (is_set(limits_.interrupt) || is_set(limits_.cancel)) request(Stop::interrupt);
    if (seconds() > limits_.seconds) request(Stop::time);
    return stopped();
  }

  /// Counts leaves that were looked at: the work of a search, whatever the machine.
  void count_leaves(std::uint64_t leaves) {
    leaf_visits_.fetch_add(leaves, std::memory_order_relaxed);
  }

  void hold_bytes(std::uint64_t bytes) {
    const std::uint64_t held = held_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::uint64_t peak = peak_.load(std::memory_order_relaxed);
    while (held > peak && !peak_.compare_exchange_weak(peak, held, std::memory_order_relaxed)) {
    }
    if (held > limits_.bytes) request(Stop::memory);
  }
  std::uint64_t most_bytes() const { return limits_.bytes; }
  /// Whether so much more memory may be held.
  bool fits(std::uint64_t bytes) const {
    const std::uint64_t held = held_.load(std::memory_order_relaxed);
    return held <= limits_.bytes && bytes <= limits_.bytes - held;
  }
  /// Throws Pace::Stopped if so much more memory must not be held.
  void require_bytes(std::uint64_t bytes) {
    if (!fits(bytes)) stop_for_memory();
  }
  [[noreturn]] void stop_for_memory() {
    request(Stop::memory);
    throw Pace::Stopped{};
  }
  /// Stops work by Pace::Stopped when this search has to stop. Not for tasks on several threads:
  /// what they throw would lose open nodes.
  Pace pace() {
    return Pace([this] { return expired(); });
  }
  /// How many ranges the pieces of all leaves may have.
  std::uint64_t most_ranges() const { return limits_.bytes / bytes_per_range; }
  /// Whether more than half of the memory is held: finish open work before beginning more.
  bool crowded() const { return held_.load(std::memory_order_relaxed) > limits_.bytes / 2; }
  void release_bytes(std::uint64_t bytes) { held_.fetch_sub(bytes, std::memory_order_relaxed); }

  /// More than a leaf's range of one variable takes in all tables together.
  static constexpr std::uint64_t bytes_per_range = 128;

  void request(Stop reason) {
    Stop none = Stop::finished;
    stop_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  }
  bool stopped() const { return stop() != Stop::finished; }
  Stop stop() const { return stop_.load(std::memory_order_relaxed); }

  std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }
  std::uint64_t leaf_visits() const { return leaf_visits_.load(std::memory_order_relaxed); }
  std::uint64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }

 private:
  using Clock = std::chrono::steady_clock;

  static bool is_set(const std::atomic<bool>* flag) {
    return flag && flag->load(std::memory_order_relaxed);
  }

  Limits limits_;
  const std::thread::id caller_ = std::this_thread::get_id();
  Clock::time_point start_;
  std::atomic<std::uint64_t> nodes_{0};
  std::atomic<std::uint64_t> leaf_visits_{0};
  std::atomic<std::uint64_t> held_{0};
  std::atomic<std::uint64_t> peak_{0};
  std::atomic<Stop> stop_{Stop::finished};
};

/// Memory counted as held for as long as this lives; it moves with what it stands for.
class MemoryHold {
 public:
  MemoryHold() = default;
  MemoryHold(Watch& watch, std::uint64_t bytes) : watch_(&watch), bytes_(bytes) {
    watch.hold_bytes(bytes);
  }
  MemoryHold(MemoryHold&& other) noexcept
      : watch_(std::exchange(other.watch_, nullptr)), bytes_(other.bytes_) {}
  MemoryHold& operator=(MemoryHold&& other) noexcept {
    std::swap(watch_, other.watch_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryHold() {
    if (watch_) watch_->release_bytes(bytes_);
  }
  std::uint64_t bytes() const { return watch_ ? bytes_ : 0; }

 private:
  Watch* watch_ = nullptr;
  std::uint64_t bytes_ = 0;
};

}  // namespace boxwood
