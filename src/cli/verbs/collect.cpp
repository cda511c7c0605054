// headroom collect: proves that a folder of `predict --out-dir` holds the answer to every row of
// the input once, writes that down as manifest.json, and joins the shards.
#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/files/file.h"
#include "checkpoint/config.h"
#include "cli/app.h"
#include "cli/bulk/progress.h"
#include "cli/bulk/shard_folder.h"
#include "cli/verb.h"

namespace headroom {
namespace {

[[noreturn]] void refuse(const std::string& fact) {
  throw Error(ErrorCode::bad_data, "collect shards", fact);
}

// The lines that a record names must be those that lie there now.
void check_input(const ShardRecord& record, const std::string& path, Xxh64& whole) {
  const ShardInput now = read_shard_input({record.file.kind, path}, record.shard, &whole);
  if (now == record.input) return;
  refuse(
      fmt::format("{} is not what shard {} answered: {} rows in bytes {} to {} there, {} in {} "
                  "to {} here, or other ones. Was it changed?",
                  path, record.shard.name(), record.input.rows, record.input.begin,
                  record.input.end, now.rows, now.begin, now.end));
}

void append_answers(const std::filesystem::path& file, const TemporaryFile& out) {
  InputStream input(file);
  for (std::string_view block = input.peek(); !block.empty(); block = input.peek()) {
    out.append(block);
    input.consume(block.size());
  }
}

void check_answers(const ShardRecord& record, const std::filesystem::path& file, Xxh64& whole) {
  if (!std::filesystem::exists(file)) {
    refuse(fmt::format("{} is missing: run the predict command of shard {} again", file.string(),
                       record.shard.name()));
  }
  const ShardInput now = read_shard_input({InputKind::lines, file.string()}, {1, 1}, &whole);
  if (now.end != record.bytes || now.digest != record.digest || now.rows != record.input.rows) {
    refuse(fmt::format(
        "{} was changed or damaged: {} bytes with digest {}, written were {} with "
        "{}; remove it and its record, and answer shard {} again",
        file.string(), now.end, now.digest, record.bytes, record.digest, record.shard.name()));
  }
}

struct Collected {
  std::string input;
  uint64_t input_bytes = 0;
  int64_t rows = 0;
  int64_t marked = 0;
  uint64_t bytes = 0;
  Xxh64 input_digest;
  Xxh64 digest;
  std::vector<ShardRecord> shards;
};

Collected check_shards(const std::filesystem::path& folder, const std::string& texts) {
  Collected all;
  all.shards = read_shard_records(folder);
  all.input = texts.empty() ? all.shards[0].file.path : texts;
  if (!std::filesystem::exists(all.input)) {
    throw Error(ErrorCode::usage, "collect shards",
                fmt::format("the input is not at {}: --texts says where", all.input));
  }
  all.input_bytes = bytes_on_disk(all.input);
  for (const ShardRecord& record : all.shards) {
    check_input(record, all.input, all.input_digest);
    check_answers(record, folder / record.answers, all.digest);
    all.rows += record.input.rows;
    all.marked += record.marked;
    all.bytes += record.bytes;
  }
  return all;
}

Json manifest_of(const Collected& all) {
  Json shards = Json::array();
  for (const ShardRecord& record : all.shards) shards.push_back(to_json(record));
  return {{"input",
           {{"file", all.input},
            {"bytes", all.input_bytes},
            {"xxh64", checksum_text(all.input_digest.digest())}}},
          {"rows", all.rows},
          {"marked", all.marked},
          {"answers", {{"bytes", all.bytes}, {"xxh64", checksum_text(all.digest.digest())}}},
          {"job", all.shards[0].job},
          {"shards", shards}};
}

}  // namespace

int run_collect(int argc, char** argv) {
  CLI::App app(
      "Checks what the shards of predict --out-dir wrote: every row of the input is answered once, "
      "and the answers are those that were written. Writes manifest.json into the folder; with "
      "--out joins the shards.",
      "headroom collect");
  std::string folder;
  std::string texts;
  std::string out;
  app.add_option("DIR", folder, "the folder of predict --out-dir")->required();
  app.add_option("--texts", texts, "the input, where it does not lie where predict found it");
  app.add_option("--out", out, "a file for all answers, in the order of the input");
  return run_app(app, argc, argv, [&](bool json) {
    const Collected all = check_shards(folder, texts);
    if (!out.empty()) {
      TemporaryFile joined(out);
      for (const ShardRecord& record : all.shards) {
        append_answers(std::filesystem::path(folder) / record.answers, joined);
      }
      joined.commit();
    }
    const Json manifest = manifest_of(all);
    const std::filesystem::path path = std::filesystem::path(folder) / "manifest.json";
    write_file_atomically(path, manifest.dump(2) + "\n");
    if (json) {
      print_json_line({{"shards", all.shards.size()},
                       {"rows", all.rows},
                       {"marked", all.marked},
                       {"bytes", all.bytes},
                       {"xxh64", manifest["answers"]["xxh64"]},
                       {"manifest", path.string()}});
      return;
    }
    fmt::print("{} rows in {} shards, each answered once{}: {}\n", all.rows, all.shards.size(),
               all.marked > 0 ? fmt::format(" ({} marked)", all.marked) : "", path.string());
  });
}

}  // namespace headroom
