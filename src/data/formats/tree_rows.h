// Rows of folder trees PART/LABEL/FILE, one text a file: IMDB's reviews and 20 Newsgroups. The tree
// may be a directory or a tar archive (gzip or not); both give the same rows in the same order.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/rows.h"

namespace headroom {

struct TreeLayout {
  std::string part_folder;          // "train", "20news-bydate-test"
  std::vector<std::string> labels;  // only these folders; empty: all
  std::string suffix;               // only these files: ".txt"; empty: all
  bool latin1 = false;              // texts are ISO 8859-1, to be converted
};

// `path` is an archive, a directory that holds PART, or PART itself. Rows come sorted by label and
// file name.
void read_tree_rows(const std::filesystem::path& path, const TreeLayout& layout,
                    const RowSink& sink);

}  // namespace headroom
