#include "data/unlabelled.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/join.h"
#include "base/memory_allowance.h"
#include "data/formats/json_lines.h"
#include "data/formats/tagged.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "data/sources.h"
#include "data/targets.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

// Takes texts as they come.
class Collector {
 public:
  Collector(Task task, uint64_t max_memory)
      : task_(task), memory_(max_memory, "load texts", "texts") {}

  void take(UnlabelledText text, const std::string& origin) {
    for (const std::string* part : {&text.text, text.pair ? &*text.pair : &text.text}) {
      if (find_invalid_utf8(*part)) require_utf8(*part, "load texts", origin);
    }
    if (task_ == Task::embed && text.pair) {
      take({std::move(*text.pair)}, origin);
      text.pair.reset();
    }
    if (traits(task_).pairs && !text.pair) {
      throw Error(ErrorCode::bad_data, "load texts",
                  fmt::format("{}: one text, but this model reads two: separate them by a tab, or "
                              "name both columns, FILE.csv?text=COLUMN&text_pair=COLUMN",
                              origin));
    }
    if (is_blank(text.text)) {
      ++found.blank;
      return;
    }
    const uint64_t bytes =
        sizeof(text) + heap_bytes(text.text) + heap_bytes(text.pair.value_or(""));
    if (!memory_.take(bytes)) memory_.fail(origin);
    found.texts.push_back(std::move(text));
  }

  UnlabelledTexts found;

 private:
  Task task_;
  MemoryAllowance memory_;
};

void read_lines(const std::string& file, Task task, Collector& collector) {
  InputStream input(file);
  LineReader reader(input);
  for (std::string line; reader.next(line);) {
    const size_t tab = traits(task).pairs ? line.find('\t') : line.npos;
    UnlabelledText text{line.substr(0, tab)};
    if (tab != line.npos) text.pair = line.substr(tab + 1);
    collector.take(std::move(text), RowOrigin{file, reader.line_number()}.describe());
  }
}

void read_rows(const DataSpec& spec, const fs::path& data_dir, Task task, Collector& collector) {
  const SourceKind kind = spec.sources.front().kind;
  if (task == Task::tag && (kind == SourceKind::conll || kind == SourceKind::named)) {
    for (const TaggedSentence& sentence : load_tagged(spec.spelled, data_dir).sentences) {
      collector.take({join(sentence.words, " ")}, spec.spelled);
    }
  } else if (task == Task::rerank && (kind == SourceKind::qrels || kind == SourceKind::named)) {
    for (TargetRow& row : load_targets(spec.spelled, data_dir, task, TargetUse::train).rows) {
      collector.take({std::move(row.texts[0]), std::move(row.texts[1])}, spec.spelled);
    }
  } else {
    read_texts(spec, data_dir, task, [&](RawRow& row, const RowOrigin& origin) {
      UnlabelledText text{std::move(row.text)};
      if (row.has_pair) text.pair = std::move(row.text_pair);
      collector.take(std::move(text), origin.describe());
    });
  }
}

// The first of equal texts stays: one that is set aside must not be among those that train.
void drop_repeated(UnlabelledTexts& all) {
  std::vector<size_t> order(all.texts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return all.texts[a] < all.texts[b]; });
  std::vector<bool> repeated(order.size());
  for (size_t i = 1; i < order.size(); ++i) {
    repeated[order[i]] = all.texts[order[i]] == all.texts[order[i - 1]];
  }
  size_t kept = 0;
  for (size_t i = 0; i < all.texts.size(); ++i) {
    if (repeated[i]) continue;
    if (kept != i) all.texts[kept] = std::move(all.texts[i]);
    ++kept;
  }
  all.repeated = static_cast<int64_t>(all.texts.size() - kept);
  all.texts.resize(kept);
}

void append_tagged(const std::string& text, const Tokenizer& tokenizer, int max_tokens,
                   EncodedDataset& rows) {
  const std::vector<int32_t> frame = tokenizer.frame({});
  const auto lead = static_cast<std::ptrdiff_t>(
      std::find(frame.begin(), frame.end(), tokenizer.vocabulary().sep_id()) - frame.begin());
  const Tokens all = tokenizer.typed_pieces(text);
  const std::vector<int32_t>& pieces = all.ids;
  const size_t room = tokenizer.room(max_tokens);
  for (size_t begin = 0; begin < pieces.size(); begin += room) {
    const size_t count = std::min(room, pieces.size() - begin);
    rows.append(tokenizer.frame(std::span(pieces).subspan(begin, count)), 0);
    const size_t first = rows.tags.size();
    rows.tags.resize(rows.tokens.size(), EncodedDataset::no_tag);
    std::fill_n(rows.tags.begin() + static_cast<std::ptrdiff_t>(first) + lead, count, 0);
    if (all.types.empty()) continue;
    rows.types.resize(rows.tokens.size(), 0);
    std::copy_n(all.types.begin() + static_cast<std::ptrdiff_t>(begin), count,
                rows.types.begin() + static_cast<std::ptrdiff_t>(first) + lead);
  }
}

// Rows have types where one of them is a pair.
void append_text(const Text& text, const Tokenizer& tokenizer, int max_tokens,
                 EncodedDataset& rows) {
  const Tokens tokens = tokenizer.tokens(text, max_tokens);
  if (!tokens.types.empty()) rows.types.resize(rows.tokens.size(), 0);
  rows.append(tokens.ids, 0);
  rows.types.insert(rows.types.end(), tokens.types.begin(), tokens.types.end());
}

}  // namespace

UnlabelledTexts load_unlabelled(const std::string& source, const fs::path& data_dir, Task task,
                                uint64_t max_memory) {
  Collector collector(task, max_memory);
  const bool is_file = source == "-" || fs::exists(source);
  const DataSpec spec = is_data_spec(source) ? parse_data_spec(source) : DataSpec{};
  if (spec.sources.empty() || (is_file && spec.sources[0].paths != std::vector{source})) {
    read_lines(source, task, collector);
  } else if (spec.sources.size() == 1 && spec.sources[0].kind == SourceKind::text) {
    read_lines(spec.sources[0].paths[0], task, collector);
  } else {
    read_rows(spec, data_dir, task, collector);
  }
  UnlabelledTexts all = std::move(collector.found);
  all.name = source;
  drop_repeated(all);
  return all;
}

EncodedDataset encode_unlabelled(const UnlabelledTexts& all, std::span<const int32_t> numbers,
                                 Task task, const Tokenizer& tokenizer, int max_tokens,
                                 const std::string& prompt) {
  EncodedDataset rows;
  for (const int32_t number : numbers) {
    const UnlabelledText& each = all.texts[static_cast<size_t>(number)];
    const std::string text = prompt + each.text;
    if (task == Task::tag) {
      append_tagged(text, tokenizer, max_tokens, rows);
    } else {
      append_text({text, each.pair}, tokenizer, max_tokens, rows);
    }
  }
  if (!rows.types.empty()) rows.types.resize(rows.tokens.size(), 0);
  return rows;
}

}  // namespace headroom
