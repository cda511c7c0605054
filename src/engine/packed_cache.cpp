#include "engine/packed_cache.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "base/version.h"
#include "checkpoint/tensors/checksum.h"

namespace headroom {
namespace fs = std::filesystem;
namespace {

uint64_t hash_of(std::string_view text) {
  Xxh64 hash;
  hash.update(std::as_bytes(std::span(text.data(), text.size())));
  return hash.digest();
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& fact) {
  throw Error(ErrorCode::usage, "open cache of packed weights",
              fmt::format("{}: {}", folder.string(), fact));
}

void require_own_folder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    refuse(folder, fmt::format("cannot be made: {}", std::strerror(errno)));
  }
  struct stat status = {};
  if (::stat(folder.c_str(), &status) != 0) refuse(folder, std::strerror(errno));
  if (!S_ISDIR(status.st_mode)) refuse(folder, "is not a folder");
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    refuse(folder, "belongs to somebody else, who could exchange weights: name one of yours");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    refuse(folder, "others may write to it and exchange weights: name one of yours, or chmod go-w");
  }
}

uint64_t in_nanoseconds(const struct timespec& time) {
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(time.tv_nsec);
}

// None: there is no such file, which packing says in its own words.
std::optional<PackedIdentity> identity_of(const fs::path& safetensors, uint64_t settings) {
  struct stat status = {};
  if (::lstat(safetensors.c_str(), &status) != 0) return {};
  PackedIdentity identity;
  identity.settings = settings;
  identity.device = status.st_dev;
  identity.inode = status.st_ino;
  identity.size = static_cast<uint64_t>(status.st_size);
  identity.modified = in_nanoseconds(status.st_mtim);
  identity.changed = in_nanoseconds(status.st_ctim);
  return identity;
}

// Times of files advance in steps: what is written in the step of the last change goes unnoticed.
void wait_for_next_step(uint64_t changed) {
  using namespace std::chrono;
  constexpr nanoseconds::rep step = 20'000'000;  // of ext4, xfs, btrfs and tmpfs: up to 10 ms
  const auto now = duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
  const nanoseconds::rep age = now - static_cast<nanoseconds::rep>(changed);
  if (age >= 0 && age < step) std::this_thread::sleep_for(nanoseconds(step - age));
}

// Two models never share a name for long, and a model that changes replaces its own file.
std::string file_name(const fs::path& safetensors, Precision precision, Isa isa) {
  return fmt::format("{:016x}-{}-{}.packed", hash_of(fs::absolute(safetensors).string()),
                     precision_table.name(precision), isa_name(isa));
}

}  // namespace

CachedWeights load_cached_weights(const fs::path& folder, const fs::path& safetensors,
                                  const ModelConfig& config, Precision precision,
                                  const Kernels& kernels) {
  require_own_folder(folder);
  const uint64_t settings =
      hash_of(fmt::format("{} {} {} {}", version(), precision_table.name(precision),
                          isa_name(kernels.isa), config_to_json(config).dump()));
  const fs::path path = folder / file_name(safetensors, precision, kernels.isa);
  const std::optional<PackedIdentity> identity = identity_of(safetensors, settings);
  const auto map = [&] {
    return map_engine_weights(PackedFile(path, *identity), config, precision, kernels);
  };
  CachedWeights loaded;
  std::error_code ignored;
  if (identity && fs::exists(fs::symlink_status(path, ignored))) {
    try {
      return {map(), ""};
    } catch (const Error& error) {
      loaded.note = fmt::format("{}; packed again", error.what());
    }
  }
  loaded.weights = load_engine_weights(safetensors, config, precision, kernels);
  try {
    if (identity) wait_for_next_step(identity->changed);
    if (!identity || identity_of(safetensors, settings) != identity) {
      loaded.note = fmt::format("{} changed while it was packed: not kept in {}",
                                safetensors.string(), folder.string());
      return loaded;
    }
    write_packed_file(path, *identity, loaded.weights.memory.pieces());
    loaded.weights = map();  // which others share
  } catch (const Error& error) {
    loaded.note = fmt::format("packed weights are not kept: {}", error.what());
  }
  return loaded;
}

}  // namespace headroom
