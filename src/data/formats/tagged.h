// Sentences whose words have tags: files of the CoNLL shared tasks (a word a line with its columns,
// an empty line between sentences) and JSON lines with "tokens" and "tags".
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/catalog/spec.h"
#include "data/encoded.h"

namespace headroom {

struct TaggedSentence {
  std::vector<std::string> words;
  std::vector<int32_t> tags;  // as many, indices into TaggedDataset::labels
};

struct TaggedDataset {
  std::string name;
  std::vector<TaggedSentence> sentences;
  std::vector<std::string> labels;
};

// conll:FILE, jsonl:FILE or a known set of --task tag. With `labels` (those of a model) an unknown
// tag is an error; without, tags are collected, O first. Entities that begin with I, as in the
// original files of 2003, are read as beginning with B. Throws ErrorCode::bad_data naming file and
// line.
TaggedDataset load_tagged(std::string_view spec, const std::filesystem::path& data_dir,
                          const std::vector<std::string>* labels = nullptr,
                          uint64_t max_memory = 0);

// Rows with a tag at the first piece of every word. A sentence that does not fit becomes several
// rows of one group, cut between words.
EncodedDataset encode_tagged(const TaggedDataset& dataset, const Tokenizer& tokenizer,
                             int max_tokens);

}  // namespace headroom
