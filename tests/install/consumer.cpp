// The smallest whole use of the installed library: one split at 10, and the way to its other side.
#include <boxwood/boxwood.hpp>

#include <iostream>

int main() {
  boxwood::Ensemble model;
  model.features = {{"income"}};
  model.base = {0.0};
  model.link = boxwood::Link::sigmoid;
  model.task = boxwood::Task::binary;
  boxwood::Tree tree;
  tree.nodes.resize(3);
  tree.nodes[0] = {
      .kind = boxwood::NodeKind::less, .feature = 0, .left = 1, .right = 2, .threshold = 10};
  tree.nodes[1].value = 0;
  tree.nodes[2].value = 1;
  tree.values = {-1.0, 1.0};
  model.trees = {tree};

  boxwood::Query query = boxwood::query_for(model, std::vector<double>{7.0});
  query.requirements = {boxwood::require_class(1)};
  const boxwood::Answer answer = boxwood::explain(model, query);
  const bool right = answer.status == boxwood::Status::optimal && answer.cost == 9.0 &&
                     answer.best().point.front() == 10.0 &&
                     boxwood::verify({&model, 1}, query, answer).passed();
  std::cout << "boxwood " << boxwood::version << ": " << boxwood::to_string(answer.status)
            << " at cost " << answer.cost << '\n';

  // Exceptions cross the library's border with their type, also from a shared library.
  try {
    query.point.clear();
    boxwood::explain(model, query);
  } catch (const boxwood::Error& error) {
    std::cout << "and an error as it should be: " << error.what() << '\n';
    return right ? 0 : 1;
  }
  return 1;
}
