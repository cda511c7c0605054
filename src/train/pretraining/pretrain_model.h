// The `pretrain` verb as a function: plain text in, an encoder out, which `train --init` starts
// from. No torch in this header.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/shape.h"
#include "train/parallel/world.h"
#include "train/pretraining/pretrain_objective.h"

namespace headroom {

struct PretrainRequest {
  std::vector<std::string> text;  // files of plain text, or data SPECs
  std::filesystem::path data_dir;
  // Weights to go on from, of an earlier run or an imported encoder; empty: fresh ones. Shape,
  // vocabulary and case are its own; the optimiser begins anew, with a warm-up.
  std::filesystem::path init;
  std::filesystem::path vocabulary;  // vocab.txt to use; empty: one is trained on the text
  int vocabulary_size = 16000;
  bool lower_case = true;
  ModelShape shape;  // vocabulary, positions and labels follow from the rest
  int row_tokens = 256;
  uint64_t max_memory = 0;  // bytes that tokens may take; 0: what is available
  int batch_rows = 256;
  double rate = 0;     // peak; 0: chosen from the shape (train/pretraining/pretrain_recipe.h)
  int64_t warmup = 0;  // steps; 0: 1,000, or half of a shorter run
  double dropout = 0;  // a small model sees too much text to learn it by heart
  double weight_decay = 0.01;
  PretrainObjective objective = PretrainObjective::masked;
  double generator_share = 0.25;  // replaced: of the encoder's heads and neurons
  double nested_share = 0;        // of the steps, which run at a random budget
  double mask_share = 0.15;
  double mask_share_at_end = 0;  // 0: as at the start
  // Rows of short_tokens, as many tokens a step, for the first short_share of the run.
  int short_tokens = 128;
  double short_share = 0;
  double order_weight = 0;  // of the loss of telling which half of a row came first; 0: not asked
  int64_t steps = 0;        // one of the two decides how long
  double minutes = 0;
  int64_t validation_rows = 512;
  int64_t validate_every = 500;
  bool bf16_weights = true;
  std::filesystem::path out;
  uint64_t seed = 1;
  int threads = 0;
  std::string device = "cpu";
  bool resume = false;
  bool restart = false;
  double save_seconds = 120;
  ParallelSettings parallel;
};

struct PretrainReport {
  int64_t documents = 0;
  int64_t text_tokens = 0;  // one pass over the text
  int64_t steps = 0;
  double tokens_seen = 0;
  double tokens_per_second = 0;
  // On validation rows, by the kept weights.
  double accuracy = 0;        // of hidden tokens, by the encoder or, of `replaced`, the generator
  double found = 0;           // replaced: share of the replaced tokens that the encoder found,
  double precision = 0;       // share of those it called replaced that were,
  double detection_loss = 0;  // and nats a token
  double order_accuracy = 0;  // with order_weight: rows whose halves' order was told
  int64_t parameters = 0;
};

// Of several ranks the first writes and reports; the others return an empty report.
PretrainReport pretrain_model(const PretrainRequest& request, ProgressSink& progress);

}  // namespace headroom
