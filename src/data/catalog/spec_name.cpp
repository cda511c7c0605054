#include "data/catalog/spec_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/join.h"
#include "data/catalog/spec.h"

namespace headroom {
namespace {

std::string without_folder(const std::filesystem::path& path) {
  const bool ends_with_slash = path.filename().empty();
  return (ends_with_slash ? path.parent_path() : path).filename().string();
}

std::string source_name(const DataSource& source) {
  if (source.paths.empty()) return source.spelled;  // a known name, or synthetic
  std::vector<std::string> files;
  for (const std::string& path : source.paths) files.push_back(without_folder(path));
  const size_t options = std::min(source.spelled.rfind('?'), source.spelled.size());
  return fmt::format("{}:{}{}", source_table.name(source.kind), join(files, ","),
                     source.spelled.substr(options));
}

}  // namespace

std::string data_name(std::string_view spec) {
  std::vector<std::string> names;
  for (const DataSource& source : parse_data_spec(spec).sources) {
    names.push_back(source_name(source));
  }
  return join(names, "+");
}

}  // namespace headroom
