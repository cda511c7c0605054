// Judged passages: which documents answer which query, as TREC writes it (query, 0, document,
// grade), with the queries and documents beside it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace headroom {

struct NamedText {
  std::string id;
  std::string text;
};

struct JudgedCollection {
  std::vector<NamedText> queries;
  std::vector<NamedText> documents;
  // By numbers of queries and documents; grades above 0 are relevant.
  std::vector<std::map<int32_t, double>> grades;
};

// Queries and documents are TSV (id, text) or, where a line starts with "{", JSON lines with "id"
// or "_id", "text" and possibly "title". Throws ErrorCode::bad_data naming file and line.
JudgedCollection read_judged(const std::filesystem::path& judgements,
                             const std::filesystem::path& queries,
                             const std::filesystem::path& documents);

// Cranfield as TREC's XML; its judgements count queries from 1 in the file's order.
JudgedCollection read_cranfield(const std::filesystem::path& judgements,
                                const std::filesystem::path& queries,
                                const std::filesystem::path& documents);

}  // namespace headroom
