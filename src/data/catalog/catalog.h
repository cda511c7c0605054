// The data sets that headroom knows by name: what they are for, where their files lie (as in
// prepared subset or as originally downloaded) and how many rows they must have.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "data/dataset.h"

namespace headroom {

// How the files of a set are written.
enum class FileFormat {
  class_csv,       // CSV without header: class number, text fields; names in a classes file
  banking_csv,     // CSV with header: text, category
  review_tree,     // imdb: folders PART/LABEL/*.txt, as a directory or a tar
  newsgroup_tree,  // folders 20news-bydate-PART/LABEL/ID, latin-1, as a directory or a tar
  sick_tsv,        // TSV with header: pair_ID, sentence_A, sentence_B, score, judgment
  parallel_pairs,  // three line-parallel files: first sentence, second sentence, label
  snli_json,       // JSON lines: sentence1, sentence2, gold_label ("-" rows are left out)
  label_files,     // one file a class, one text a line
  scored_tsv,  // stsb: TSV without header, quotes are plain: score and sentences in columns 5 to 7
  label_ids_tsv,  // goemotions: text, label numbers with commas, id; names in a classes file
  // Not rows of text, and read elsewhere:
  conll_columns,  // a word a line with its columns, the tag last
  trec_xml,       // three files: judgements, queries, documents
  idx_images,     // two files: images, labels
  cifar_images,   // files of label bytes and pixels
  plain_text,     // running text
  split_text,     // running text that is its own validation part: the last tenth
  parallel_text,  // two line-parallel files: source, target
};

struct PartLayout {
  DataPart part = DataPart::train;
  std::vector<std::string> files;   // relative to the data directory; each also found as FILE.gz
  int64_t rows = 0;                 // expected; 0 when unknown
  std::vector<int64_t> class_rows;  // expected rows of each label, in label order; may be empty
};

struct DataLayout {
  std::string title;  // "prepared subset" or "original download"
  FileFormat format = FileFormat::class_csv;
  std::vector<PartLayout> parts;
  std::string classes_file;         // class_csv, label_ids_tsv: names, one a line
  int first_class = 1;              // class_csv: the number of the first name
  std::vector<std::string> labels;  // when the format fixes them (label_files: one a file)
};

struct CatalogEntry {
  std::string name;
  Task task = Task::classify;
  std::string description;
  std::string licence;
  std::vector<DataLayout> layouts;  // the first one that is complete wins
  std::string home;                 // the page where it can be had
};

const std::vector<CatalogEntry>& catalog();
const CatalogEntry* find_entry(std::string_view name);  // null when unknown
std::string known_names();                              // "agnews, dbpedia, ..."

// A part of a set whose files are all there.
struct FoundPart {
  const CatalogEntry* entry = nullptr;
  const DataLayout* layout = nullptr;
  const PartLayout* part = nullptr;
  std::vector<std::filesystem::path> files;
  std::filesystem::path classes_file;  // empty when the layout has none
};

std::optional<FoundPart> find_part(const CatalogEntry& entry, const std::filesystem::path& data_dir,
                                   DataPart part);

// As find_part, but throws: ErrorCode::usage when the set has no such part, ErrorCode::bad_data
// when its files are not under `data_dir`, naming those that were looked for.
FoundPart require_part(const CatalogEntry& entry, const std::filesystem::path& data_dir,
                       DataPart part);

}  // namespace headroom
