#include "server/models/serving_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <utility>

#include "base/files/file.h"
#include "base/join.h"
#include "base/json.h"

namespace headroom::server {
namespace {

namespace fs = std::filesystem;

constexpr const char* routes_file = "routes.json";

[[noreturn]] void refuse(const std::string& complaint) {
  throw Error(ErrorCode::usage, "choose models", complaint);
}

bool is_version(const std::string& name) {
  return !name.empty() && name.size() <= 9 && name[0] != '0' &&
         name.find_first_not_of("0123456789") == std::string::npos;
}

bool has_checkpoint(const fs::path& directory) {
  std::error_code ignored;
  return fs::exists(directory / "config.json", ignored);
}

// Names of a folder's sub-folders.
std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_directory(ignored)) names.push_back(entry->path().filename().string());
  }
  if (error) throw Error(ErrorCode::usage, "read " + folder.string(), error.message());
  return names;
}

// By name, then by number: version 10 is later than 9.
bool comes_before(const ModelSource& a, const ModelSource& b) {
  const auto rank = [](const ModelSource& model) {
    const std::string_view version = version_of(model.name);
    return std::tuple(name_without_version(model.name), version.size(), version);
  };
  return rank(a) < rank(b);
}

const ModelSource* find(const std::vector<ModelSource>& models, std::string_view name) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ModelSource& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

ModelRoute* find(std::vector<ModelRoute>& routes, std::string_view name) {
  const auto found = std::find_if(routes.begin(), routes.end(),
                                  [&](const ModelRoute& route) { return route.name == name; });
  return found == routes.end() ? nullptr : &*found;
}

std::vector<ModelSource> versions_among(const std::vector<ModelSource>& models,
                                        std::string_view name) {
  std::vector<ModelSource> versions;
  for (const ModelSource& model : models) {
    if (name_without_version(model.name) == name) versions.push_back(model);
  }
  return versions;
}

std::string names_of(const std::vector<ModelSource>& models) {
  std::vector<std::string> names;
  for (const ModelSource& model : models) names.push_back(model.name);
  return names.empty() ? "none" : join(names, ", ");
}

std::vector<ModelRoute::Target> read_targets(const Json& value, const std::string& name,
                                             const JsonFields& fields) {
  std::vector<ModelRoute::Target> targets;
  if (value.is_string()) return {{value.get<std::string>(), 1}};
  if (!value.is_object()) fields.fail(name, "is neither a model nor models with their weights");
  double sum = 0;
  for (const auto& [model, weight] : value.items()) {
    if (!weight.is_number() || !(weight.get<double>() >= 0 && weight.get<double>() <= 1e6)) {
      fields.fail(name, fmt::format("gives {} no weight from 0 to 1000000", model));
    }
    targets.push_back({model, weight.get<double>()});
    sum += weight.get<double>();
  }
  if (sum <= 0) fields.fail(name, "has no weight above 0");
  return targets;
}

std::vector<ModelRoute> read_routes(const fs::path& folder,
                                    const std::vector<ModelSource>& models) {
  const fs::path path = folder / routes_file;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const Json json = parse_json(read_file(path, ErrorCode::bad_data), ErrorCode::bad_data,
                               path.string(), {.keys = 1024, .values = 8192});
  const JsonFields fields(json, ErrorCode::bad_data, path.string());
  std::vector<ModelRoute> routes;
  for (const auto& [name, value] : json.items()) {
    if (!is_model_name(name)) fields.fail(name, "is no name: use letters, digits, - _ .");
    ModelRoute route{name, read_targets(value, name, fields)};
    for (const ModelRoute::Target& target : route.targets) {
      if (find(models, target.model) != nullptr) continue;
      fields.fail(name, fmt::format("names {}, which is not there; there are {}", target.model,
                                    names_of(models)));
    }
    routes.push_back(std::move(route));
  }
  return routes;
}

bool is_target(const std::vector<ModelRoute>& routes, const std::string& model) {
  return std::any_of(routes.begin(), routes.end(), [&](const ModelRoute& route) {
    return std::any_of(route.targets.begin(), route.targets.end(),
                       [&](const ModelRoute::Target& target) { return target.model == model; });
  });
}

// The name of a route to `model` that is no model's own; empty: none.
std::string alias_of(const std::vector<ModelRoute>& routes, const std::string& model) {
  for (const ModelRoute& route : routes) {
    if (route.name != name_without_version(model) && is_target({route}, model)) return route.name;
  }
  return "";
}

void remove_model(ServingPlan& plan, const std::string& name) {
  std::erase_if(plan.models, [&](const ModelSource& model) { return model.name == name; });
}

// The first model answers requests that name none, so a new version of it must be the first too.
void add_beside_its_versions(ServingPlan& plan, const ModelSource& model) {
  if (find(plan.models, model.name) != nullptr) return;
  const std::string_view name = name_without_version(model.name);
  const auto last = std::find_if(
      plan.models.rbegin(), plan.models.rend(),
      [&](const ModelSource& other) { return name_without_version(other.name) == name; });
  plan.models.insert(last == plan.models.rend() ? plan.models.end() : last.base(), model);
}

// The route of a model's own name; where there is none yet, to what is loaded of it.
ModelRoute& own_route(ServingPlan& plan, const std::string& name) {
  if (ModelRoute* route = find(plan.routes, name)) return *route;
  ModelRoute& route = plan.routes.emplace_back(ModelRoute{name, {}});
  for (const ModelSource& model : versions_among(plan.models, name)) {
    route.targets.push_back({model.name, 1});
  }
  return route;
}

