#include "train/loop/trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "train/loop/autocast.h"
#include "train/loop/training_state.h"
#include "train/parallel/gradient_exchange.h"

namespace headroom {
inline namespace train {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Trainer {
 public:
  Trainer(ElasticModel& model, std::vector<StagePlan>& plans, BatchSource& source,
          const TrainerSettings& settings, ProgressSink& progress)
      : model_(model),
        plans_(plans),
        source_(source),
        settings_(settings),
        progress_(progress),
        parameters_(model, settings.parameters),
        ranks_(*settings.ranks),
        exchange_(parameters_, ranks_) {
    const int64_t pieces = ranks_.size() * settings.accumulate;
    if (pieces > source.batch_size()) {
      throw Error(ErrorCode::usage, "train",
                  fmt::format("a batch of {} rows cannot be cut into {} pieces ({} processes, each "
                              "in {} parts)",
                              source.batch_size(), pieces, ranks_.size(), settings.accumulate));
    }
  }

  TrainingResult run() {
    const bool resumed = settings_.resume && restore();
    resumed_at_ = state_.total_steps;
    require_same_run();
    if (resumed) progress_.note(fmt::format("resumed at step {}", state_.total_steps));
    for (size_t i = 0; i < plans_.size(); ++i) {
      if (i < state_.stages.size() && state_.stages[i].finished) continue;
      run_stage(i);
    }
    for (const StageRecord& stage : state_.stages) {
      result_.stages.push_back({stage.name, stage.steps, stage.best_score, stage.best_step});
    }
    result_.steps = state_.total_steps;
    result_.log = state_.log;
    return std::move(result_);
  }

 private:
  void run_stage(size_t index) {
    StagePlan& plan = plans_[index];
    if (index >= state_.stages.size()) {
      state_.stages.push_back({plan.stage->name(), 0, -1, 0, 0, 0, false});
      prepare(index);
      state_.start = parameters_.snapshot();
      state_.best = state_.start;
      parameters_.reset_moments();
      if (seconds_since(saved_) >= settings_.save_seconds) save();  // preparing may take minutes
    }
    plan.stage->begin(model_at(state_.start));
    StageRecord& record = state_.stages.back();
    bool done = is_last(plan, record);
    while (!done) {
      step(index, plan, record);
      const bool last = is_last(plan, record);
      if (last || (plan.validate_every > 0 && record.steps % plan.validate_every == 0)) {
        validate(plan, record);
        const bool reached = record.best_score >= plan.stop_at;
        const bool stale = plan.patience > 0 && record.stale_validations >= plan.patience;
        done = last || reached || stale;
      }
      if (!done) save_if_due(plan);
    }
    if (plan.keep_best) parameters_.restore(state_.best);
    record.finished = true;
    progress_.note(fmt::format("{} stage: {} steps, validation {:.2f} % (best at step {})",
                               record.name, record.steps, 100 * record.best_score,
                               record.best_step));
    save();
  }

  // Where ranks would arrange a model differently, by the last bit of a sum, the first's counts.
  void prepare(size_t index) {
    Random random{settings_.seed, index};
    if (ranks_.first()) plans_[index].stage->prepare(model_, random, progress_);
    for (const ParameterGroup& group : parameters_.groups()) ranks_.copy_from_first(group.values);
    if (model_.order) state_.order = unit_names(*model_.order);
    const Json order = Json::parse(ranks_.text_from_first(Json(state_.order).dump()));
    if (ranks_.first() || order.empty()) return;
    state_.order = order.get<std::vector<std::string>>();
    model_.order = parse_units(state_.order, model_.shape);
  }

  // The others would wait for ever for a rank that trains something else.
  void require_same_run() {
    const Json mine = {{"run", settings_.fingerprint}, {"step", state_.total_steps}};
    const Json first = Json::parse(ranks_.text_from_first(mine.dump()));
    if (mine == first) return;
    throw Error(ErrorCode::usage, "train with others",
                fmt::format("rank {} would train something else than rank 0 ({}): every rank needs "
                            "the same options, data and --out folder",
                            ranks_.rank(),
                            first["step"] != mine["step"]
                                ? differences({{"step", first["step"]}}, {{"step", mine["step"]}})
                                : differences(first["run"], mine["run"])));
  }

  static bool is_late(const StagePlan& plan, const StageRecord& record) {
    return plan.most_seconds > 0 && record.seconds >= plan.most_seconds;
  }

  static bool is_last(const StagePlan& plan, const StageRecord& record) {
    if (plan.seconds > 0) return record.seconds >= plan.seconds;
    return record.steps >= plan.schedule.steps || is_late(plan, record);
  }

  static double progress_of(const StagePlan& plan, const StageRecord& record) {
    if (plan.seconds > 0) return std::min(1.0, record.seconds / plan.seconds);
    const double steps =
        static_cast<double>(record.steps) / static_cast<double>(plan.schedule.steps);
    if (plan.most_seconds <= 0) return steps;
    return std::min(1.0, std::max(steps, record.seconds / plan.most_seconds));
  }

  void step(size_t index, StagePlan& plan, StageRecord& record) {
    const auto started = Clock::now();
    parameters_.zero_gradients();
    plan.stage->advance(progress_of(plan, record));
    for (int64_t part = 0; part < settings_.accumulate; ++part) {
      if (part + 1 == settings_.accumulate) exchange_.expect_last_backward();
      add_gradients(*plan.stage, {settings_.seed, index, static_cast<uint64_t>(record.steps)},
                    part);
    }
    exchange_.finish();
    const double rate = rate_of(plan, record);
    ++record.steps;
    ++state_.total_steps;
    adamw_step(parameters_.groups(), settings_.optimiser, rate, record.steps);
    ++losses_;
    if (record.steps % settings_.log_every == 0) log_loss(record, rate);
    result_.seconds += seconds_since(started);
    record.seconds += seconds_since(started);
    if (plan.seconds > 0 || plan.most_seconds > 0) {
      record.seconds = ranks_.from_first(record.seconds);
    }
    report(plan, record);
  }

  static double rate_of(const StagePlan& plan, const StageRecord& record) {
    if (plan.seconds > 0) {
      return plan.schedule.rate_at(record.seconds / plan.seconds, record.steps);
    }
    if (plan.most_seconds <= 0) return plan.schedule.rate(record.steps);
    StageRecord behind = record;
    ++behind.steps;
    return plan.schedule.rate_between(progress_of(plan, record), progress_of(plan, behind));
  }

  // Of one part of this rank's share of the batch.
  void add_gradients(Stage& stage, std::initializer_list<uint64_t> key, int64_t part) {
    const BatchPiece piece{ranks_.rank() * settings_.accumulate + part,
                           ranks_.size() * settings_.accumulate};
    const Batch batch = source_.batch(state_.total_steps, piece);
    if (batch.size() == 0) return;
    torch::manual_seed((mix_key(key) >> 1) + static_cast<uint64_t>(piece.index));  // dropout
    Random random(key);  // the same in every rank: all draw the same budgets
    torch::Tensor loss = loss_of(stage, batch, random);
    if (piece.count > 1) loss = loss * batch.share;
    loss.backward();
    loss_sum_ = loss_sum_.defined() ? loss_sum_ + loss.detach() : loss.detach();
    result_.samples += static_cast<double>(batch.size() * ranks_.size());
  }

  torch::Tensor loss_of(Stage& stage, const Batch& batch, Random& random) {
    std::optional<Bf16Autocast> autocast;
    if (settings_.bf16) autocast.emplace(model_.device());
    return stage.loss(model_, batch, random);
  }

  void log_loss(const StageRecord& record, double rate) {
    require_finite_loss(record);
    const double mine = loss_sum_.defined() ? loss_sum_.item<double>() : 0.0;  // waits for a GPU
    last_loss_ = ranks_.sum(mine) / static_cast<double>(losses_);
    loss_sum_ = torch::Tensor();
    losses_ = 0;
    log({{"stage", record.name}, {"step", record.steps}, {"loss", last_loss_}, {"rate", rate}});
  }

  // A stage may be shorter than log_every, and weights made of NaN must not become the best.
  void require_finite_loss(const StageRecord& record) const {
    if (!loss_sum_.defined() || std::isfinite(loss_sum_.item<double>())) return;
    throw Error(ErrorCode::runtime, "train",
                fmt::format("the loss became {} in the {} stage near step {}: a lower --lr helps",
                            loss_sum_.item<double>(), record.name, record.steps));
  }

  void validate(StagePlan& plan, StageRecord& record) {
    require_finite_loss(record);
    const auto started = Clock::now();
    Validation validation;
    if (ranks_.first()) validation = plan.stage->validate(model_);
    validation.score = ranks_.from_first(validation.score);
    if (validation.score > record.best_score) {
      record.best_score = validation.score;
      record.best_step = record.steps;
      record.stale_validations = 0;
      state_.best = parameters_.snapshot();
    } else {
      ++record.stale_validations;
    }
    last_validation_ = validation.summary.empty()
                           ? fmt::format("validation {:.2f} %", 100 * validation.score)
                           : validation.summary;
    if (plan.most_seconds > 0) record.seconds += ranks_.from_first(seconds_since(started));
    Json line = {{"stage", record.name}, {"step", record.steps}, {"validation", validation.score}};
    for (const auto& [name, value] : validation.details) line[name] = value;
    log(line);
  }

  void report(const StagePlan& plan, const StageRecord& record) {
    ProgressUpdate update;
    update.stage = record.name;
    update.done = record.steps;
    update.total = plan.seconds > 0 ? steps_in_time(plan, record) : plan.schedule.steps;
    update.resumed_at = std::max<int64_t>(0, record.steps - (state_.total_steps - resumed_at_));
    update.unit = "steps";
    update.units_scale = static_cast<double>(source_.batch_size());
    update.scaled_unit = "samples";
    update.detail = std::isfinite(last_loss_) ? fmt::format("loss {:.4f}", last_loss_) : "";
    if (!last_validation_.empty()) update.detail += "  " + last_validation_;
    progress_.update(update);
  }

  // A guess from the rate so far: good enough for a bar.
  static int64_t steps_in_time(const StagePlan& plan, const StageRecord& record) {
    const double rate = static_cast<double>(record.steps) / std::max(record.seconds, 1e-9);
    return std::max(record.steps, static_cast<int64_t>(rate * plan.seconds));
  }

  void log(const Json& line) { state_.log += line.dump() + "\n"; }

  ElasticModel model_at(const std::vector<torch::Tensor>& values) {
    const std::vector<torch::Tensor> now = parameters_.snapshot();
    parameters_.restore(values);
    ElasticModel copy = copy_model(model_);
    parameters_.restore(now);
    return copy;
  }

  void save_if_due(const StagePlan& plan) {
    if (must_stop()) {
      save();
      const StageRecord& record = state_.stages.back();
      throw Error(
          ErrorCode::interrupted, "train",
          fmt::format("stopped in the {} stage at step {} of {}{}", record.name, record.steps,
                      plan.seconds > 0 ? steps_in_time(plan, record) : plan.schedule.steps,
                      settings_.state_directory.empty() ? "" : "; --resume goes on from here"));
    }
    if (seconds_since(saved_) >= settings_.save_seconds) save();
  }

  // All ranks must stop at the same step. Asking a GPU waits for it, so that is done now and then.
  bool must_stop() {
    if (ranks_.alone()) return interrupt_requested();
    if (model_.device().is_cuda() && state_.total_steps % settings_.log_every != 0) return false;
    return ranks_.sum(interrupt_requested() ? 1 : 0) > 0;
  }

  void save() {
    if (settings_.state_directory.empty() || !ranks_.first()) return;
    require_finite_loss(state_.stages.back());
    state_.fingerprint = settings_.fingerprint;
    state_.values.clear();
    state_.mean.clear();
    state_.square.clear();
    for (const ParameterGroup& group : parameters_.groups()) {
      state_.values.push_back(group.values);
      state_.mean.push_back(group.mean);
      state_.square.push_back(group.square);
    }
    save_state(settings_.state_directory, state_);
    saved_ = Clock::now();
  }

  void require_our_sizes(const std::vector<torch::Tensor>& tensors) {
    const std::vector<ParameterGroup>& groups = parameters_.groups();
    const bool same = std::equal(tensors.begin(), tensors.end(), groups.begin(), groups.end(),
                                 [](const auto& tensor, const auto& group) {
                                   return tensor.numel() == group.values.numel();
                                 });
    if (same) return;
    throw Error(ErrorCode::bad_data, "resume training",
                fmt::format("{} holds another model's sizes: remove it to start anew",
                            settings_.state_directory.string()));
  }

  bool restore() {
    auto saved = load_state(settings_.state_directory, settings_.fingerprint);
    if (!saved) return false;
    const auto device = model_.device();
    const auto move = [&](std::vector<torch::Tensor>& tensors) {
      require_our_sizes(tensors);
      for (torch::Tensor& tensor : tensors) tensor = tensor.to(device);
    };
    for (auto* tensors :
         {&saved->values, &saved->mean, &saved->square, &saved->start, &saved->best}) {
      move(*tensors);
    }
    state_ = std::move(*saved);
    parameters_.restore(state_.values);
    if (!state_.order.empty()) model_.order = parse_units(state_.order, model_.shape);
    for (size_t i = 0; i < parameters_.groups().size(); ++i) {
      parameters_.groups()[i].mean.copy_(state_.mean[i]);
      parameters_.groups()[i].square.copy_(state_.square[i]);
    }
    return true;
  }

  ElasticModel& model_;
  std::vector<StagePlan>& plans_;
  BatchSource& source_;
  const TrainerSettings& settings_;
  ProgressSink& progress_;
  Parameters parameters_;
  Ranks& ranks_;
  GradientExchange exchange_;
  TrainingState state_;
  TrainingResult result_;
  torch::Tensor loss_sum_;
  int64_t losses_ = 0;
  double last_loss_ = std::nan("");
  std::string last_validation_;
  int64_t resumed_at_ = 0;
  Clock::time_point saved_ = Clock::now();
};

}  // namespace

TrainingResult run_stages(ElasticModel& model, std::vector<StagePlan>& plans, BatchSource& source,
                          const TrainerSettings& settings, ProgressSink& progress) {
  return Trainer(model, plans, source, settings, progress).run();
}

}  // namespace train
}  // namespace headroom
