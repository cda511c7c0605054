#include "data/catalog/catalog.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

// FILE or FILE.gz below the data directory; empty when neither is there.
fs::path find_file(const fs::path& data_dir, const std::string& file) {
  std::error_code ignored;
  for (const std::string& name : {file, file + ".gz"}) {
    if (fs::exists(data_dir / name, ignored)) return data_dir / name;
  }
  return {};
}

const PartLayout* part_of(const DataLayout& layout, DataPart part) {
  const auto found = std::find_if(layout.parts.begin(), layout.parts.end(),
                                  [&](const PartLayout& each) { return each.part == part; });
  return found == layout.parts.end() ? nullptr : &*found;
}

bool has_part(const CatalogEntry& entry, DataPart part) {
  return std::any_of(entry.layouts.begin(), entry.layouts.end(),
                     [&](const DataLayout& layout) { return part_of(layout, part) != nullptr; });
}

[[noreturn]] void fail_without_part(const CatalogEntry& entry, DataPart part) {
  const std::string advice = part == DataPart::validation
                                 ? "; training splits its own validation rows off the training part"
                                 : "";
  throw Error(ErrorCode::usage, "find data",
              fmt::format("{} has no {} part{}", entry.name, part_name(part), advice));
}

}  // namespace

const CatalogEntry* find_entry(std::string_view name) {
  const auto found = std::find_if(catalog().begin(), catalog().end(),
                                  [&](const CatalogEntry& entry) { return entry.name == name; });
  return found == catalog().end() ? nullptr : &*found;
}

std::string known_names() {
  std::vector<std::string_view> names;
  for (const CatalogEntry& entry : catalog()) names.emplace_back(entry.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<FoundPart> find_part(const CatalogEntry& entry, const fs::path& data_dir,
                                   DataPart part) {
  for (const DataLayout& layout : entry.layouts) {
    const PartLayout* wanted = part_of(layout, part);
    if (wanted == nullptr) continue;
    FoundPart found = {&entry, &layout, wanted, {}, {}};
    for (const std::string& file : wanted->files) {
      found.files.push_back(find_file(data_dir, file));
    }
    bool complete = std::none_of(found.files.begin(), found.files.end(),
                                 [](const fs::path& file) { return file.empty(); });
    if (!layout.classes_file.empty()) {
      found.classes_file = find_file(data_dir, layout.classes_file);
      complete = complete && !found.classes_file.empty();
    }
    if (complete) return found;
  }
  return std::nullopt;
}

FoundPart require_part(const CatalogEntry& entry, const fs::path& data_dir, DataPart part) {
  if (!has_part(entry, part)) fail_without_part(entry, part);
  if (data_dir.empty()) {
    throw Error(ErrorCode::usage, "find data",
                fmt::format("{} is a known data set, but no data directory was given; set "
                            "--data-dir or HEADROOM_DATA",
                            entry.name));
  }
  if (std::optional<FoundPart> found = find_part(entry, data_dir, part)) return *found;
  // The part may belong to a layout that is not the one the user has.
  const DataPart always_there = DataPart::train;
  const std::optional<FoundPart> other = find_part(entry, data_dir, always_there);
  if (other && part_of(*other->layout, part) == nullptr) fail_without_part(entry, part);
  std::vector<std::string> tried;
  for (const DataLayout& layout : entry.layouts) {
    const PartLayout* wanted = part_of(layout, part);
    if (wanted == nullptr) continue;
    std::vector<std::string> files = wanted->files;
    if (!layout.classes_file.empty()) files.push_back(layout.classes_file);
    tried.push_back(fmt::format("{}", fmt::join(files, " and ")));
  }
  throw Error(
      ErrorCode::usage, "find data",
      fmt::format("{} ({}) is not under {}; looked for {} (each also as .gz). --data-dir or "
                  "HEADROOM_DATA names the folder; {} has the set",
                  entry.name, part_name(part), data_dir.string(), fmt::join(tried, "; or "),
                  entry.home));
}

}  // namespace headroom
