// Models that come and go while the server answers. A generation is the service of one set of
// models; a new one is loaded and tested beside the old, takes over every request that comes from
// then on, and the old one ends with the last request that came before.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/models/serving_plan.h"
#include "server/service/service.h"

namespace headroom::server {

class Generations {
 public:
  struct Parts {
    // Loads a model beside those of the new generation that are there already: all of them get
    // new sessions. Throws; takes seconds.
    std::function<ServedModel(const ModelSource& source, const std::vector<ServedModel>& beside)>
        load;
    // Sends requests to `service` from now on. Each keeps a copy of `in_use` until it is answered.
    std::function<void(Service& service, std::shared_ptr<void> in_use)> publish;
  };
  using NextPlan = std::function<ServingPlan(const ServingPlan& now)>;

  // Loads the first generation, which publish() makes known. Throws what loading does. `observer`
  // outlives it.
  Generations(Parts parts, const ServingPlan& plan, const ServiceSettings& settings,
              ServiceObserver& observer);
  ~Generations();
  Generations(const Generations&) = delete;
  Generations& operator=(const Generations&) = delete;

  // Serves what `next` makes of the plan that is served: loads what is new or has changed on disk,
  // and where nothing has, exchanges the routes alone. When `next` throws or a model cannot be
  // loaded, throws and leaves all as they were. False: nothing changed. Any thread; one waits for
  // the other.
  bool change(const NextPlan& next);

  ServingPlan plan() const;  // what is served

  // The service of now, which stays while `use` runs.
  void with_current(const std::function<void(Service& service)>& use) const;
  void publish() const;

  // From now on calls are refused and no generation follows.
  void begin_drain();
  // Refuses what still waits in any generation, and returns when no call is open.
  void cut();

 private:
  struct Generation;
  class Undertaker;

  std::shared_ptr<Generation> make(const ServingPlan& plan, const Generation* former) const;
  std::shared_ptr<Generation> current() const;
  std::vector<std::shared_ptr<Generation>> alive() const;

  const Parts parts_;
  const ServiceSettings settings_;
  ServiceObserver& observer_;
  const std::shared_ptr<Undertaker> undertaker_;
  std::mutex changing_;       // held by change()
  mutable std::mutex mutex_;  // guards what follows
  std::shared_ptr<Generation> current_;
  std::vector<std::weak_ptr<Generation>> all_;
  bool draining_ = false;
};

}  // namespace headroom::server
