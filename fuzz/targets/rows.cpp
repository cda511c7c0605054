// Rows of CSV, TSV and JSON lines: the first byte says which, and how columns are chosen.
#include "data/load.h"
#include "input.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

const Target rows_target("rows", [](std::string_view input) {
  Numbers numbers(input);
  DataSource source;
  constexpr SourceKind kinds[] = {SourceKind::csv, SourceKind::tsv, SourceKind::jsonl};
  source.kind = kinds[numbers.between(0, 2)];
  source.columns.header = numbers.flag();
  if (numbers.flag()) source.columns.label = "2";
  if (numbers.flag()) source.columns.text_pair = "3";
  const MemoryFile memory(numbers.rest());
  source.paths = {memory.path().string()};
  accepts({ErrorCode::bad_data, ErrorCode::usage}, [&] {
    const TextDataset dataset = read_text_dataset({{source}, "fuzzed rows"}, ".");
    for (const TextRow& row : dataset.rows) {
      require(row.label >= 0 && static_cast<size_t>(row.label) < dataset.labels.size(),
              "a row's label is in the list");
    }
  });
});

}  // namespace
}  // namespace headroom::fuzz
