#include "cli/bulk/shard_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void refuse(ErrorCode code, const std::string& fact) {
  throw Error(code, "collect shards", fact);
}

// As wide as the last one's number: sorted by name they are in order.
std::string stem(const Shard& shard) {
  const std::string count = std::to_string(shard.count);
  return fmt::format("shard-{:0{}}-of-{}", shard.index, count.size(), count);
}

Json record_json(const ShardRecord& record) {
  Json json = to_json(record);
  json["job"] = record.job;
  return json;
}

ShardRecord read_record(const fs::path& path) {
  const Json json = parse_json(read_file(path, ErrorCode::bad_data), ErrorCode::bad_data,
                               path.filename().string());
  const JsonFields fields(json, ErrorCode::bad_data, path.filename().string());
  const auto count = [&](const char* key) {
    return fields.integer(key, 0, std::numeric_limits<int64_t>::max());
  };
  ShardRecord record;
  record.shard = parse_shard(fields.text("shard"));
  record.file = {fields.text("kind") == "jsonl" ? InputKind::json_lines : InputKind::lines,
                 fields.text("input")};
  record.input = {static_cast<uint64_t>(count("begin")), static_cast<uint64_t>(count("end")),
                  count("rows"), fields.text("input_xxh64")};
  record.marked = count("marked");
  record.answers = fields.text("answers");
  record.bytes = static_cast<uint64_t>(count("bytes"));
  record.digest = fields.text("answers_xxh64");
  record.job = fields.object("job");
  return record;
}

struct Contents {
  std::map<uint64_t, ShardRecord> records;  // by index
  std::vector<std::string> answers;         // files' names
  std::set<std::string> begun;              // stems of part files
};

Contents read_contents(const fs::path& folder) {
  if (!fs::is_directory(folder)) {
    refuse(ErrorCode::usage, fmt::format("{} is no folder", folder.string()));
  }
  Contents contents;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const fs::path extension = entry.path().extension();
    if (!name.starts_with("shard-")) continue;
    if (extension == ".part") contents.begun.insert(entry.path().stem().string());
    if (extension == ".jsonl" || extension == ".txt") contents.answers.push_back(name);
    if (extension != ".json") continue;
    ShardRecord record = read_record(entry.path());
    const uint64_t index = record.shard.index;
    const auto& first = contents.records.emplace(index, record).first->second;
    if (first.shard.count != record.shard.count) {
      refuse(ErrorCode::bad_data,
             fmt::format("{} holds shards of {} and of {}: one folder is for one job",
                         folder.string(), first.shard.count, record.shard.count));
    }
  }
  return contents;
}

void require_all(const fs::path& folder, const Contents& contents) {
  if (contents.records.empty()) {
    refuse(ErrorCode::bad_data, fmt::format("{} holds no finished shard", folder.string()));
  }
  const uint64_t count = contents.records.begin()->second.shard.count;
  constexpr size_t shown_at_most = 20;
  std::vector<std::string> missing;
  for (uint64_t index = 1; index <= count; ++index) {
    if (contents.records.contains(index)) continue;
    const Shard shard{index, count};
    missing.push_back(shard.name() + (contents.begun.contains(stem(shard)) ? " (begun)" : ""));
  }
  if (missing.empty()) return;
  const std::string more = missing.size() > shown_at_most
                               ? fmt::format(" and {} more", missing.size() - shown_at_most)
                               : "";
  const size_t all = missing.size();
  missing.resize(std::min(all, shown_at_most));
  refuse(ErrorCode::bad_data,
         fmt::format("{} of {} shards are missing: {}{}; the same predict command with --shard "
                     "answers them",
                     all, count, join(missing, ", "), more));
}

}  // namespace

Json to_json(const ShardRecord& record) {
  return {{"shard", record.shard.name()},
          {"input", record.file.path},
          {"kind", record.file.kind == InputKind::json_lines ? "jsonl" : "text"},
          {"begin", record.input.begin},
          {"end", record.input.end},
          {"rows", record.input.rows},
          {"marked", record.marked},
          {"input_xxh64", record.input.digest},
          {"answers", record.answers},
          {"bytes", record.bytes},
          {"answers_xxh64", record.digest}};
}

ShardFolder::ShardFolder(fs::path folder, const Shard& shard)
    : folder_(std::move(folder)), shard_(shard) {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (!fs::is_directory(folder_)) {
    throw Error(ErrorCode::runtime, "write answers",
                fmt::format("{} cannot be made: {}", folder_.string(), problem.message()));
  }
}

fs::path ShardFolder::part() const {
  return folder_ / (stem(shard_) + ".part");
}

fs::path ShardFolder::record() const {
  return folder_ / (stem(shard_) + ".json");
}

bool ShardFolder::complete(const Json& job) const {
  if (!fs::exists(record())) return false;
  const ShardRecord known = read_record(record());
  const std::string other = job_difference(known.job, job);
  if (!other.empty()) {
    throw Error(
        ErrorCode::usage, "write answers",
        fmt::format("shard {} in {} was answered with {}; another folder is for another job",
                    shard_.name(), folder_.string(), other));
  }
  name_answers(known);
  return true;
}

// The record that names them is there, so a process that is killed here leaves this to the next.
void ShardFolder::name_answers(const ShardRecord& record) const {
  const fs::path answers = folder_ / record.answers;
  std::error_code problem;
  if (!fs::exists(answers)) fs::rename(part(), answers, problem);
  if (problem) {
    throw Error(ErrorCode::runtime, "write answers",
                fmt::format("{}: {}; if it was removed, remove {} too and answer the shard again",
                            answers.string(), problem.message(), this->record().string()));
  }
  sync_path(folder_);
  fs::remove(part().string() + ".progress", problem);
}

void ShardFolder::commit(const Json& job, const TextInput& input, const AnswerState& state) const {
  ShardRecord record;
  record.shard = shard_;
  record.file = input;
  record.input = read_shard_input(input, shard_);
  record.marked = state.marked;
  const ShardInput answers = read_shard_input({InputKind::lines, part().string()}, {1, 1});
  record.bytes = answers.end;
  record.digest = answers.digest;
  record.answers = fmt::format("{}-{}.{}", stem(shard_), record.digest,
                               job.value("json", false) ? "jsonl" : "txt");
  record.job = job;
  if (answers.rows != record.input.rows || record.bytes != state.output_bytes) {
    throw Error(ErrorCode::runtime, "write answers",
                fmt::format("{} has {} lines for {} rows: has the input changed, or did another "
                            "run write there? Remove it and answer the shard again",
                            part().string(), answers.rows, record.input.rows));
  }
  write_file_atomically(this->record(), record_json(record).dump(2) + "\n");
  name_answers(record);
}

std::vector<ShardRecord> read_shard_records(const fs::path& folder) {
  Contents contents = read_contents(folder);
  require_all(folder, contents);
  std::vector<ShardRecord> records;
  std::set<std::string> named;
  for (auto& [index, record] : contents.records) {
    named.insert(record.answers);
    records.push_back(std::move(record));
  }
  for (const ShardRecord& record : records) {
    const std::string other = job_difference(records[0].job, record.job);
    if (other.empty()) continue;
    refuse(ErrorCode::bad_data, fmt::format("shards {} and {} are of different jobs: {}",
                                            records[0].shard.name(), record.shard.name(), other));
  }
  for (const std::string& name : contents.answers) {
    if (named.contains(name)) continue;
    refuse(ErrorCode::bad_data,
           fmt::format("{} in {} belongs to no record: answers that were given twice and differ? "
                       "Remove it",
                       name, folder.string()));
  }
  return records;
}

}  // namespace headroom
