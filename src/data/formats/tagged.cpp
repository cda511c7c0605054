#include "data/formats/tagged.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "base/error.h"
#include "base/measure/entity_f1.h"
#include "base/memory_allowance.h"
#include "data/formats/json_lines.h"
#include "data/label_list.h"
#include "data/sources.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

struct RawSentence {
  std::vector<std::string> words;
  std::vector<std::string> tags;
};
using SentenceSink = std::function<void(RawSentence& sentence, const RowOrigin& origin)>;

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> columns;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return columns;
    line.remove_prefix(begin);
    columns.push_back(line.substr(0, line.find_first_of(" \t")));
    line.remove_prefix(columns.back().size());
  }
}

// `tag_column` from 1; 0: the last.
void read_conll(const fs::path& path, int tag_column, const SentenceSink& sink) {
  InputStream input(path);
  LineReader lines(input);
  RawSentence sentence;
  int64_t first_line = 0;
  const auto finish = [&] {
    if (!sentence.words.empty()) sink(sentence, {input.name(), first_line});
    sentence = {};
  };
  for (std::string line; lines.next(line);) {
    const RowOrigin origin = {input.name(), lines.line_number()};
    const std::vector<std::string_view> columns = columns_of(line);
    if (columns.empty()) {
      finish();
      continue;
    }
    if (columns[0] == "-DOCSTART-") continue;  // the empty line behind it ends nothing
    const size_t tag = tag_column > 0 ? static_cast<size_t>(tag_column) : columns.size();
    if (columns.size() < 2 || tag > columns.size()) {
      fail_row(origin, fmt::format("found {} columns, expected a word and its tag{}; columns are "
                                   "separated by blanks or tabs",
                                   columns.size(),
                                   tag_column > 0 ? fmt::format(" in column {}", tag_column) : ""));
    }
    if (find_invalid_utf8(line)) require_utf8(line, "load data", origin.describe());
    if (sentence.words.empty()) first_line = lines.line_number();
    sentence.words.emplace_back(columns[0]);
    sentence.tags.emplace_back(columns[tag - 1]);
  }
  finish();
}

std::vector<std::string> list_of(const JsonFields& fields, const char* key) {
  std::vector<std::string> values;
  for (const Json& value : fields.array(key)) {
    if (!value.is_string()) fields.fail(key, "must be a list of strings");
    values.push_back(value.get<std::string>());
  }
  return values;
}

void read_json_sentences(const fs::path& path, const SentenceSink& sink) {
  InputStream input(path);
  LineReader lines(input);
  for (std::string line; lines.next(line);) {
    if (is_blank(line)) continue;
    const RowOrigin origin = {input.name(), lines.line_number()};
    const Json object = parse_json(line, ErrorCode::bad_data, origin.describe());
    const JsonFields fields(object, ErrorCode::bad_data, origin.describe());
    RawSentence sentence = {list_of(fields, "tokens"), list_of(fields, "tags")};
    if (sentence.words.size() != sentence.tags.size()) {
      fail_row(origin,
               fmt::format("{} tokens but {} tags", sentence.words.size(), sentence.tags.size()));
    }
    if (!sentence.words.empty()) sink(sentence, origin);
  }
}

void read_sentences(const DataSource& source, const fs::path& data_dir, const SentenceSink& sink) {
  if (source.kind == SourceKind::conll) {
    read_conll(source.paths[0], source.tag_column, sink);
  } else if (source.kind == SourceKind::jsonl) {
    read_json_sentences(source.paths[0], sink);
  } else if (source.kind == SourceKind::named) {
    read_conll(part_for(source, data_dir, Task::tag).files[0], 0, sink);
  } else {
    refuse_source(source, "holds no tagged words: --task tag reads conll:FILE or jsonl:FILE");
  }
}

uint64_t memory_of(const TaggedSentence& sentence) {
  uint64_t bytes = sizeof(TaggedSentence) + sentence.words.size() * sizeof(int32_t);
  for (const std::string& word : sentence.words) bytes += sizeof(word) + heap_bytes(word);
  return bytes;
}

// [CLS] pieces [SEP] with tags at first pieces, one row of the group.
class RowBuilder {
 public:
  RowBuilder(const Tokenizer& tokenizer, int max_tokens, EncodedDataset& rows)
      : tokenizer_(tokenizer), rows_(rows), room_(tokenizer.room(max_tokens)) {
    const std::vector<int32_t> frame = tokenizer.frame({});
    lead_ = static_cast<size_t>(
        std::find(frame.begin(), frame.end(), tokenizer.vocabulary().sep_id()) - frame.begin());
  }

