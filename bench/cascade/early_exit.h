// Early exit by layers, the usual way to spend less on easy texts, as a baseline (DeeBERT,
// arXiv 2004.12993): behind every layer of the finished model stands an exit, a pooler and a
// classifier that were trained with the layers as they are, and a text leaves at the first one that
// is sure enough.
#pragma once

#include <filesystem>
#include <vector>

#include "base/precision.h"
#include "cascade/peers.h"
#include "tune/tune.h"

namespace headroom {

struct ExitTask {
  std::filesystem::path model;  // a BERT-like checkpoint that gives texts one label
  Precision precision = Precision::fp32;
  int threads = 1;
  TuneRows train;       // the exits'
  TuneRows validation;  // the threshold's
  TuneRows test;
  std::vector<Text> timed_texts;
  std::vector<size_t> timed;        // their rows among `test`
  std::vector<double> mean_layers;  // shares of the layers that may run on average
};

// An arm for each mean that a threshold keeps on the validation rows. A text that left behind layer
// k is timed in a model of k layers: what its earlier exits took is left out, to its advantage.
std::vector<Peer> early_exits(const ExitTask& task);

}  // namespace headroom
