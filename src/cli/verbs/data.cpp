// headroom data: which data sets are known and present, and what a file really holds.
#include <fmt/format.h>

#include <algorithm>

#include "base/counted.h"
#include "base/join.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "data/catalog/catalog.h"
#include "data/catalog/check.h"

namespace headroom {
namespace {

void list_sets(const std::string& data_dir, bool json) {
  Table table{{"name", "task", "train", "validation", "test", "about"}, {}};
  for (const CatalogEntry& entry : catalog()) {
    Json line = {{"name", entry.name},
                 {"task", task_name(entry.task)},
                 {"about", entry.description},
                 {"licence", entry.licence},
                 {"present", Json::object()}};
    std::vector<std::string> row = {entry.name, std::string(task_name(entry.task))};
    for (const DataPart part : {DataPart::train, DataPart::validation, DataPart::test}) {
      const auto found = find_part(entry, data_dir, part);
      row.push_back(!found                  ? "-"
                    : found->part->rows > 0 ? fmt::format("{}", found->part->rows)
                                            : "yes");
      line["present"][std::string(part_name(part))] = found.has_value();
    }
    row.push_back(entry.description);
    table.rows.push_back(row);
    if (json) print_json_line(line);
  }
  if (!json) {
    fmt::print("data directory: {}\n\n", data_dir);
    print_table(table);
  }
}

// A label seen once is a typing error, a header or a text in the wrong column; none can be learnt.
void warn_of_lonely_labels(const DataSummary& summary) {
  std::vector<std::string> once;
  for (const ClassSummary& label : summary.classes) {
    if (label.rows == 1) once.push_back(label.label);
  }
  if (once.empty()) return;
  constexpr size_t shown = 5;
  const std::string more =
      once.size() > shown ? fmt::format(" and {} more", once.size() - shown) : "";
  once.resize(std::min(once.size(), shown));
  fmt::print("\nonly one row each: {}{}; is the label column the right one (?label=COLUMN)?\n",
             join(once, ", "), more);
}

void check(const std::string& spec, const std::string& data_dir, bool json) {
  const DataSummary summary = check_data(parse_data_spec(spec), data_dir);
  if (json) {
    Json line = {{"name", summary.name},           {"rows", summary.rows},
                 {"pairs", summary.pairs},         {"bytes", summary.text_bytes},
                 {"min_words", summary.min_words}, {"mean_words", summary.mean_words},
                 {"max_words", summary.max_words}, {"duplicates", summary.duplicates},
                 {"empty", summary.empty},         {"as_expected", summary.as_expected()},
                 {"labels", Json::object()}};
    for (const ClassSummary& label : summary.classes) line["labels"][label.label] = label.rows;
    print_json_line(line);
  } else {
    fmt::print("{}: {}, {}, {} of text\n", summary.name, counted(summary.rows, "row"),
               counted(summary.classes.size(), "label"), counted(summary.text_bytes, "byte"));
    for (const std::string& columns : summary.columns) fmt::print("columns: {}\n", columns);
    fmt::print("words per row: {} to {}, {:.1f} on average; {} repeated rows, {} empty\n\n",
               summary.min_words, summary.max_words, summary.mean_words, summary.duplicates,
               summary.empty);
    const bool known = summary.expected_classes.has_value();
    Table table{{"label", "rows"}, {}};
    if (known) table.header.push_back("expected");
    for (const ClassSummary& label : summary.classes) {
      table.rows.push_back({label.label, fmt::format("{}", label.rows)});
      if (known) {
        table.rows.back().push_back(label.expected ? fmt::format("{}", *label.expected) : "-");
      }
    }
    print_table(table);
    warn_of_lonely_labels(summary);
  }
  if (!summary.as_expected()) {
    throw Error(ErrorCode::bad_data, "check data",
                fmt::format("{} does not have the published row counts: an incomplete download?",
                            summary.name));
  }
}

}  // namespace

int run_data(int argc, char** argv) {
  CLI::App app("Lists known data sets and checks files.", "headroom data");
  app.require_subcommand(1);
  std::string data_dir = default_data_dir();
  app.add_option("--data-dir", data_dir, "where data sets lie");
  CLI::App* list = app.add_subcommand("list", "known data sets, and which parts are there");
  CLI::App* one = app.add_subcommand("check", "rows, labels and lengths of a data SPEC");
  CLI::App* get = app.add_subcommand("get", "where to get a known data set");
  std::string spec;
  one->add_option("SPEC", spec, "csv:FILE, tsv:FILE, jsonl:FILE, imdb:DIR, or a known name")
      ->required();
  get->add_option("NAME", spec, "a known name")->required();
  for (CLI::App* sub : {list, one, get}) sub->fallthrough();
  return run_app(app, argc, argv, [&](bool json) {
    if (*list) list_sets(data_dir, json);
    if (*one) check(spec, data_dir, json);
    if (*get) {
      const CatalogEntry* entry = find_entry(spec);
      if (entry == nullptr) {
        throw Error(ErrorCode::usage, "get data",
                    fmt::format("\"{}\" is not a known name: {}", spec, known_names()));
      }
      throw Error(ErrorCode::usage, "get data",
                  fmt::format("this version downloads nothing: get {} from {} and put it under {} "
                              "(--data-dir, HEADROOM_DATA), as {}",
                              entry->name, entry->home, data_dir,
                              entry->layouts.back().parts.front().files.front()));
    }
  });
}

}  // namespace headroom
