#include "checkpoint/latency_file.h"

#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

constexpr uint64_t size_limit = 16ULL << 20;

bool same_setting(const LatencyTable& a, const std::string& machine, const std::string& precision,
                  int threads) {
  return a.machine == machine && a.precision == precision && a.threads == threads;
}

}  // namespace

std::vector<LatencyTable> read_latency_tables(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / "latency.json";
  std::vector<LatencyTable> tables;
  if (!std::filesystem::exists(file)) return tables;
  const Json json =
      parse_json(read_checkpoint_file(file, size_limit), ErrorCode::bad_model, "latency.json");
  const JsonFields fields(json, ErrorCode::bad_model, "latency.json");
  for (const Json& table : fields.array("tables")) {
    tables.push_back(latency_table_from_json(table));
  }
  return tables;
}

std::optional<LatencyTable> find_latency_table(const std::filesystem::path& checkpoint,
                                               const std::string& machine,
                                               const std::string& precision, int threads) {
  for (LatencyTable& table : read_latency_tables(checkpoint)) {
    if (same_setting(table, machine, precision, threads)) return std::move(table);
  }
  return std::nullopt;
}

void store_latency_table(const std::filesystem::path& checkpoint, const LatencyTable& table) {
  std::vector<LatencyTable> tables = read_latency_tables(checkpoint);
  std::erase_if(tables, [&](const LatencyTable& old) {
    return same_setting(old, table.machine, table.precision, table.threads);
  });
  tables.push_back(table);
  Json json = {{"tables", Json::array()}};
  for (const LatencyTable& entry : tables) json["tables"].push_back(to_json(entry));
  write_file_atomically(checkpoint / "latency.json", json.dump(1) + "\n");
}

}  // namespace headroom
