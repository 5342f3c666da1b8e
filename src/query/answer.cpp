#include <boxwood/answer.hpp>

namespace boxwood {

double Answer::gap() const {
  if (cost == lower_bound) return 0;
  return (cost - lower_bound) / cost;
}

const char* to_string(Status status) {
  switch (status) {
    case Status::optimal:
      return "optimal";
    case Status::feasible:
      return "feasible";
    case Status::infeasible:
      return "infeasible";
    case Status::unknown:
      break;
  }
  return "unknown";
}

const char* to_string(Stop stop) {
  switch (stop) {
    case Stop::finished:
      return "finished";
    case Stop::time:
      return "time";
    case Stop::nodes:
      return "nodes";
    case Stop::memory:
      return "memory";
    case Stop::interrupt:
      return "interrupt";
    case Stop::precision:
      return "precision";
    case Stop::visitor:
      break;
  }
  return "visitor";
}

}  // namespace boxwood
