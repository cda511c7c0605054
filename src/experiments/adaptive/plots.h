// Plots of the adaptive experiment. Each is empty where the runs do not hold what it shows.
#pragma once

#include <string>

#include "experiments/record/runs.h"

namespace headroom::experiments::adaptive {

// s on training and validation rows and validation accuracy over the steps of the adaptive arm.
std::string share_curve_plot(const Runs& runs);

// Entropy of q over the same steps, with and without the schedule of its temperature.
std::string entropy_curve_plot(const Runs& runs);

// Mean and standard deviation of s by block and class, first seed.
std::string class_map(const Runs& runs, const std::string& arm);

// s in thirds of a dense model's loss.
std::string difficulty_plot(const Runs& runs, const std::string& arm);

// Who attends to whom in one text: the most and the least relevant head of each block, first seed.
std::string attention_map_figure(const Runs& runs);

}  // namespace headroom::experiments::adaptive
