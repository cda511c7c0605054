// Classifies the images of a data SPEC at a budget. No torch in this header.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checkpoint/config.h"

namespace headroom {
inline namespace train {

struct ImageRequest {
  std::filesystem::path model;
  double budget = 1;
  int threads = 0;
  std::string device = "cpu";
  std::string data;  // SPEC
  std::filesystem::path data_dir;
};

struct ImagePrediction {
  int64_t label = 0;
  std::vector<double> scores;  // one probability per label
  double active_heads = 1;
  double milliseconds = 0;  // an equal share of its batch
};

// Hands out the predictions in the order of the images.
void predict_images(
    const ImageRequest& request,
    const std::function<void(const ModelConfig& config, const ImagePrediction&)>& take);

}  // namespace train
}  // namespace headroom
