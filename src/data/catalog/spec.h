// The Data SPEC of the command line, parsed: where rows come from and how to read them.
//   csv:FILE?header=1&label=COL&text=COL,COL&text_pair=COL   tsv:FILE   jsonl:FILE   rows.csv
//   conll:FILE?tag=4   qrels:JUDGEMENTS,QUERIES,DOCUMENTS?candidates=50
//   imdb:DIR-or-TAR?part=test
//   agnews   agnews:test   sick:validation   synthetic?tokens=128&decoys=6   A+B
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/enum_table.h"
#include "data/dataset.h"
#include "data/formats/column_rows.h"
#include "data/formats/synthetic.h"

namespace headroom {

enum class SourceKind {
  csv,
  tsv,
  jsonl,
  conll,
  qrels,
  imdb,
  idx,
  cifar,
  parallel,
  text,
  synthetic,
  named
};
inline constexpr auto source_table =
    enum_table<SourceKind>("data source", {{SourceKind::csv, "csv"},
                                           {SourceKind::tsv, "tsv"},
                                           {SourceKind::jsonl, "jsonl"},
                                           {SourceKind::conll, "conll"},
                                           {SourceKind::qrels, "qrels"},
                                           {SourceKind::imdb, "imdb"},
                                           {SourceKind::idx, "idx"},
                                           {SourceKind::cifar, "cifar"},
                                           {SourceKind::parallel, "parallel"},
                                           {SourceKind::text, "text"},
                                           {SourceKind::synthetic, "synthetic"},
                                           {SourceKind::named, "a known name"}});

struct DataSource {
  SourceKind kind = SourceKind::csv;
  std::vector<std::string> paths;   // one, or as many as the kind takes (idx: images, labels)
  ColumnChoice columns;             // csv and tsv
  std::string name;                 // named: the catalogue's name
  DataPart part = DataPart::train;  // named and imdb
  SyntheticTask synthetic;
  int tag_column = 0;   // conll: from 1; 0: the last
  int candidates = 50;  // qrels: passages that BM25 finds for a query
  std::string spelled;  // as the user wrote it, for messages
};

struct DataSpec {
  std::vector<DataSource> sources;  // at least one
  std::string spelled;
};

// Throws ErrorCode::usage saying what is wrong and what would be right. A "+" starts a new source
// only where a format or a known name follows it, so paths may contain one.
DataSpec parse_data_spec(std::string_view text);

// Whether it reads like one: a format or a known name in front, or a file whose suffix says how to
// read it.
bool is_data_spec(std::string_view text);

}  // namespace headroom
