// Random options of a search: engines, threads, parts, tuning, examples and limits. None of them
// may change an answer; limits may leave it open.
#pragma once

#include <boxwood/explain.hpp>

#include "search/engine_settings.hpp"
#include "search/fast/tuning.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

/// Every parameter at one of its ends, at its default, or between. Work stays small.
inline boxwood::fast::Tuning odd_tuning(std::mt19937_64& random) {
  boxwood::fast::Tuning tuning;
  for (const boxwood::fast::TuningEntry& entry : boxwood::fast::tuning_table()) {
    const double most = std::min(entry.most, std::max(entry.value, 1.0) * 10);
    double value = entry.value;
    if (random() % 4 == 0) value = entry.least;
    if (random() % 4 == 1) value = most;
    if (random() % 4 == 2) {
      const double part = static_cast<double>(random() % 1000) / 1000;
      value = entry.least + part * (most - entry.least);
    }
    set(tuning, entry.name, entry.whole ? std::floor(value) : value);
  }
  return tuning;
}

/// Options for a search from `point`. Examples are kept here: the options only refer to them.
class RandomOptions {
 public:
  RandomOptions(std::uint64_t seed, const std::vector<double>& point) : random_(seed) {
    options_.engine = coin() ? boxwood::Engine::fast : boxwood::Engine::paper;
    options_.threads = one_in(3) ? 3 : 1;
    options_.ties = one_in(4) ? 1 + random_() % 3 : 100'000;
    options_.published = one_in(6);
    boxwood::EngineSettings settings;
    settings.additions = {!one_in(3), !one_in(3)};
    settings.parts = {!one_in(3), !one_in(3), !one_in(3)};
    if (one_in(2)) settings.tuning = odd_tuning(random_);
    set(options_, settings);
    for (std::size_t i = one_in(2) ? 0 : random_() % 4; i > 0; --i) {
      std::vector<double> example = point;
      for (double& value : example) {
        if (coin()) value = static_cast<double>(random_() % 16) / 7 - 0.5;
      }
      if (one_in(8)) example.push_back(0);  // one of the wrong length is ignored
      examples_.push_back(std::move(example));
    }
    if (one_in(3)) draw_limit();
  }
  RandomOptions(const RandomOptions&) = delete;

  boxwood::Options options() const {
    boxwood::Options options = options_;
    options.examples = examples_;
    return options;
  }
  bool limited() const { return limited_; }

 private:
  void draw_limit() {
    limited_ = true;
    switch (random_() % 4) {
      case 0:
        options_.limits.seconds = 0;
        break;
      case 1:
        options_.limits.bytes = std::uint64_t{256} << random_() % 12;
        break;
      case 2:
        options_.limits.interrupt = &set_flag_;
        break;
      default:
        options_.limits.nodes = random_() % 25;
    }
  }
  bool coin() { return one_in(2); }
  bool one_in(std::uint64_t count) { return random_() % count == 0; }

  static constexpr std::atomic<bool> set_flag_{true};

  std::mt19937_64 random_;
  boxwood::Options options_;
  std::vector<std::vector<double>> examples_;
  bool limited_ = false;
};
