// What bench-cascade is asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

struct CascadeOptions {
  std::string model;
  std::string out;
  std::string base;  // what runs of several seeds have in common; empty: the model's folder
  std::string commit = "unknown";
  std::string note;  // what else a reader must know of the run
  std::string data = "agnews";
  std::string test;  // empty: the set's test part
  std::string data_dir = "data";
  std::string precision = "bf16";
  std::string peers;  // empty: none
  std::vector<double> mean_budgets = {0.04, 0.06, 0.08, 0.1,  0.12, 0.14, 0.16,
                                      0.2,  0.25, 0.3,  0.35, 0.4,  0.5};
  std::vector<double> mean_budgets_without_zero = {0.16, 0.2, 0.25, 0.3, 0.4, 0.5};
  std::vector<double> flat = {0, 0.125, 0.25, 0.5, 1};
  std::vector<double> mean_layers = {0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.75, 1};  // early exit's
  int64_t validation_rows = 0;  // 0: as many as `train` sets aside
  uint64_t seed = 1;            // that the model was trained with; also of the validation split
  int threads = 1;              // that score rows; what is timed has one
  size_t timed_texts = 1024;    // at most
  double seconds = 40;          // that timing may take, about
  int rounds = 5;
  int splits = 20;
};

}  // namespace headroom
