#include "checkpoint/hf/sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"

namespace headroom {
namespace {

constexpr std::string_view dense_name = "dense.";    // ours
constexpr std::string_view linear_name = "linear.";  // theirs

[[noreturn]] void refuse_modules(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read modules.json", message);
}

struct SentenceModule {
  std::string kind;  // "Pooling": the class without its package
  std::string path;
};

// Versions differ in the package, not in the class.
std::vector<SentenceModule> read_modules(const HfFolder& folder) {
  std::vector<SentenceModule> modules;
  for (const Json& entry : folder.list("modules.json")) {
    if (!entry.is_object()) refuse_modules(fmt::format("it holds {}", shown(entry)));
    const JsonFields fields(entry, ErrorCode::bad_model, "modules.json");
    const std::string type = fields.text("type");
    modules.push_back({type.substr(type.rfind('.') + 1), fields.text_or("path", "")});
  }
  return modules;
}

struct PoolingKey {
  std::string_view key;
  std::optional<Pooling> pooling;  // nothing: one that we do not have
};
constexpr PoolingKey pooling_keys[] = {
    {"pooling_mode_cls_token", Pooling::cls},
    {"pooling_mode_mean_tokens", Pooling::mean},
    {"pooling_mode_max_tokens", Pooling::max},
    {"pooling_mode_mean_sqrt_len_tokens", std::nullopt},
    {"pooling_mode_weightedmean_tokens", std::nullopt},
    {"pooling_mode_lasttoken", std::nullopt},
};

Pooling read_pooling(const JsonFields& fields) {
  if (fields.has("pooling_mode")) {
    const std::string name = fields.text("pooling_mode");
    if (const auto pooling = pooling_table.find(name)) return *pooling;
    fields.fail("pooling_mode",
                fmt::format("is \"{}\", this version knows: {}", name, pooling_table.list()));
  }
  std::optional<Pooling> found;
  for (const PoolingKey& each : pooling_keys) {
    if (!fields.boolean_or(each.key, each.pooling == Pooling::mean)) continue;  // its default
    if (!each.pooling) fields.fail(each.key, "is true, which our vectors do not have");
    if (found) fields.fail(each.key, "is true beside another: one pooling is expected");
    found = each.pooling;
  }
  if (!found) fields.fail("pooling_mode_mean_tokens", "is false, and no other pooling is true");
  return *found;
}

DenseActivation read_activation(const JsonFields& fields) {
  const std::string name =
      fields.text_or("activation_function", "torch.nn.modules.activation.Tanh");
  const std::string kind = name.substr(name.rfind('.') + 1);
  if (kind == "Identity") return DenseActivation::identity;
  if (kind == "Tanh") return DenseActivation::tanh;
  fields.fail("activation_function",
              fmt::format("is \"{}\", this version knows Identity and Tanh", name));
}

void read_prompts(const HfFolder& folder, VectorConfig& vector) {
  const std::string name = "config_sentence_transformers.json";
  if (!folder.has(name)) return;
  const Json json = folder.json(name);
  const JsonFields fields(json, ErrorCode::bad_model, name);
  if (fields.has("prompts")) {
    for (const auto& [prompt, text] : fields.object("prompts").items()) {
      if (!text.is_string()) fields.fail("prompts", fmt::format("needs a text under {}", prompt));
      vector.prompts[prompt] = text.get<std::string>();
    }
  }
  vector.default_prompt = fields.text_or("default_prompt_name", "");
  if (!vector.default_prompt.empty() && !vector.prompts.contains(vector.default_prompt)) {
    fields.fail("default_prompt_name",
                fmt::format("is \"{}\", which is no name in prompts", vector.default_prompt));
  }
}

void read_length(const HfFolder& folder, SentenceFolder& sentence) {
  const std::string name = "sentence_bert_config.json";
  if (!folder.has(name)) return;
  const Json json = folder.json(name);
  const JsonFields fields(json, ErrorCode::bad_model, name);
  if (fields.has("max_seq_length")) {
    sentence.max_tokens = fields.integer("max_seq_length", 2, 1 << 20);
  }
  sentence.lower_case = fields.boolean_or("do_lower_case", false);
}

void add_module(const HfFolder& root, const SentenceModule& module, SentenceFolder& sentence) {
  VectorConfig& vector = sentence.vector;
  if (module.kind == "Normalize") {
    vector.normalize = true;
    return;
  }
  const HfFolder folder = root.folder(module.path);
  const std::string origin = module.path + "/config.json";
  const Json json = folder.json("config.json");
  const JsonFields fields(json, ErrorCode::bad_model, origin);
  if (module.kind == "Pooling") {
    vector.pooling = read_pooling(fields);
    sentence.width = fields.has("word_embedding_dimension")
                         ? fields.integer("word_embedding_dimension", 1, 65536)
                         : fields.integer_or("embedding_dimension", 0, 1, 65536);
    if (!fields.boolean_or("include_prompt", true)) {
      fields.fail("include_prompt", "is false, our vectors are pooled over the prompt too");
    }
    return;
  }
  vector.activation = read_activation(fields);
  sentence.dense = {folder, fields.integer("in_features", 1, 65536),
                    fields.integer("out_features", 1, 65536), fields.boolean_or("bias", true)};
}

}  // namespace

std::optional<SentenceFolder> find_sentence_folder(const HfFolder& folder) {
  if (!folder.has("modules.json")) return std::nullopt;
  const std::vector<SentenceModule> modules = read_modules(folder);
  const bool pools = std::any_of(modules.begin(), modules.end(),
                                 [](const SentenceModule& each) { return each.kind == "Pooling"; });
  if (!pools) return std::nullopt;
  // Each at most once, in this order.
  constexpr std::array<std::string_view, 4> order = {"Transformer", "Pooling", "Dense",
                                                     "Normalize"};
  if (modules.front().kind != order[0]) {
    refuse_modules(fmt::format("it begins with {}, expected Transformer", modules.front().kind));
  }
  const std::string& path = modules.front().path;
  SentenceFolder sentence{path.empty() ? folder : folder.folder(path), 0, {}, {}, {}, false};
  sentence.vector.normalize = false;
  size_t next = 1;
  for (size_t i = 1; i < modules.size(); ++i) {
    const auto found = std::find(order.begin() + next, order.end(), modules[i].kind);
    if (found == order.end()) {
      refuse_modules(
          fmt::format("{} is module {}: our vectors have Transformer, Pooling, Dense "
                      "and Normalize, each at most once and in this order",
                      modules[i].kind, i));
    }
    next = static_cast<size_t>(found - order.begin()) + 1;
    add_module(folder, modules[i], sentence);
  }
  read_prompts(folder, sentence.vector);
  read_length(sentence.transformer, sentence);
  return sentence;
}

void set_vector_output(const SentenceFolder& sentence, ModelConfig& config,
                       std::vector<std::string>& notes) {
  ModelShape& shape = config.shape;
  config.task = Task::embed;
  config.labels.clear();
  shape.labels = 0;
  shape.readout = Readout::vector;
  config.output.vector = sentence.vector;
  if (sentence.width > 0 && sentence.width != shape.width) {
    refuse_modules(fmt::format("the pooling has {} dimensions, the transformer {}", sentence.width,
                               shape.width));
  }
  if (sentence.dense) {
    if (sentence.dense->inputs != shape.width) {
      refuse_modules(fmt::format("the dense layer reads {} dimensions, the pooling has {}",
                                 sentence.dense->inputs, shape.width));
    }
    shape.dense = sentence.dense->outputs;
  }
  if (sentence.max_tokens && *sentence.max_tokens < shape.positions) {
    config.max_tokens = sentence.max_tokens;
  }
  if (sentence.lower_case) {
    notes.emplace_back(
        "do_lower_case of sentence_bert_config.json is not kept: the tokenizer decides that here");
  }
}

DenseWeights::DenseWeights(const SentenceDense& dense) : weights_(dense.folder) {
  const auto add = [&](const std::string& part, const std::vector<int64_t>& shape) {
    const std::string theirs = std::string(linear_name) + part;
    const SafetensorsFile& file = weights_.file_of(theirs);
    file.expect_shape(theirs, shape);
    views_.push_back(
        {std::string(dense_name) + part, file.at(theirs).dtype, shape, file.finite_bytes(theirs)});
  };
  add("weight", {dense.outputs, dense.inputs});
  if (dense.bias) {
    add("bias", {dense.outputs});
    return;
  }
  zeros_.resize(static_cast<size_t>(dense.outputs) * sizeof(float));
  views_.push_back({"dense.bias", DType::f32, {dense.outputs}, zeros_});
}

std::map<std::string, std::string> sentence_files(const ModelConfig& config) {
  const VectorConfig& vector = config.output.vector;
  std::map<std::string, std::string> files;
  Json modules = Json::array();
  const auto add = [&](const std::string& kind, const std::string& path) {
    const std::string index = std::to_string(modules.size());
    modules.push_back({{"idx", modules.size()},
                       {"name", index},
                       {"path", path},
                       {"type", "sentence_transformers.models." + kind}});
  };
  add("Transformer", "");
  add("Pooling", "1_Pooling");
  Json pooling = {{"word_embedding_dimension", config.shape.width}};
  for (const PoolingKey& each : pooling_keys) {
    pooling[std::string(each.key)] = each.pooling == vector.pooling;
  }
  files["1_Pooling/config.json"] = pooling.dump(2) + "\n";
  if (config.shape.dense > 0) {
    add("Dense", "2_Dense");
    const bool tanh = vector.activation == DenseActivation::tanh;
    const Json dense = {{"in_features", config.shape.width},
                        {"out_features", config.shape.dense},
                        {"bias", true},
                        {"activation_function", tanh ? "torch.nn.modules.activation.Tanh"
                                                     : "torch.nn.modules.linear.Identity"}};
    files["2_Dense/config.json"] = dense.dump(2) + "\n";
  }
  if (vector.normalize) add("Normalize", fmt::format("{}_Normalize", modules.size()));
  files["modules.json"] = modules.dump(2) + "\n";
  files["sentence_bert_config.json"] =
      Json({{"max_seq_length", config.longest_input()}, {"do_lower_case", false}}).dump(2) + "\n";
  Json prompts = {{"prompts", vector.prompts}, {"default_prompt_name", nullptr}};
  if (vector.prompts.empty()) prompts["prompts"] = Json::object();
  if (!vector.default_prompt.empty()) prompts["default_prompt_name"] = vector.default_prompt;
  files["config_sentence_transformers.json"] = prompts.dump(2) + "\n";
  return files;
}

std::vector<TensorView> dense_views(const std::vector<TensorView>& tensors) {
  std::vector<TensorView> views;
  for (const TensorView& tensor : tensors) {
    if (!tensor.name.starts_with(dense_name)) continue;
    views.push_back(tensor);
    views.back().name = std::string(linear_name) + tensor.name.substr(dense_name.size());
  }
  return views;
}

}  // namespace headroom
