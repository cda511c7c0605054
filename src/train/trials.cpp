#include "train/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/table.h"
#include "train/fingerprint.h"
#include "train/loop/plan.h"
#include "train/loop/training_output.h"
#include "train/loop/training_state.h"

namespace headroom {
inline namespace train {
namespace {

Json to_json(const Trial& trial) {
  const Recipe& recipe = trial.recipe;
  const TrialResult& result = trial.result;
  return {{"lr", recipe.dense_rate},
          {"epochs", recipe.dense_epochs},
          {"batch", recipe.batch_size},
          {"dropout", recipe.dropout},
          {"limit", trial.limit},
          {"steps", result.steps},
          {"seconds", result.seconds},
          {"complete", result.complete},
          {"validation", std::isfinite(result.score) ? Json(result.score) : Json()}};
}

TrialResult result_from_json(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_data, "saved trials");
  TrialResult result;
  result.steps = fields.integer("steps", 0, INT64_MAX);
  result.seconds = fields.number("seconds", 0, 1e12);
  result.complete = fields.boolean_or("complete", false);
  if (!json.at("validation").is_null()) result.score = fields.number("validation", -1e12, 1e12);
  return result;
}

// Bars of trials, without a sentence after each.
class TrialProgress : public ProgressSink {
 public:
  TrialProgress(ProgressSink& progress, size_t trial) : progress_(progress), trial_(trial) {}

  void update(const ProgressUpdate& update) override {
    ProgressUpdate named = update;
    named.stage = fmt::format("trial {}", trial_);
    progress_.update(named);
  }
  void note(const std::string& /*line*/) override {}

 private:
  ProgressSink& progress_;
  size_t trial_;
};

// The file of a run's trials.
class SavedTrials {
 public:
  explicit SavedTrials(const TrialRun& run)
      : path_(run.state_directory / trials_file), run_(fingerprint(run.request, run.data)) {
    if (!run.request.resume) return;
    if (!std::filesystem::exists(path_)) {
      if (!has_state(run.state_directory)) return;
      throw Error(ErrorCode::usage, "resume training",
                  fmt::format("the run in {} has no trials: it was started without --minutes",
                              run.state_directory.string()));
    }
    const Json json =
        parse_json(read_file(path_, ErrorCode::bad_data), ErrorCode::bad_data, "saved trials");
    const JsonFields fields(json, ErrorCode::bad_data, "saved trials");
    if (fields.object("run") != run_) {
      throw Error(ErrorCode::usage, "resume training",
                  fmt::format("{} was saved with other data or options ({})", path_.string(),
                              differences(fields.object("run"), run_)));
    }
    for (const Json& trial : fields.array("trials")) saved_.push_back(trial);
  }

  // Of the next trial, where it has been made before.
  std::optional<TrialResult> next(const Recipe& recipe, double limit) {
    if (trials_.size() >= saved_.size()) return std::nullopt;
    const TrialResult result = result_from_json(saved_[trials_.size()]);
    const Json expected = to_json(Trial{recipe, limit, result});
    if (expected != saved_[trials_.size()]) return std::nullopt;
    trials_.push_back(expected);
    return result;
  }

  void add(const Trial& trial) {
    trials_.push_back(to_json(trial));
    write_file_atomically(path_, Json{{"run", run_}, {"trials", trials_}}.dump());
  }

  size_t count() const { return trials_.size(); }

 private:
  std::filesystem::path path_;
  Json run_;
  std::vector<Json> saved_;   // by an earlier run
  std::vector<Json> trials_;  // of this one
};

TrialResult train_dense(const TrialRun& run, const Recipe& recipe, double seconds,
                        ProgressSink& progress) {
  const auto started = std::chrono::steady_clock::now();
  ElasticModel model = run.fresh_model(recipe);
  const auto source =
      training_source(run.data, recipe.batch_size, run.request.seed, model.device());
  std::vector<StagePlan> plans;
  plans.push_back(plan_stage(dense_stage(recipe.stages, run.validation),
                             steps_for(recipe.dense_epochs, *source), recipe.dense_rate, recipe,
                             *source));
  plans[0].most_seconds = seconds;
  TrialResult result;
  try {
    const StageResult stage =
        run_stages(model, plans, *source, trainer_settings(recipe, run.request.seed), progress)
            .stages[0];
    result.score = stage.best_score;
    result.steps = stage.steps;
    result.complete = stage.steps >= plans[0].schedule.steps;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::runtime) throw;  // otherwise its loss became infinite
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  result.seconds = elapsed.count();
  return result;
}

std::string percent(double score) {
  return std::isfinite(score) ? fmt::format("{:.2f} %", 100 * score) : "failed";
}

std::string trials_table(const std::vector<Trial>& trials) {
  Table table{{"trial", "lr", "epochs", "batch", "dropout", "steps", "seconds", "validation"}, {}};
  for (const Trial& trial : trials) {
    const Recipe& recipe = trial.recipe;
    table.rows.push_back(
        {fmt::format("{}", table.rows.size() + 1), fmt::format("{:.3g}", recipe.dense_rate),
         fmt::format("{:.3g}", recipe.dense_epochs), fmt::format("{}", recipe.batch_size),
         fmt::format("{}", recipe.dropout), fmt::format("{}", trial.result.steps),
         fmt::format("{:.0f}", trial.result.seconds), percent(trial.result.score)});
  }
  std::string text = aligned_text(table);
  text.pop_back();  // the sink ends the line
  return text;
}

}  // namespace

SearchResult find_recipe(const TrialRun& run, const Recipe& first, ProgressSink& progress) {
  const double minutes = run.request.minutes;
  progress.note(fmt::format("--minutes {}: trials for {:.3g} of them, beginning with {}", minutes,
                            trials_share * minutes, describe(first, Method::dense)));
  SavedTrials saved(run);
  const TryRecipe try_recipe = [&](const Recipe& recipe, double seconds) {
    if (const auto known = saved.next(recipe, seconds)) return *known;
    TrialProgress quiet(progress, saved.count() + 1);
    try {
      const TrialResult result = train_dense(run, recipe, seconds, quiet);
      saved.add({recipe, seconds, result});
      return result;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      throw Error(
          ErrorCode::interrupted, "train",
          fmt::format("stopped in trial {}; --resume goes on from there", saved.count() + 1));
    }
  };
  SearchResult search = search_recipe(
      first, run.request.recipe,
      {trials_share * 60 * minutes, run.request.seed, run.request.search_space}, try_recipe);
  progress.note(trials_table(search.trials));
  if (search.trials.size() < 2) {
    progress.note(
        "too little time to compare recipes: the first is trained; more --minutes try others");
  }
  return search;
}

std::string trials_log(const SearchResult& search) {
  std::string lines;
  for (size_t i = 0; i < search.trials.size(); ++i) {
    Json line = {{"trial", i + 1}};
    line.update(to_json(search.trials[i]));
    lines += line.dump() + "\n";
  }
  return lines;
}

// A step of a later stage takes about twice as long as one of the dense stage.
void share_time(double seconds, std::vector<StagePlan>& plans) {
  const auto work = [&](size_t i) {
    return static_cast<double>(plans[i].schedule.steps) * (i == 0 ? 1 : 2);
  };
  double all = 0;
  for (size_t i = 0; i < plans.size(); ++i) all += work(i);
  for (size_t i = 0; i < plans.size(); ++i) {
    plans[i].most_seconds = std::max(1.0, seconds) * work(i) / all;
  }
}

}  // namespace train
}  // namespace headroom
