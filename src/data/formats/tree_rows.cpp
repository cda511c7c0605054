#include "data/formats/tree_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "data/input/tar_reader.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t max_text_bytes = uint64_t{16} << 20;

struct TreeFile {
  std::string label;
  std::string file;    // name within the label's folder
  std::string origin;  // for messages
  std::string text;
};

bool wanted(const TreeLayout& layout, const std::string& label, const std::string& file) {
  const bool known = layout.labels.empty() || std::find(layout.labels.begin(), layout.labels.end(),
                                                        label) != layout.labels.end();
  return known && !file.starts_with('.') && file.ends_with(layout.suffix);
}

std::vector<TreeFile> read_archive(const fs::path& path, const TreeLayout& layout) {
  InputStream input(path);
  TarReader archive(input);
  std::vector<TreeFile> files;
  TarEntry entry;
  while (archive.next(entry)) {
    if (entry.kind != TarEntryKind::file) continue;
    const fs::path name(entry.name);
    const std::string file = name.filename().string();
    const std::string label = name.parent_path().filename().string();
    const fs::path part = name.parent_path().parent_path().filename();
    if (part != layout.part_folder || !wanted(layout, label, file)) continue;
    files.push_back(
        {label, file, input.name() + " entry " + entry.name, archive.read_content(max_text_bytes)});
  }
  return files;
}

// The part's folder: below `path`, below its only-child folder as archives unpack, or `path`.
fs::path find_part_folder(const fs::path& path, const TreeLayout& layout) {
  if (fs::is_directory(path / layout.part_folder)) return path / layout.part_folder;
  if (fs::is_directory(path / "aclImdb" / layout.part_folder)) {
    return path / "aclImdb" / layout.part_folder;
  }
  return path;
}

std::vector<TreeFile> read_folder(const fs::path& path, const TreeLayout& layout) {
  std::vector<TreeFile> files;
  for (const auto& folder : fs::directory_iterator(find_part_folder(path, layout))) {
    if (!folder.is_directory()) continue;
    const std::string label = folder.path().filename().string();
    for (const auto& item : fs::directory_iterator(folder.path())) {
      const std::string file = item.path().filename().string();
      if (!item.is_regular_file() || !wanted(layout, label, file)) continue;
      files.push_back({label, file, item.path().string(),
                       read_file(item.path(), ErrorCode::bad_data, max_text_bytes)});
    }
  }
  return files;
}

std::vector<TreeFile> read_tree(const fs::path& path, const TreeLayout& layout) {
  try {
    return fs::is_directory(path) ? read_folder(path, layout) : read_archive(path, layout);
  } catch (const fs::filesystem_error& problem) {
    throw Error(ErrorCode::bad_data, "load data", problem.what());
  }
}

}  // namespace

void read_tree_rows(const fs::path& path, const TreeLayout& layout, const RowSink& sink) {
  std::vector<TreeFile> files = read_tree(path, layout);
  if (files.empty()) {
    throw Error(ErrorCode::bad_data, "load data",
                fmt::format("{} holds no files {}/LABEL/*{}; is it the right directory or archive?",
                            path.string(), layout.part_folder, layout.suffix));
  }
  std::sort(files.begin(), files.end(), [](const TreeFile& a, const TreeFile& b) {
    return std::tie(a.label, a.file) < std::tie(b.label, b.file);
  });
  RawRow row;
  for (TreeFile& file : files) {
    row.text = layout.latin1 ? latin1_to_utf8(file.text) : std::move(file.text);
    row.label = file.label;
    sink(row, {file.origin, 0});
  }
}

}  // namespace headroom
