#include "cli/engines/peer_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/interrupt.h"
#include "base/measure/interleaved.h"
#include "checkpoint/onnx/writer.h"
#include "cli/engines/native_model.h"
#include "cli/engines/peer.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "engine/session.h"

namespace headroom {
namespace {

using Inputs = std::vector<Tokens>;

// The peer with the model loaded once per precision and budget.
class LoadedPeer {
 public:
  LoadedPeer(const PeerSettings& settings, const std::filesystem::path& model,
             const std::vector<double>& budgets, int threads)
      : precisions_(settings.precisions), process_(settings.directory) {
    const ScratchFolder folder;
    const std::filesystem::path file = folder.path() / "model.onnx";
    for (const std::string& precision : precisions_) {
      const bool int8 = precision == "int8";
      for (const double budget : budgets) {
        write_file_atomically(
            file, onnx_model(model, budget, int8 ? OnnxPrecision::int8 : OnnxPrecision::fp32));
        sessions_[{precision, budget}] = process_.load(file, threads);
      }
    }
  }
  const std::vector<std::string>& precisions() const { return precisions_; }
  int add_batch(const Inputs& inputs) { return process_.add_batch(inputs); }
  PeerRun run(const std::string& precision, double budget, int batch) {
    return process_.run(sessions_.at({precision, budget}), batch);
  }

 private:
  std::vector<std::string> precisions_;
  OnnxRuntimePeer process_;
  std::map<std::pair<std::string, double>, int> sessions_;
};

struct Native {
  std::string precision;
  std::unique_ptr<Session> session;
};

// One engine at one precision and budget. `run` returns the milliseconds it measured itself, of the
// second of two runs: the contestant before it emptied the caches.
struct Contestant {
  std::string engine;
  std::string precision;
  double budget = 1;
  std::function<double()> run;
  std::vector<double> times;
};

double time_twice(Session& session, const Inputs& inputs, double budget) {
  session.run(inputs, Budget{budget});
  const auto started = std::chrono::steady_clock::now();
  session.run(inputs, Budget{budget});
  const std::chrono::duration<double, std::milli> taken =
      std::chrono::steady_clock::now() - started;
  return taken.count();
}

std::vector<Contestant> contestants(const std::vector<Native>& natives, LoadedPeer* peer,
                                    const Inputs& inputs, const std::vector<double>& budgets) {
  std::vector<Contestant> all;
  const int batch = peer != nullptr ? peer->add_batch(inputs) : 0;
  for (const double budget : budgets) {
    for (const Native& native : natives) {
      all.push_back(
          {"native",
           native.precision,
           budget,
           [&native, &inputs, budget] { return time_twice(*native.session, inputs, budget); },
           {}});
    }
    if (peer == nullptr) continue;
    for (const std::string& precision : peer->precisions()) {
      all.push_back({"onnxruntime",
                     precision,
                     budget,
                     [peer, precision, budget, batch] {
                       return peer->run(precision, budget, batch).milliseconds;
                     },
                     {}});
    }
  }
  return all;
}

void time_all(std::vector<Contestant>& all, const BenchSettings& settings) {
  std::vector<std::function<void()>> runs;
  runs.reserve(all.size());
  for (Contestant& one : all) {
    runs.emplace_back([&one] {
      if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
      one.times.push_back(one.run());
    });
  }
  time_interleaved(runs, settings.warmup, settings.rounds, settings.seed);
  for (Contestant& one : all)
    one.times.erase(one.times.begin(), one.times.begin() + settings.warmup);
}

// What an answer says, one number after another.
std::vector<double> numbers_of(const Answer& answer) {
  std::vector<double> numbers = answer.scores;
  numbers.insert(numbers.end(), answer.embedding.begin(), answer.embedding.end());
  numbers.push_back(answer.score);
  return numbers;
}

// The peer's outputs are padded where there is one for every token.
double score_difference(const Head& head, const Inputs& inputs, const std::vector<Answer>& answers,
                        std::span<const float> outputs) {
  const size_t padded = outputs.size() / answers.size();
  double most = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    const size_t rows = head.rows() == Rows::all ? inputs[i].ids.size() : 1;
    Answer other;
    other.budget = answers[i].budget;
    head.answer(inputs[i], outputs.subspan(i * padded, rows * static_cast<size_t>(head.width())),
                other);
    const std::vector<double> ours = numbers_of(answers[i]);
    const std::vector<double> theirs = numbers_of(other);
    for (size_t k = 0; k < ours.size(); ++k) most = std::max(most, std::abs(ours[k] - theirs[k]));
  }
  return most;
}

// Rounds have the same index in both.
PeerRatio ratio_of(const Contestant& ours, const Contestant& theirs) {
  std::vector<double> ratios;
  for (size_t i = 0; i < ours.times.size(); ++i) ratios.push_back(ours.times[i] / theirs.times[i]);
  return {theirs.precision, quantile(ratios, 0.5), quantile(ratios, 0.1), quantile(ratios, 0.9)};
}

// The same engine and precision at budget 1, or the peer at the same budget.
const Contestant& find(const std::vector<Contestant>& all, const std::string& engine,
                       const std::string& precision, double budget) {
  return *std::find_if(all.begin(), all.end(), [&](const Contestant& one) {
    return one.engine == engine && one.precision == precision && one.budget == budget;
  });
}

std::vector<PeerRatio> compare(const Contestant& ours, const std::vector<Contestant>& all,
                               const std::vector<Native>& natives, LoadedPeer& peer,
                               const Inputs& inputs) {
  const auto native = std::find_if(natives.begin(), natives.end(), [&](const Native& one) {
    return one.precision == ours.precision;
  });
  const auto answers = native->session->run(inputs, Budget{ours.budget});
  const int batch = peer.add_batch(inputs);
  std::vector<PeerRatio> ratios;
  for (const std::string& precision : peer.precisions()) {
    ratios.push_back(ratio_of(ours, find(all, "onnxruntime", precision, ours.budget)));
    ratios.back().score_difference =
        score_difference(native->session->model().head(), inputs, answers,
                         peer.run(precision, ours.budget, batch).logits);
  }
  return ratios;
}

std::vector<ComparedCell> bench_batch(const std::vector<Native>& natives, LoadedPeer* peer,
                                      const Inputs& inputs, const BenchSettings& settings) {
  const std::vector<double> budgets = benched_budgets(settings.budgets);
  std::vector<Contestant> all = contestants(natives, peer, inputs, budgets);
  time_all(all, settings);
  size_t tokens = 0;
  size_t longest = 0;
  for (const Tokens& input : inputs) {
    tokens += input.ids.size();
    longest = std::max(longest, input.ids.size());
  }
  const ModelConfig& config = natives.front().session->model().config();
  std::vector<ComparedCell> cells;
  for (const Contestant& one : all) {
    ComparedCell compared;
    BenchCell& cell = compared.cell;
    cell.engine = one.engine;
    cell.precision = one.precision;
    cell.budget = one.budget;
    cell.batch = static_cast<int64_t>(inputs.size());
    cell.tokens = static_cast<int64_t>((tokens + inputs.size() / 2) / inputs.size());
    cell.threads = settings.threads;
    set_cost(cell, config.shape, config.selection(one.budget));
    set_times(cell, one.times, find(all, one.engine, one.precision, 1.0).times);
    compared.longest = static_cast<int64_t>(longest);
    if (peer != nullptr && one.engine == "native") {
      compared.ratios = compare(one, all, natives, *peer, inputs);
    }
    cells.push_back(std::move(compared));
  }
  return cells;
}

Inputs text_batch(const EngineModel& model, const std::string& file) {
  InputStream stream(file);
  LineReader reader(stream);
  Inputs inputs;
  for (std::string line; inputs.size() < PeerSettings::most_texts && reader.next(line);) {
    inputs.push_back(tokenise(model, {line}));
  }
  if (inputs.empty()) stream.fail("holds no text");
  return inputs;
}

std::vector<Native> load_natives(const std::filesystem::path& model,
                                 const BenchSettings& settings) {
  std::vector<Native> natives;
  for (const std::string& precision : settings.precisions) {
    natives.push_back(
        {precision,
         std::make_unique<Session>(EngineModel::load(model, {precision_table.parse(precision), {}}),
                                   settings.threads)});
  }
  return natives;
}

}  // namespace

