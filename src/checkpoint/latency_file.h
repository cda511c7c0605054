// latency.json beside a checkpoint's weights: the tables that `calibrate` measured, one per
// machine, precision and thread count.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/measure/cpu_kind.h"
#include "budget/latency_table.h"

namespace headroom {

// All tables, none where there is no file. Throws ErrorCode::bad_model when it is damaged.
std::vector<LatencyTable> read_latency_tables(const std::filesystem::path& checkpoint);

// The table of this machine, a CPU of this name and kind; nothing when there is none. Throws
// ErrorCode::bad_model when the file is damaged.
std::optional<LatencyTable> find_latency_table(const std::filesystem::path& checkpoint,
                                               const std::string& machine,
                                               const std::string& precision, int threads,
                                               const std::string& kind = cpu_kind());

// Replaces the table of the same machine, precision and threads, or adds it; one of another kind of
// CPU by the same name stays. Atomic.
void store_latency_table(const std::filesystem::path& checkpoint, const LatencyTable& table,
                         const std::string& kind = cpu_kind());

}  // namespace headroom
