// Models that come and go while the server answers. A generation is the service of one set of
// models; a new one is loaded and tested beside the old, takes over every request that comes from
// then on, and the old one ends with the last request that came before.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/service/service.h"

namespace headroom::server {

class Generations {
 public:
  struct Source {
    std::string name;
    std::filesystem::path directory;

    bool operator==(const Source&) const = default;
  };
  struct Parts {
    std::function<std::vector<Source>()> list;              // what is to be served now
    std::function<ServedModel(const Source& source)> load;  // throws; takes seconds
    // Sends requests to `service` from now on. Each keeps a copy of `in_use` until it is answered.
    std::function<void(Service& service, std::shared_ptr<void> in_use)> publish;
  };

  // Loads the first generation, which publish() makes known. Throws what loading does. `observer`
  // outlives it.
  Generations(Parts parts, const ServiceSettings& settings, ServiceObserver& observer);
  ~Generations();
  Generations(const Generations&) = delete;
  Generations& operator=(const Generations&) = delete;

  // Loads what is new or has changed on disk; when one model cannot be loaded, throws and leaves
  // all as they were. Returns when the last request of the old generation is answered; false:
  // nothing had changed. One thread at a time.
  bool reload();

  // The service of now, which stays while `use` runs.
  void with_current(const std::function<void(Service& service)>& use) const;
  void publish() const;

  // From now on calls are refused and no generation follows.
  void begin_drain();

 private:
  struct Generation;

  std::unique_ptr<Generation> make(const Generation* former) const;

  const Parts parts_;
  const ServiceSettings settings_;
  ServiceObserver& observer_;
  mutable std::mutex mutex_;  // guards what follows
  std::unique_ptr<Generation> current_;
  bool draining_ = false;
};

// Every folder in `folder` that has a config.json, by name.
std::vector<Generations::Source> models_in_folder(const std::filesystem::path& folder);

}  // namespace headroom::server
