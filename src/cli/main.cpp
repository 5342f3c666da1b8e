// The program `boxwood`.
#include "cli/run.hpp"

int main(int count, char** words) {
  boxwood::cli::Host host;
  return boxwood::cli::run_command(count, words, host);
}
