// A folder that several processes fill with answers, a shard of one file each, so that every answer
// is in it once however often they are killed or run again:
//   shard-03-of-16.part       answers so far, with .progress beside it (answer_file.h)
//   shard-03-of-16.json       the record: which lines were answered, how, and the answers' digest
//   shard-03-of-16-DIGEST.jsonl   the answers, whole; named by their content
// The record is written first, then the answers get their name, each in one step.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "cli/bulk/answer_file.h"
#include "cli/bulk/shard.h"

namespace headroom {

struct ShardRecord {
  Shard shard;
  TextInput file;  // that it is a part of
  ShardInput input;
  int64_t marked = 0;   // rows that could not be answered
  std::string answers;  // their file's name
  uint64_t bytes = 0;
  std::string digest;  // of the answers
  Json job;            // all that they follow from; the shard is not in it
};

class ShardFolder {
 public:
  ShardFolder(std::filesystem::path folder, const Shard& shard);  // makes the folder

  std::filesystem::path part() const;

  // Whether this shard is answered; ends what a killed process had begun to end. Throws
  // ErrorCode::usage where it was answered by another job.
  bool complete(const Json& job) const;

  // Makes the part file, which the job has completed, the shard's answers. Throws
  // ErrorCode::runtime unless it has a line for every row of the input.
  void commit(const Json& job, const TextInput& input, const AnswerState& state) const;

 private:
  std::filesystem::path record() const;
  void name_answers(const ShardRecord& record) const;

  std::filesystem::path folder_;
  Shard shard_;
};

// The records of every shard, in order. Throws ErrorCode::bad_data where one is missing, two
// contradict each other, or a file of answers belongs to none.
std::vector<ShardRecord> read_shard_records(const std::filesystem::path& folder);

Json to_json(const ShardRecord& record);  // without the job

}  // namespace headroom
