#include "checkpoint/hf/folder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files/file.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

constexpr uint64_t json_limit = 16ULL << 20;  // the largest config.json of a legal model is smaller

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read Hugging Face folder", message);
}

}  // namespace

HfFolder::HfFolder(const fs::path& path, FolderLinks links) : links_(links) {
  std::error_code error;
  root_ = fs::canonical(path, error);
  if (error || !fs::is_directory(root_, error)) {
    fail(
        fmt::format("{} is not a directory: a folder with config.json, model.safetensors and "
                    "vocab.txt is expected",
                    path.string()));
  }
}

bool HfFolder::has(const std::string& name) const {
  std::error_code error;
  return fs::exists(fs::symlink_status(root_ / name, error));
}

std::vector<std::string> HfFolder::names() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(root_, error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path HfFolder::file(const std::string& name) const {
  if (!has(name)) fail(fmt::format("{} is missing in {}", name, root_.string()));
  std::error_code error;
  fs::path real = fs::canonical(root_ / name, error);
  if (error) fail(fmt::format("{} leads nowhere ({})", name, error.message()));
  if (links_ == FolderLinks::inside && real.parent_path() != root_) {
    fail(
        fmt::format("{} is a link out of the folder. The Hugging Face cache keeps its files so: "
                    "if you trust the folder, import it with --follow-links",
                    name));
  }
  if (!fs::is_regular_file(real, error)) fail(fmt::format("{} is not a regular file", name));
  return real;
}

HfFolder HfFolder::folder(const std::string& name) const {
  std::error_code error;
  const fs::path real = fs::canonical(root_ / name, error);
  if (error || !fs::is_directory(real, error) || real.parent_path() != root_) {
    fail(fmt::format("{} is no folder inside {}", name, root_.string()));
  }
  return HfFolder(real);
}

std::string HfFolder::text(const std::string& name, uint64_t limit) const {
  return read_file(file(name), ErrorCode::bad_model, limit);
}

Json HfFolder::json(const std::string& name) const {
  return without_nulls(json_with_nulls(name));
}

Json HfFolder::json_with_nulls(const std::string& name) const {
  Json parsed = parse_json(text(name, json_limit), ErrorCode::bad_model, name);
  if (!parsed.is_object()) fail(fmt::format("{} is not a JSON object", name));
  return parsed;
}

Json HfFolder::list(const std::string& name) const {
  Json parsed = parse_json(text(name, json_limit), ErrorCode::bad_model, name);
  if (!parsed.is_array()) fail(fmt::format("{} is not a JSON array", name));
  return parsed;
}

}  // namespace headroom
