#include "seeds.hpp"

#include <gtest/gtest-spi.h>

namespace seeds_test {

TEST(Shares, TooFewFailAndChanceDoesNot) {
  expect_share(100, 1000, 0.1);
  expect_share(45, 1000, 0.1);  // 100, less six times 10, are 40
  EXPECT_NONFATAL_FAILURE(expect_share(39, 1000, 0.1), "only 39 of 1000 cases");
  EXPECT_NONFATAL_FAILURE(expect_share(0, 1000, 0.1), "about 100 were expected");
}

TEST(Shares, ShortRunsAreNotAskedForWhatTheyCannotTell) {
  expect_share(0, 300, 0.1);  // 30, less six times 5.5
  EXPECT_NONFATAL_FAILURE(expect_share(0, 400, 0.1), "only 0 of 400 cases");
}

}  // namespace seeds_test
