#include "data/sources.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "data/catalog/known_rows.h"
#include "data/formats/json_lines.h"
#include "data/formats/tree_rows.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

void read_json_rows(const fs::path& path, bool label_needed, const RowSink& sink) {
  InputStream input(path);
  JsonLinesReader reader(input);
  JsonRow json;
  while (reader.next(json)) {
    const RowOrigin origin = {input.name(), reader.line()};
    RawRow row;
    row.text = std::move(json.text);
    row.has_pair = json.text_pair.has_value();
    row.text_pair = json.text_pair.value_or("");
    row.has_label = json.label.has_value() || json.labels.has_value();
    if (label_needed && !row.has_label) fail_row(origin, "the object has no \"label\"");
    row.label = json.label.value_or("");
    row.has_list = json.labels.has_value();
    if (row.has_list) row.labels = std::move(*json.labels);
    row.has_negative = json.negative.has_value();
    row.negative = json.negative.value_or("");
    sink(row, origin);
  }
}

// Classes of a text or of a pair are the same kind of rows, and so are numbers of pairs and
// pairs with a number.
bool same_rows(Task a, Task b) {
  const auto scored = [](Task task) { return task == Task::embed || task == Task::regress; };
  return a == b || (classifies_text(a) && classifies_text(b)) || (scored(a) && scored(b));
}

}  // namespace

void refuse_source(const DataSource& source, std::string_view why) {
  throw Error(ErrorCode::usage, "load data", fmt::format("{} {}", source.spelled, why));
}

void fail_empty(const DataSource& source) {
  throw Error(ErrorCode::bad_data, "load data",
              fmt::format("{} has no rows; is the file empty, or only a header?", source.spelled));
}

FoundPart part_for(const DataSource& source, const fs::path& data_dir, Task task) {
  const CatalogEntry& entry = *find_entry(source.name);
  if (!same_rows(entry.task, task)) {
    refuse_source(
        source,
        classifies_text(task)
            ? fmt::format("is for --task {}: it holds no labelled texts", task_name(entry.task))
            : fmt::format("is for --task {}, not {}", task_name(entry.task), task_name(task)));
  }
  return require_part(entry, data_dir, source.part);
}

std::string read_source(const DataSource& source, const fs::path& data_dir, Task task, RowUse use,
                        LabelList& labels, const RowSink& sink) {
  switch (source.kind) {
    case SourceKind::csv:
      return read_column_rows(source.paths[0], DelimitedFormat::csv, source.columns, sink, use);
    case SourceKind::tsv:
      return read_column_rows(source.paths[0], DelimitedFormat::tsv, source.columns, sink, use);
    case SourceKind::jsonl:
      read_json_rows(source.paths[0], use == RowUse::learn, sink);
      return {};
    case SourceKind::imdb:
      read_tree_rows(source.paths[0],
                     {std::string(part_name(source.part)), {"neg", "pos"}, ".txt", false}, sink);
      return {};
    case SourceKind::named: {
      const FoundPart found = part_for(source, data_dir, task);
      labels.prefer(known_labels(found));
      read_known_rows(found, sink);
      return {};
    }
    case SourceKind::synthetic:
      refuse_source(source, "is made, not loaded; it is for --task synthetic");
    case SourceKind::idx:
    case SourceKind::cifar:
      refuse_source(source, "holds images, for --task image");
    case SourceKind::parallel:
      refuse_source(source, "holds translations, for --task translate");
    case SourceKind::text:
      refuse_source(source, "holds text without labels, for --task lm");
    case SourceKind::conll:
      refuse_source(source, "holds tagged words, for --task tag");
    case SourceKind::qrels:
      refuse_source(source, "holds judged passages, for --task rerank");
  }
  return {};
}

std::vector<std::string> read_texts(const DataSpec& spec, const fs::path& data_dir, Task task,
                                    const RowSink& sink) {
  const RowUse use = traits(task).pairs ? RowUse::answer_pairs : RowUse::answer;
  LabelList labels(nullptr);
  std::vector<std::string> columns;
  for (const DataSource& source : spec.sources) {
    std::string names = read_source(source, data_dir, task, use, labels, sink);
    if (!names.empty()) columns.push_back(fmt::format("{}: {}", source.paths[0], names));
  }
  return columns;
}

}  // namespace headroom
