#include "checkpoint/latency_file.h"

#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

constexpr uint64_t size_limit = 16ULL << 20;

// A table with what only the file knows of it.
struct StoredTable {
  LatencyTable table;
  std::string kind;  // of CPU; empty: from before it was stored

  bool is_for(const std::string& machine, const std::string& precision, int threads,
              const std::string& here) const {
    return table.machine == machine && table.precision == precision && table.threads == threads &&
           same_cpu_kind(kind, here);
  }
};

std::vector<StoredTable> read_stored(const std::filesystem::path& checkpoint) {
  const std::filesystem::path file = checkpoint / "latency.json";
  std::vector<StoredTable> stored;
  if (!std::filesystem::exists(file)) return stored;
  const Json json =
      parse_json(read_checkpoint_file(file, size_limit), ErrorCode::bad_model, "latency.json");
  const JsonFields fields(json, ErrorCode::bad_model, "latency.json");
  for (const Json& entry : fields.array("tables")) {
    const JsonFields own(entry, ErrorCode::bad_model, "latency.json");
    stored.push_back({latency_table_from_json(entry), own.text_or("cpu_kind", "")});
  }
  return stored;
}

}  // namespace

std::vector<LatencyTable> read_latency_tables(const std::filesystem::path& checkpoint) {
  std::vector<LatencyTable> tables;
  for (StoredTable& stored : read_stored(checkpoint)) tables.push_back(std::move(stored.table));
  return tables;
}

std::optional<LatencyTable> find_latency_table(const std::filesystem::path& checkpoint,
                                               const std::string& machine,
                                               const std::string& precision, int threads,
                                               const std::string& kind) {
  for (StoredTable& stored : read_stored(checkpoint)) {
    if (stored.is_for(machine, precision, threads, kind)) return std::move(stored.table);
  }
  return std::nullopt;
}

void store_latency_table(const std::filesystem::path& checkpoint, const LatencyTable& table,
                         const std::string& kind) {
  std::vector<StoredTable> tables = read_stored(checkpoint);
  std::erase_if(tables, [&](const StoredTable& old) {
    return old.is_for(table.machine, table.precision, table.threads, kind);
  });
  tables.push_back({table, kind});
  Json json = {{"tables", Json::array()}};
  for (const StoredTable& stored : tables) {
    json["tables"].push_back(to_json(stored.table));
    if (!stored.kind.empty()) json["tables"].back()["cpu_kind"] = stored.kind;
  }
  write_file_atomically(checkpoint / "latency.json", json.dump(1) + "\n");
}

}  // namespace headroom
