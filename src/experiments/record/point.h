// One model at one budget, as it was scored.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace headroom::experiments {

// Fields that do not apply, or were not measured, are empty.
struct Point {
  double budget = 1;
  std::optional<double> accuracy = {};
  std::optional<double> loss = {};
  std::optional<double> bleu = {};
  std::optional<double> active_heads = {};  // shares
  std::optional<double> active_ffn = {};
  std::optional<double> gate_mass = {};
  std::optional<double> macs_fraction = {};  // of the dense model's
  std::optional<double> attention_macs = {};
  std::optional<double> model_macs = {};
  std::optional<double> training_macs = {};
  std::optional<double> published_fraction = {};  // of attention MACs, as 2604.22583 counts them
  std::optional<double> parameters = {};
  std::optional<double> attention_parameters = {};
  std::optional<double> bytes = {};
  std::optional<double> ms = {};
  std::optional<double> share = {};       // of heads that was asked for
  std::optional<double> s_mean = {};      // share that texts asked for
  std::vector<double> s_layers = {};      // the same by layer
  std::vector<double> heads_layers = {};  // heads that ran, by layer
  std::string correct = {};               // test rows that were right (test_rows.h)
};

using PointField = std::optional<double> Point::*;

}  // namespace headroom::experiments
