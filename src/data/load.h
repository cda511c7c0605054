// From a data SPEC to rows in memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/dataset.h"
#include "data/spec.h"

namespace headroom {

// With `labels` (those of a model), rows' labels are mapped to them and an unknown one is an error.
// Without, the labels are collected: in the order of the set's class list, else by number when all
// are whole numbers, else by byte order; fewer than two classes is then an error, because such data
// cannot train anything. Throws ErrorCode::bad_data naming file and line, or ErrorCode::usage for a
// source that holds no labelled texts.
TextDataset load_text_dataset(const DataSpec& spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels = nullptr);
TextDataset load_text_dataset(std::string_view spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels = nullptr);

// The same without the demand for two classes: to look at data, not to train on it.
TextDataset read_text_dataset(const DataSpec& spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels = nullptr);

}  // namespace headroom
