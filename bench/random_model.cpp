// Writes a checkpoint of random weights in a shape that people run, to time it:
//   bench-random-model DIR LAYERS WIDTH HEADS [VOCABULARY [TASK]]
// FFN of four times the width, 512 positions, four labels (a ranker has one); 30,522 words, as BERT
// has.
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "bench_program.h"
#include "engine_random.h"

namespace headroom {
namespace {

int main_of(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) {
    fmt::print(stderr, "bench-random-model DIR LAYERS WIDTH HEADS [VOCABULARY [TASK]]\n");
    return 2;
  }
  const auto number = [&](size_t index) { return std::atoll(arguments[index].c_str()); };
  ModelShape shape;
  shape.layers = number(1);
  shape.width = number(2);
  shape.heads = number(3);
  shape.ffn = 4 * shape.width;
  shape.vocabulary = arguments.size() > 4 ? number(4) : 30522;
  shape.positions = 512;
  const Task task = arguments.size() > 5 ? task_table.parse(arguments[5]) : Task::classify;
  shape.labels = task == Task::rerank ? 1 : 4;
  write_random_checkpoint(arguments[0], shape, task);
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-random-model", [&] {
    return headroom::main_of({argv + 1, argv + argc});
  });
}
