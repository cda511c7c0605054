// What a server should serve: which checkpoints, and which of them answers to a name. A folder of
// models holds checkpoints (news/config.json) or versions of one (news/1, news/2), and may hold
// routes.json, which names aliases and splits traffic:
//   {"stable": "news@1", "news": {"news@1": 0.9, "news@2": 0.1}}
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::server {

// A checkpoint. Its name is "news", or "news@2" for version 2 of news.
struct ModelSource {
  std::string name;
  std::filesystem::path directory;

  bool operator==(const ModelSource&) const = default;
};

std::string_view name_without_version(std::string_view model);  // "news" of "news@2"
std::string_view version_of(std::string_view model);            // "2"; "1" of what has none

// A name that clients ask by, and the models that answer to it in proportion to their weights.
struct ModelRoute {
  struct Target {
    std::string model;
    double weight = 1;

    bool operator==(const Target&) const = default;
  };

  std::string name;
  std::vector<Target> targets;

  bool operator==(const ModelRoute&) const = default;
};

struct ServingPlan {
  std::vector<ModelSource> models;  // the first answers requests that name none
  std::vector<ModelRoute> routes;   // of models with versions, and aliases

  bool operator==(const ServingPlan&) const = default;
};

// Names are part of URLs and metrics: letters, digits, - _ and .
bool is_model_name(const std::string& name);

// Every checkpoint in `folder`, by name, versions in ascending order; folders whose name begins
// with a dot are left alone. Throws ErrorCode::usage when it cannot be read, or a name is none.
std::vector<ModelSource> stored_models(const std::filesystem::path& folder);

// `fixed` and what `folder` (empty: none) holds: of a model with versions those that routes.json
// names or, where it does not name the model, the latest. Throws ErrorCode::bad_data for a
// routes.json that is wrong, ErrorCode::usage when two models have one name.
ServingPlan plan_serving(const std::vector<ModelSource>& fixed,
                         const std::filesystem::path& folder);

struct LoadRequest {
  std::string model;                   // without a version
  std::optional<std::string> version;  // none: the latest
  std::optional<double> weight;        // of the model's traffic; none: all, other versions go
};

// `plan` with one of the `stored` models loaded. Other versions keep the rest of the traffic in
// their proportions. Throws ErrorCode::usage when there is no such model or version.
ServingPlan with_loaded(ServingPlan plan, const std::vector<ModelSource>& stored,
                        const LoadRequest& wanted);

// `plan` without a version of a model, or all of them; the versions that stay share its traffic.
// Throws ErrorCode::usage when it is not loaded, an alias needs it, or nothing would be left.
ServingPlan without(ServingPlan plan, const std::string& model,
                    const std::optional<std::string>& version);

}  // namespace headroom::server