  void add(const TaggedSentence& sentence, int32_t group) {
    for (size_t i = 0; i < sentence.words.size(); ++i) {
      // Behind a blank, as in a text: some tokenizers have other pieces there.
      Tokens typed = tokenizer_.typed_pieces((i > 0 ? " " : "") + sentence.words[i]);
      std::vector<int32_t>& word = typed.ids;
      if (word.empty()) word = {tokenizer_.vocabulary().unknown_id()};  // of invisible characters
      if (word.size() > room_) word.resize(room_);
      if (pieces_.size() + word.size() > room_) finish(group);
      tags_.push_back(sentence.tags[i]);
      tags_.resize(tags_.size() + word.size() - 1, EncodedDataset::no_tag);
      pieces_.insert(pieces_.end(), word.begin(), word.end());
      if (!tokenizer_.letter_case()) continue;
      typed.types.resize(word.size(), 0);
      types_.insert(types_.end(), typed.types.begin(), typed.types.end());
    }
    finish(group);
  }

 private:
  void finish(int32_t group) {
    if (pieces_.empty()) return;
    const std::vector<int32_t> ids = tokenizer_.frame(pieces_);
    rows_.append(ids, 0);
    const size_t begin = rows_.tags.size();
    rows_.tags.resize(rows_.tokens.size(), EncodedDataset::no_tag);
    std::copy(tags_.begin(), tags_.end(),
              rows_.tags.begin() + static_cast<std::ptrdiff_t>(begin + lead_));
    if (tokenizer_.letter_case()) {
      rows_.types.resize(rows_.tokens.size(), 0);
      std::copy(types_.begin(), types_.end(),
                rows_.types.begin() + static_cast<std::ptrdiff_t>(begin + lead_));
      types_.clear();
    }
    rows_.groups.push_back(group);
    pieces_.clear();
    tags_.clear();
  }

  const Tokenizer& tokenizer_;
  EncodedDataset& rows_;
  size_t room_;
  size_t lead_ = 0;  // special tokens in front
  std::vector<int32_t> pieces_;
  std::vector<int32_t> tags_;
  std::vector<int32_t> types_;  // where they tell the letter case
};

}  // namespace

TaggedDataset load_tagged(std::string_view spec, const fs::path& data_dir,
                          const std::vector<std::string>* labels, uint64_t max_memory) {
  const DataSpec parsed = parse_data_spec(spec);
  TaggedDataset dataset;
  dataset.name = parsed.spelled;
  LabelList list(labels);
  if (labels == nullptr) list.prefer({"O"});
  MemoryAllowance memory(max_memory, "load data", "rows");
  for (const DataSource& source : parsed.sources) {
    const size_t before = dataset.sentences.size();
    read_sentences(source, data_dir, [&](RawSentence& raw, const RowOrigin& origin) {
      begin_entities_with_b(raw.tags);
      TaggedSentence sentence = {std::move(raw.words), {}};
      for (const std::string& tag : raw.tags) sentence.tags.push_back(list.number(tag, origin));
      if (!memory.take(memory_of(sentence))) memory.fail(origin.describe());
      dataset.sentences.push_back(std::move(sentence));
    });
    if (dataset.sentences.size() == before) fail_empty(source);
  }
  LabelList::Order order = list.finish();
  dataset.labels = std::move(order.labels);
  for (TaggedSentence& sentence : dataset.sentences) {
    for (int32_t& tag : sentence.tags) tag = order.renumber[static_cast<size_t>(tag)];
  }
  if (labels == nullptr && dataset.labels.size() < 2) {
    throw Error(ErrorCode::bad_data, "load data",
                fmt::format("every word of {} has the tag {}; is the tag in another column "
                            "(conll:FILE?tag=N)?",
                            dataset.name, dataset.labels[0]));
  }
  return dataset;
}

EncodedDataset encode_tagged(const TaggedDataset& dataset, const Tokenizer& tokenizer,
                             int max_tokens) {
  EncodedDataset rows;
  RowBuilder builder(tokenizer, max_tokens, rows);
  int32_t group = 0;
  for (const TaggedSentence& sentence : dataset.sentences) builder.add(sentence, group++);
  return rows;
}

}  // namespace headroom
