#include "server/service/generations.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <thread>
#include <tuple>
#include <utility>

namespace headroom::server {
namespace {

namespace fs = std::filesystem;

// What a checkpoint's files look like from outside: a change of any makes another model of it.
using Stamp = std::vector<std::tuple<std::string, uintmax_t, fs::file_time_type>>;

Stamp stamp_of(const fs::path& directory) {
  Stamp stamp;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;  // of a file that goes just now
    stamp.emplace_back(entry->path().string(), fs::file_size(*entry, ignored),
                       fs::last_write_time(*entry, ignored));
  }
  std::sort(stamp.begin(), stamp.end());
  return stamp;
}

}  // namespace

struct Generations::Generation {
  ServingPlan plan;
  std::vector<Stamp> stamps;  // one a model
  std::unique_ptr<Service> service;

  // The model of a source that has not changed since; none otherwise.
  const ServedModel* find(const ModelSource& source, const Stamp& stamp) const {
    for (size_t i = 0; i < plan.models.size(); ++i) {
      if (plan.models[i] == source && stamps[i] == stamp) return &service->models()[i];
    }
    return nullptr;
  }
};

// Ends generations that nobody uses any more, on a thread of its own: the last to let go may be one
// of the generation's workers, which cannot wait for its own end.
class Generations::Undertaker {
 public:
  Undertaker() : thread_([this] { work(); }) {}
  ~Undertaker() { close(); }
  Undertaker(const Undertaker&) = delete;
  Undertaker& operator=(const Undertaker&) = delete;

  void take(std::unique_ptr<Generation> generation) {
    {
      const std::lock_guard lock(mutex_);
      if (!closed_) dead_.push_back(std::move(generation));
    }
    changed_.notify_one();
  }
  // Ends those it has. What comes later ends where it comes from.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return closed_ || !dead_.empty(); });
      if (dead_.empty()) return;
      auto ending = std::exchange(dead_, {});
      lock.unlock();
      ending.clear();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Generation>> dead_;
  bool closed_ = false;
  std::thread thread_;  // last: it sees the rest complete
};

Generations::Generations(Parts parts, const ServingPlan& plan, const ServiceSettings& settings,
                         ServiceObserver& observer)
    : parts_(std::move(parts)),
      settings_(settings),
      observer_(observer),
      undertaker_(std::make_shared<Undertaker>()),
      current_(make(plan, nullptr)),
      all_{current_} {}

Generations::~Generations() {
  current_.reset();
  undertaker_->close();
}

std::shared_ptr<Generations::Generation> Generations::make(const ServingPlan& plan,
                                                           const Generation* former) const {
  auto made = std::make_unique<Generation>();
  made->plan = plan;
  std::vector<ServedModel> beside;  // first those that stay, then those loaded before
  std::vector<const ServedModel*> same;
  for (const ModelSource& source : plan.models) {
    // Before loading: a change during it counts.
    made->stamps.push_back(stamp_of(source.directory));
    same.push_back(former == nullptr ? nullptr : former->find(source, made->stamps.back()));
    if (same.back() != nullptr) beside.push_back(*same.back());
  }
  std::vector<ServedModel> models;
  for (size_t i = 0; i < plan.models.size(); ++i) {
    if (same[i] != nullptr) {
      models.push_back(*same[i]);
    } else {
      models.push_back(parts_.load(plan.models[i], beside));
      beside.push_back(models.back());
    }
  }
  const bool same_models =
      former != nullptr && former->plan.models == plan.models && former->stamps == made->stamps;
  if (same_models) return nullptr;
  made->service = std::make_unique<Service>(std::move(models), settings_, observer_);
  made->service->set_routes(plan.routes);
  return {made.release(), [undertaker = undertaker_](Generation* ended) {
            undertaker->take(std::unique_ptr<Generation>(ended));
          }};
}

bool Generations::change(const NextPlan& next) {
  const std::lock_guard one_at_a_time(changing_);
  const std::shared_ptr<Generation> former = current();
  const ServingPlan plan = next(former->plan);
  std::shared_ptr<Generation> made = make(plan, former.get());
  if (!made && plan == former->plan) return false;
  const std::lock_guard lock(mutex_);
  if (draining_) return false;
  if (!made) {
    current_->plan = plan;
    current_->service->set_routes(plan.routes);
    return true;
  }
  std::erase_if(all_, [](const auto& generation) { return generation.expired(); });
  all_.push_back(made);
  current_ = std::move(made);
  parts_.publish(*current_->service, current_);
  return true;
}

ServingPlan Generations::plan() const {
  const std::lock_guard lock(mutex_);
  return current_->plan;
}

std::shared_ptr<Generations::Generation> Generations::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

std::vector<std::shared_ptr<Generations::Generation>> Generations::alive() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Generation>> generations;
  for (const auto& generation : all_) {
    if (auto one = generation.lock()) generations.push_back(std::move(one));
  }
  return generations;
}

void Generations::with_current(const std::function<void(Service& service)>& use) const {
  use(*current()->service);
}

void Generations::publish() const {
  const std::lock_guard lock(mutex_);
  parts_.publish(*current_->service, current_);
}

void Generations::begin_drain() {
  {
    const std::lock_guard lock(mutex_);
    draining_ = true;
  }
  for (const auto& generation : alive()) generation->service->begin_drain();
}

void Generations::cut() {
  begin_drain();
  for (const auto& generation : alive()) generation->service->drain(std::chrono::milliseconds(0));
}

}  // namespace headroom::server
