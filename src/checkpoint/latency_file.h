// latency.json beside a checkpoint's weights: the tables that `calibrate` measured, one per
// machine, precision and thread count.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "budget/latency_table.h"

namespace headroom {

// All tables, none where there is no file. Throws ErrorCode::bad_model when it is damaged.
std::vector<LatencyTable> read_latency_tables(const std::filesystem::path& checkpoint);

// The table of this machine; nothing when there is none. Throws ErrorCode::bad_model when the file
// is damaged.
std::optional<LatencyTable> find_latency_table(const std::filesystem::path& checkpoint,
                                               const std::string& machine,
                                               const std::string& precision, int threads);

// Replaces the table of the same machine, precision and threads, or adds it. Atomic.
void store_latency_table(const std::filesystem::path& checkpoint, const LatencyTable& table);

}  // namespace headroom
