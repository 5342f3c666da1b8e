// Tasks that are handed over run as they are, and the thread sanitizer sees their order: under it,
// a missing order in base/handover.hpp makes these tests fail.
#include "base/handover.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

namespace boxwood {
namespace handover_test {

constexpr int threads = 4;

struct Workers {
  // More threads than this machine may have cores.
  tbb::global_control allow{tbb::global_control::max_allowed_parallelism, threads};
  tbb::task_arena arena{threads};
  tbb::task_group group;
};

TEST(Handover, WhatWasWrittenBeforeRunIsSeenInTheTaskAndItsResultAfterWait) {
  Workers workers;
  for (int round = 0; round < 50; ++round) {
    std::vector<int> results(64);
    workers.arena.execute([&] {
      for (std::size_t i = 0; i < results.size(); ++i) {
        auto input = std::make_shared<std::vector<int>>(10, static_cast<int>(i));
        workers.group.run(handed_over([&results, i, input] {
          results[i] = std::accumulate(input->begin(), input->end(), 0);
        }));
      }
      workers.group.wait();
      take_over();
    });
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(results[i], 10 * static_cast<int>(i));
  }
}

TEST(Handover, TasksMayStartTasks) {
  Workers workers;
  std::mutex mutex;
  std::vector<int> depths;
  struct Grow {
    tbb::task_group& group;
    std::mutex& mutex;
    std::vector<int>& depths;
    void operator()(int depth) const {
      {
        const std::lock_guard lock(mutex);
        depths.push_back(depth);
      }
      for (int child = 0; child < 2 && depth < 9; ++child) {
        auto next = std::make_shared<int>(depth + 1);
        group.run(handed_over([grow = *this, next] { grow(*next); }));
      }
    }
  };
  const Grow grow{workers.group, mutex, depths};
  workers.arena.execute([&] {
    grow(0);
    workers.group.wait();
    take_over();
  });
  EXPECT_EQ(depths.size(), 1023U);
}

}  // namespace handover_test
}  // namespace boxwood
