// Times an adaptive experiment's checkpoints with the native engine: all heads against chosen ones.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "base/progress.h"

namespace headroom::experiments::adaptive {

// The checkpoints that the first seed's run kept in `folder`, on the first rows of `data`, one
// thread. {} where there is none.
Json time_choices(const std::filesystem::path& folder, const std::string& data,
                  const std::filesystem::path& data_dir, ProgressSink& progress);

}  // namespace headroom::experiments::adaptive
