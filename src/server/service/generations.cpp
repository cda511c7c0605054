#include "server/service/generations.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace headroom::server {
namespace {

namespace fs = std::filesystem;

// What a checkpoint's files look like from outside: a change of any makes another model of it.
using Stamp = std::vector<std::tuple<std::string, uintmax_t, fs::file_time_type>>;

Stamp stamp_of(const fs::path& directory) {
  Stamp stamp;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;  // of a file that goes just now
    stamp.emplace_back(entry->path().filename().string(), fs::file_size(*entry, ignored),
                       fs::last_write_time(*entry, ignored));
  }
  std::sort(stamp.begin(), stamp.end());
  return stamp;
}

}  // namespace

struct Generations::Generation {
  std::vector<Source> sources;
  std::vector<Stamp> stamps;
  std::unique_ptr<Service> service;
  std::shared_ptr<void> in_use = std::make_shared<int>();

  // The model of a source that has not changed since; none otherwise.
  const ServedModel* find(const Source& source, const Stamp& stamp) const {
    for (size_t i = 0; i < sources.size(); ++i) {
      if (sources[i] == source && stamps[i] == stamp) return &service->models()[i];
    }
    return nullptr;
  }
};

Generations::Generations(Parts parts, const ServiceSettings& settings, ServiceObserver& observer)
    : parts_(std::move(parts)), settings_(settings), observer_(observer), current_(make(nullptr)) {}

Generations::~Generations() = default;

std::unique_ptr<Generations::Generation> Generations::make(const Generation* former) const {
  auto made = std::make_unique<Generation>();
  made->sources = parts_.list();
  std::vector<ServedModel> models;
  for (const Source& source : made->sources) {
    made->stamps.push_back(
        stamp_of(source.directory));  // before loading: a change during it counts
    const ServedModel* same =
        former == nullptr ? nullptr : former->find(source, made->stamps.back());
    models.push_back(same != nullptr ? *same : parts_.load(source));
  }
  const bool unchanged =
      former != nullptr && former->sources == made->sources && former->stamps == made->stamps;
  if (unchanged) return nullptr;
  made->service = std::make_unique<Service>(std::move(models), settings_, observer_);
  return made;
}

bool Generations::reload() {
  // Only this function replaces it, on one thread.
  std::unique_ptr<Generation> other = make(current_.get());
  if (!other) return false;
  {
    const std::lock_guard lock(mutex_);
    if (draining_) return false;
    std::swap(current_, other);
    parts_.publish(*current_->service, current_->in_use);
  }
  // Requests let go of it when they are answered, and none can take it any more.
  while (other->in_use.use_count() > 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::atomic_thread_fence(std::memory_order_acquire);
  return true;
}

void Generations::with_current(const std::function<void(Service& service)>& use) const {
  const std::lock_guard lock(mutex_);
  use(*current_->service);
}

void Generations::publish() const {
  const std::lock_guard lock(mutex_);
  parts_.publish(*current_->service, current_->in_use);
}

void Generations::begin_drain() {
  const std::lock_guard lock(mutex_);
  draining_ = true;
  current_->service->begin_drain();
}

std::vector<Generations::Source> models_in_folder(const fs::path& folder) {
  std::vector<Generations::Source> sources;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (!fs::exists(entry->path() / "config.json", ignored)) continue;
    sources.push_back({entry->path().filename().string(), entry->path()});
  }
  if (error) {
    throw Error(ErrorCode::usage, "read " + folder.string(), error.message());
  }
  std::sort(sources.begin(), sources.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return sources;
}

}  // namespace headroom::server
