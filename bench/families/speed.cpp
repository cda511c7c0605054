#include "families/speed.h"

#include <fmt/format.h>

#include <functional>
#include <map>

#include "base/files/scratch_folder.h"
#include "base/measure/interleaved.h"
#include "checkpoint/hf/config.h"
#include "cli/engines/peer.h"
#include "cpu_time.h"
#include "engine/model.h"
#include "engine_random.h"
#include "families/families.h"
#include "families/run_command.h"

namespace headroom {
namespace {

constexpr const char* measured[] = {"bert",        "distilbert", "roberta",
                                    "xlm-roberta", "camembert",  "electra",
                                    "mpnet",       "modernbert", "deberta-v2"};
constexpr int tokens = 128;
constexpr int warmup = 3;
constexpr const char* onnxruntime = "onnxruntime fp32";

// What config.json says beyond sizes; where it says nothing, Transformers' defaults hold.
Json own_keys(const std::string& family) {
  if (family != "deberta-v2") return Json::object();
  return {{"relative_attention", true},  // as DeBERTa-v3 has them
          {"position_buckets", 256},        {"max_relative_positions", -1},
          {"pos_att_type", {"p2c", "c2p"}}, {"share_att_key", true},
          {"norm_rel_ebd", "layer_norm"},   {"position_biased_input", false}};
}

ModelShape shape_of(const std::string& family) {
  ModelShape sizes;
  sizes.layers = 6;
  sizes.width = 384;
  sizes.heads = 12;
  sizes.ffn = 1536;
  sizes.vocabulary = 8000;
  sizes.positions = 514;
  sizes.embedding = 128;  // of ELECTRA
  const ModelSchema& schema = *find_schema(family);
  Json config = own_keys(family);
  config["model_type"] = family;
  config["architectures"] = {schema.classifier_class};
  for (const SizeKey& key : schema.sizes) {
    if (key.fallback < 0) config[std::string(key.key)] = sizes.*key.size;
  }
  return read_hf_config(config).config.shape;
}

// One engine at one precision and budget. A run is the second of two: whoever ran before emptied
// the caches.
struct Contestant {
  std::string name;
  std::function<double()> run;  // returns the milliseconds that it computed
  std::vector<double> times = {};
};

class Native {
 public:
  Native(const std::filesystem::path& model, Precision precision)
      : model_(EngineModel::load(model, {precision, {}})),
        outputs_(static_cast<size_t>(model_->config().shape.labels)) {}

  Contestant at(double budget, const Tokens& text) {
    const std::string name = fmt::format("{} at {}", precision_table.name(precision()), budget);
    return {name, [this, plan = std::make_shared<Plan>(model_->plan(budget)), &text] {
              model_->encoder().run({&text, 1}, *plan, outputs_, arena_);
              const double started = thread_cpu_ms();
              model_->encoder().run({&text, 1}, *plan, outputs_, arena_);
              return thread_cpu_ms() - started;
            }};
  }

 private:
  Precision precision() const { return model_->weights().precision; }

  std::shared_ptr<const EngineModel> model_;
  std::vector<float> outputs_;
  Arena arena_;
};

Json summary(const std::string& family, const std::vector<Contestant>& all) {
  std::map<std::string, const std::vector<double>*> times;
  Json row = {{"family", family}};
  for (const Contestant& each : all) {
    times[each.name] = &each.times;
    row["ms"][each.name] = quantile(each.times, 0.5);
  }
  for (const std::string precision : {"fp32", "bf16"}) {
    const std::vector<double>& whole = *times.at(precision + " at 1");
    row["over_onnxruntime_fp32"][precision] = median_ratio(whole, *times.at(onnxruntime));
    row["half_budget_over_whole"][precision] =
        median_ratio(*times.at(precision + " at 0.5"), whole);
  }
  return row;
}

Json time_family(const std::string& family, const std::filesystem::path& program,
                 OnnxRuntimePeer& peer, int rounds) {
  const ScratchFolder scratch;
  const std::filesystem::path model = scratch.path() / "model";
  const std::filesystem::path onnx = scratch.path() / "model.onnx";
  write_random_checkpoint(model, shape_of(family));
  run_command({program.string(), "export", "--model", model.string(), "--out", onnx.string()});
  Random random{1};
  const Tokens text = {random_ids(random, shape_of(family), tokens), {}};
  const int session = peer.load(onnx, 1);
  const int batch = peer.add_batch({&text, 1});
  Native fp32(model, Precision::fp32);
  Native bf16(model, Precision::bf16);
  std::vector<Contestant> all = {fp32.at(1, text), fp32.at(0.5, text), bf16.at(1, text),
                                 bf16.at(0.5, text)};
  all.push_back({onnxruntime, [&] { return peer.run(session, batch).cpu_milliseconds; }});
  std::vector<std::function<void()>> runs;
  for (Contestant& each : all) {
    runs.emplace_back([&each] { each.times.push_back(each.run()); });
  }
  time_interleaved(runs, 0, warmup + rounds, 1);
  for (Contestant& each : all) each.times.erase(each.times.begin(), each.times.begin() + warmup);
  return summary(family, all);
}

}  // namespace

Json time_families(const std::filesystem::path& program, const std::filesystem::path& peers,
                   int rounds) {
  Json rows = Json::array();
  for (const std::string family : measured) {
    OnnxRuntimePeer peer(peers);
    rows.push_back(time_family(family, program, peer, rounds));
    fmt::print(stderr, "speed: {}\n", rows.back().dump());
  }
  return rows;
}

}  // namespace headroom