// With weights that add up to `sum`; equal ones where all are 0.
void scale(std::vector<ModelRoute::Target>& targets, double sum) {
  double now = 0;
  for (const auto& target : targets) now += target.weight;
  for (auto& target : targets) {
    target.weight = now > 0 ? target.weight * sum / now : sum / static_cast<double>(targets.size());
  }
}

}  // namespace

std::string_view name_without_version(std::string_view model) {
  return model.substr(0, model.find('@'));
}

std::string_view version_of(std::string_view model) {
  const size_t at = model.find('@');
  return at == std::string_view::npos ? "1" : model.substr(at + 1);
}

bool is_model_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
  });
}

std::vector<ModelSource> stored_models(const fs::path& folder) {
  std::vector<ModelSource> models;
  for (const std::string& name : folders_in(folder)) {
    if (name.starts_with('.')) continue;
    const fs::path directory = folder / name;
    const size_t before = models.size();
    if (has_checkpoint(directory)) {
      models.push_back({name, directory});
    } else {
      for (const std::string& version : folders_in(directory)) {
        if (!is_version(version) || !has_checkpoint(directory / version)) continue;
        models.push_back({name + "@" + version, directory / version});
      }
    }
    if (models.size() == before || is_model_name(name)) continue;
    refuse(fmt::format("{} is no name for a model: rename it to letters, digits, - _ .",
                       directory.string()));
  }
  std::sort(models.begin(), models.end(), comes_before);
  return models;
}

ServingPlan plan_serving(const std::vector<ModelSource>& fixed, const fs::path& folder) {
  ServingPlan plan{fixed, {}};
  if (folder.empty()) return plan;
  const std::vector<ModelSource> stored = stored_models(folder);
  std::vector<ModelSource> all = fixed;
  for (const ModelSource& model : stored) {
    const std::string name(name_without_version(model.name));
    if (find(fixed, name) != nullptr) {
      refuse(fmt::format("--model and {} both have a model {}", folder.string(), name));
    }
    all.push_back(model);
  }
  plan.routes = read_routes(folder, all);
  for (const ModelSource& model : stored) {
    const std::string name(name_without_version(model.name));
    const bool has_versions = model.name != name;
    const bool is_latest = versions_among(stored, name).back().name == model.name;
    const bool routed = find(plan.routes, name) != nullptr;
    if (has_versions && is_latest && !routed) plan.routes.push_back({name, {{model.name, 1}}});
    if (!has_versions || is_target(plan.routes, model.name)) plan.models.push_back(model);
  }
  if (plan.models.empty()) {
    refuse(fmt::format("{} has no folder with a config.json in it", folder.string()));
  }
  return plan;
}

ServingPlan with_loaded(ServingPlan plan, const std::vector<ModelSource>& stored,
                        const LoadRequest& wanted) {
  const std::vector<ModelSource> versions = versions_among(stored, wanted.model);
  if (versions.empty()) {
    refuse(fmt::format("there is no model \"{}\" in the folder of --models; there are {}",
                       wanted.model, names_of(stored)));
  }
  const auto chosen = wanted.version
                          ? std::find_if(versions.begin(), versions.end(),
                                         [&](const ModelSource& model) {
                                           return version_of(model.name) == *wanted.version;
                                         })
                          : std::prev(versions.end());
  if (chosen == versions.end()) {
    refuse(fmt::format("model \"{}\" has no version \"{}\"; there are {}", wanted.model,
                       *wanted.version, names_of(versions)));
  }
  ModelRoute& route = own_route(plan, wanted.model);
  add_beside_its_versions(plan, *chosen);
  std::erase_if(route.targets, [&](const auto& target) { return target.model == chosen->name; });
  if (wanted.weight && !route.targets.empty()) {
    scale(route.targets, 1 - *wanted.weight);
    route.targets.push_back({chosen->name, *wanted.weight});
    return plan;
  }
  const auto others = std::exchange(route.targets, {{chosen->name, 1}});
  for (const ModelRoute::Target& other : others) {
    if (!is_target(plan.routes, other.model)) remove_model(plan, other.model);
  }
  return plan;
}

ServingPlan without(ServingPlan plan, const std::string& model,
                    const std::optional<std::string>& version) {
  bool found = false;
  for (const ModelSource& loaded : versions_among(plan.models, model)) {
    if (version && version_of(loaded.name) != *version) continue;
    found = true;
    if (const std::string alias = alias_of(plan.routes, loaded.name); !alias.empty()) {
      refuse(fmt::format("{} answers to \"{}\": take that out of {} first", loaded.name, alias,
                         routes_file));
    }
    remove_model(plan, loaded.name);
    for (ModelRoute& route : plan.routes) {
      std::erase_if(route.targets, [&](const auto& target) { return target.model == loaded.name; });
      scale(route.targets, 1);
    }
  }
  if (!found) {
    refuse(fmt::format("model \"{}\"{} is not loaded; {}", model,
                       version ? fmt::format(" version \"{}\"", *version) : "",
                       "POST /v2/repository/index lists what is"));
  }
  if (plan.models.empty()) {
    refuse(fmt::format("\"{}\" is the only model here: load another first", model));
  }
  std::erase_if(plan.routes, [](const ModelRoute& route) { return route.targets.empty(); });
  return plan;
}

}  // namespace headroom::server
