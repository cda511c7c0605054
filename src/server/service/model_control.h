// Loads and unloads models when somebody asks for it, one after the other, on a thread of its own:
// it takes seconds, and whoever asks others meanwhile must not wait.
#pragma once

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "server/service/generations.h"

namespace headroom::server {

struct ModelState {
  std::string name;     // without a version
  std::string version;  // "1" of a model that has none
  enum { ready, loading, unavailable } state = unavailable;
  std::string reason = {};  // why it could not be loaded
  double weight = 0;        // its part of the traffic of its name
};

class ModelControl {
 public:
  // Nothing: it is done. Called once, on the thread of the control.
  using Done = std::function<void(const std::optional<Error>& problem)>;

  // `folder` is where models are found; `generations` outlives it.
  ModelControl(std::filesystem::path folder, Generations& generations);
  ~ModelControl() { stop(); }
  ModelControl(const ModelControl&) = delete;
  ModelControl& operator=(const ModelControl&) = delete;

  // Finishes what is under way; those that wait are told that the server is shutting down, and
  // nothing is taken from then on. Once.
  void stop();

  // Each tells `done` soon; false, and nothing is told, when too many wait or it was stopped.
  bool load(const LoadRequest& wanted, Done done);
  bool unload(const std::string& model, const std::optional<std::string>& version, Done done);

  // Everything in the folder and everything that is served, by name and version.
  std::vector<ModelState> index() const;

 private:
  struct Job {
    std::string model;  // without a version
    Generations::NextPlan next;
    Done done;
  };

  bool post(Job job);
  void work();
  std::optional<Error> run(const Job& job);

  const std::filesystem::path folder_;
  Generations& generations_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  std::string loading_;                         // the model under way, without a version
  std::map<std::string, std::string> reasons_;  // by model, without a version: of the last failure
  bool stopping_ = false;
  std::thread thread_;  // last: it sees the rest complete
};

}  // namespace headroom::server