Json to_json(const ComparedCell& compared) {
  Json json = to_json(compared.cell);
  json["longest"] = compared.longest;
  for (const PeerRatio& ratio : compared.ratios) {
    json["time_over_peer"][ratio.precision] = {{"median", ratio.median},
                                               {"p10", ratio.p10},
                                               {"p90", ratio.p90},
                                               {"score_difference", ratio.score_difference}};
  }
  return json;
}

std::vector<ComparedCell> bench_beside_peer(const std::filesystem::path& model,
                                            const BenchSettings& settings,
                                            const PeerSettings& peer_settings,
                                            ProgressSink& progress) {
  const std::vector<Native> natives = load_natives(model, settings);
  const EngineModel& first = natives.front().session->model();
  check_lengths(settings.tokens, first.config().shape);
  std::vector<Inputs> batches;
  for (const int64_t tokens : settings.tokens) {
    for (const int64_t batch : settings.batches) {
      batches.push_back(random_batch(first.config().shape, batch, tokens, settings.seed));
    }
  }
  if (!peer_settings.texts.empty()) batches.push_back(text_batch(first, peer_settings.texts));
  std::optional<LoadedPeer> peer;
  if (!peer_settings.peer.empty()) {
    peer.emplace(peer_settings, model, benched_budgets(settings.budgets), settings.threads);
  }
  ProgressUpdate update;
  update.stage = "bench";
  update.unit = "cells";
  update.total = static_cast<int64_t>(batches.size());
  std::vector<ComparedCell> cells;
  for (const Inputs& inputs : batches) {
    for (ComparedCell& cell : bench_batch(natives, peer ? &*peer : nullptr, inputs, settings)) {
      cells.push_back(std::move(cell));
    }
    ++update.done;
    progress.update(update);
  }
  return cells;
}

}  // namespace headroom
