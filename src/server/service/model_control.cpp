#include "server/service/model_control.h"

#include <algorithm>
#include <utility>

namespace headroom::server {
namespace {

constexpr size_t most_jobs = 16;

// The part of its name's traffic that a model gets.
double weight_of(const ServingPlan& plan, const std::string& model) {
  const std::string_view name = name_without_version(model);
  for (const ModelRoute& route : plan.routes) {
    if (route.name != name) continue;
    double own = 0;
    double all = 0;
    for (const ModelRoute::Target& target : route.targets) {
      all += target.weight;
      if (target.model == model) own += target.weight;
    }
    return all > 0 ? own / all : 0;
  }
  return 1;
}

bool holds(const std::vector<ModelSource>& models, const std::string& name) {
  return std::any_of(models.begin(), models.end(),
                     [&](const ModelSource& model) { return model.name == name; });
}

}  // namespace

ModelControl::ModelControl(std::filesystem::path folder, Generations& generations)
    : folder_(std::move(folder)), generations_(generations), thread_([this] { work(); }) {}

void ModelControl::stop() {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(stopping_, true)) return;
  }
  changed_.notify_one();
  thread_.join();
  const Error ending(ErrorCode::interrupted, "change models", "the server is shutting down");
  for (const Job& job : std::exchange(jobs_, {})) job.done(ending);
}

bool ModelControl::load(const LoadRequest& wanted, Done done) {
  return post({wanted.model,
               [this, wanted](const ServingPlan& now) {
                 return with_loaded(now, stored_models(folder_), wanted);
               },
               std::move(done)});
}

bool ModelControl::unload(const std::string& model, const std::optional<std::string>& version,
                          Done done) {
  return post({model,
               [model, version](const ServingPlan& now) { return without(now, model, version); },
               std::move(done)});
}

bool ModelControl::post(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || jobs_.size() >= most_jobs) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void ModelControl::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    if (stopping_) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    loading_ = job.model;
    lock.unlock();
    const std::optional<Error> problem = run(job);
    lock.lock();
    loading_.clear();
    reasons_.erase(job.model);
    if (problem) reasons_[job.model] = problem->message();
    lock.unlock();
    job.done(problem);
    job = {};
    lock.lock();
  }
}

std::optional<Error> ModelControl::run(const Job& job) {
  try {
    generations_.change(job.next);
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& problem) {  // no memory, no thread
    return Error(ErrorCode::runtime, "load " + job.model, problem.what());
  }
}

std::vector<ModelState> ModelControl::index() const {
  const ServingPlan plan = generations_.plan();
  std::vector<ModelSource> models = plan.models;
  for (ModelSource& model : stored_models(folder_)) {
    if (!holds(models, model.name)) models.push_back(std::move(model));
  }
  const std::lock_guard lock(mutex_);
  std::vector<ModelState> states;
  for (const ModelSource& model : models) {
    ModelState state{std::string(name_without_version(model.name)),
                     std::string(version_of(model.name))};
    if (holds(plan.models, model.name)) {
      state.state = ModelState::ready;
      state.weight = weight_of(plan, model.name);
    } else if (state.name == loading_) {
      state.state = ModelState::loading;
    } else if (const auto reason = reasons_.find(state.name); reason != reasons_.end()) {
      state.reason = reason->second;
    }
    states.push_back(std::move(state));
  }
  return states;
}

}  // namespace headroom::server
