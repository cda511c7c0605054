// config.json of nested and of pretrained models, and what it decides: tensors and tokenizer.
#include "checkpoint/config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "checkpoint/make_tokenizer.h"
#include "families/schema.h"
#include "support.h"
#include "text/word_tokenizer.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {
using testing::expect_error;

ModelConfig nested_config(int64_t group_width) {
  ModelConfig config;
  config.shape = {.layers = 2, .width = 8, .heads = 4, .ffn = 16, .vocabulary = 9, .positions = 6};
  config.method = Method::nested;
  config.labels = {"good", "bad"};
  config.order = uniform_order(config.shape, group_width);
  return config;
}

ModelConfig pretrained_config() {
  ModelConfig config = nested_config(0);
  config.task = Task::masked_lm;
  config.method = Method::dense;
  config.order.reset();
  config.labels.clear();
  config.shape.labels = 0;
  config.tokenizer = TokenizerKind::wordpiece;
  config.lower_case = false;
  return config;
}

// What a reader finds in the file that a writer made.
ModelConfig written_and_read(const ModelConfig& config) {
  const std::string text = config_to_json(config).dump();
  return config_from_json(parse_json(text, ErrorCode::bad_model, "config.json"));
}

void expect_refused(const Json& json, std::string_view why) {
  expect_error(ErrorCode::bad_model, why, [&] { config_from_json(json); });
}

ModelConfig adaptive_config() {
  ModelConfig config = nested_config(0);
  config.method = Method::adaptive;
  config.order.reset();
  config.shape.controller = 3;
  config.relevance_temperature = 0.5;
  return config;
}

TEST(AdaptiveConfig, ComesBackWholeWithAndWithoutGates) {
  ModelConfig config = adaptive_config();
  EXPECT_EQ(written_and_read(config).shape, config.shape);
  EXPECT_EQ(written_and_read(config).relevance_temperature, 0.5);
  EXPECT_FALSE(written_and_read(config).gates);
  config.gates = GateParameters{2, 4, std::vector<double>(8, 0.25), {unit_slope}};
  EXPECT_EQ(written_and_read(config).gates->offset, config.gates->offset);
}

TEST(AdaptiveConfig, NamesThreeMatricesForEveryLayer) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const TensorSpec& entry : adaptive_config().tensors()) shapes[entry.name] = entry.shape;
  const std::string controller = "bert.encoder.layer.1.attention.controller.";
  EXPECT_EQ(shapes.at(controller + "hidden.weight"), (std::vector<int64_t>{3, 8}));
  EXPECT_EQ(shapes.at(controller + "budget.weight"), (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(shapes.at(controller + "relevance.weight"), (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(shapes.size(), nested_config(0).tensors().size() + 12);
}

TEST(AdaptiveConfig, ABudgetIsTheMostThatAnInputMayGet) {
  const ModelConfig config = adaptive_config();
  EXPECT_EQ(config.selection(0.5).active_fraction(), 0.5);
  EXPECT_EQ(config.head_limit(0.5).most, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(config.selection(1.0), all_heads(2, 4));
}

TEST(AdaptiveConfig, HasBudgetsWithoutAnOrderOfItsHeads) {
  EXPECT_TRUE(adaptive_config().elastic());
  EXPECT_FALSE(adaptive_config().ordered());
  EXPECT_TRUE(nested_config(0).ordered());
  EXPECT_FALSE(pretrained_config().elastic());
}

TEST(AdaptiveConfig, NeedsAProgramThatKnowsControllers) {
  EXPECT_EQ(config_to_json(adaptive_config())["headroom"]["format"], 3);
  Json json = config_to_json(adaptive_config());
  json["headroom"].erase("controller");
  expect_refused(json, "controller");
  json = config_to_json(adaptive_config());
  json["headroom"]["controller"]["hidden"] = 0;
  expect_refused(json, "hidden");
}

TEST(NestedConfig, ComesBackWhole) {
  for (const int64_t group_width : {0, 2, 16}) {
    const ModelConfig config = nested_config(group_width);
    const ModelConfig back = written_and_read(config);
    EXPECT_EQ(back.method, Method::nested);
    EXPECT_EQ(back.shape, config.shape);
    EXPECT_EQ(back.labels, config.labels);
    EXPECT_EQ(back.order, config.order);
    EXPECT_FALSE(back.gates);
  }
}

TEST(NestedConfig, ScopeSaysWhetherTheFfnIsGoverned) {
  const Json both = config_to_json(nested_config(2));
  const Json heads = config_to_json(nested_config(0));
  EXPECT_EQ(both["headroom"]["scope"], "heads+ffn");
  EXPECT_EQ(heads["headroom"]["scope"], "heads");
  EXPECT_EQ(both["headroom"]["order"].size(), 24U) << "2 x (4 heads + 8 groups)";
  EXPECT_EQ(heads["headroom"]["order"].size(), 8U);
}

TEST(NestedConfig, AScopeThatTheOrderContradictsIsABadModel) {
  Json both = config_to_json(nested_config(2));
  both["headroom"]["scope"] = "heads";
  expect_refused(both, "scope is \"heads\", expected \"heads+ffn\"");
  Json heads = config_to_json(nested_config(0));
  heads["headroom"]["scope"] = "heads+ffn";
  expect_refused(heads, "scope is \"heads+ffn\", expected \"heads\"");
}

TEST(NestedConfig, ADamagedOrderIsABadModel) {
  const Json good = config_to_json(nested_config(2));
  const auto with_order = [&](const Json& order) {
    Json json = good;
    json["headroom"]["order"] = order;
    return json;
  };
  Json missing = good;
  missing["headroom"].erase("order");
  expect_refused(missing, "order is missing");
  expect_refused(with_order("h0"), "order");
  expect_refused(with_order(Json::array()), "h0 appears 0 times");
  expect_refused(with_order({"h0", 1}), "order holds 1, not a string");
  expect_refused(with_order({"h0", nullptr}), "order holds null, not a string");
  expect_refused(with_order({"h0", "h7"}), "\"h7\" is no unit");
  Json shorter = good;
  shorter["headroom"]["order"].erase(shorter["headroom"]["order"].size() - 1);
  expect_refused(shorter, "appears 7 times, expected 8");
}

TEST(NestedConfig, AnOrderOfAnotherShapeIsABadModel) {
  Json more_heads = config_to_json(nested_config(2));
  more_heads["num_attention_heads"] = 8;
  expect_refused(more_heads, "h0 appears 4 times, expected 8");
  Json odd_ffn = config_to_json(nested_config(2));
  odd_ffn["intermediate_size"] = 17;
  expect_refused(odd_ffn, "does not divide an FFN of 17");
}

TEST(NestedConfig, SelectsThePrefixOfItsOrder) {
  const ModelConfig config = written_and_read(nested_config(2));
  const Selection half = config.selection(0.5);
  EXPECT_EQ(half.kept, (std::vector<std::vector<int32_t>>{{0, 1}, {0, 1}}));
  EXPECT_EQ(half.ffn, (std::vector<int64_t>{8, 8}));
  const Selection all = config.selection(1.0);
  EXPECT_EQ(all.active_fraction(), 1.0);
  EXPECT_EQ(all.active_ffn(16), 1.0);
  EXPECT_TRUE(is_subset(half, all));
  expect_error(ErrorCode::usage, "is not a budget", [&] { config.selection(0); });
}

TEST(NestedConfig, OfHeadsSelectsNoFfn) {
  EXPECT_TRUE(nested_config(0).selection(0.5).ffn.empty());
}

TEST(PretrainedConfig, ComesBackWholeAndWithoutLabels) {
  const ModelConfig back = written_and_read(pretrained_config());
  EXPECT_EQ(back.task, Task::masked_lm);
  EXPECT_EQ(back.shape, pretrained_config().shape);
  EXPECT_TRUE(back.labels.empty());
  EXPECT_EQ(back.tokenizer, TokenizerKind::wordpiece);
  EXPECT_FALSE(back.lower_case);
}

TEST(PretrainedConfig, NamesItselfAsHuggingFaceDoes) {
  const Json json = config_to_json(pretrained_config());
  EXPECT_EQ(json["architectures"], Json({"BertForMaskedLM"}));
  EXPECT_FALSE(json.contains("id2label"));
  EXPECT_EQ(config_to_json(nested_config(0))["architectures"],
            Json({"BertForSequenceClassification"}));
}

TEST(PretrainedConfig, ABareEncoderSaysWhetherItHasAPooler) {
  ModelConfig config = pretrained_config();
  config.task = Task::encoder;
  for (const bool pooler : {true, false}) {
    config.pooler = pooler;
    const Json json = config_to_json(config);
    EXPECT_EQ(json["architectures"], Json({"BertModel"}));
    EXPECT_EQ(json["headroom"]["format"], 2) << "version 1 knows no such task";
    const ModelConfig back = written_and_read(config);
    EXPECT_EQ(back.task, Task::encoder);
    EXPECT_EQ(back.output_head(), pooler ? OutputHead::pooler : OutputHead::none);
    EXPECT_FALSE(back.classifies());
  }
}

TEST(PretrainedConfig, RunsAtBudgetOneOnly) {
  const ModelConfig config = pretrained_config();
  EXPECT_EQ(config.selection(1.0), all_heads(2, 4));
  expect_error(ErrorCode::usage, "budget 1 only", [&] { config.selection(0.5); });
}

ModelConfig compact_config() {
  ModelConfig config = nested_config(0);
  config.method = Method::dense;
  config.order.reset();
  config.stored = Selection{4, {{1, 3}, {}}, {10, 0}};
  return config;
}

TEST(CompactConfig, ComesBackWhole) {
  const ModelConfig back = written_and_read(compact_config());
  EXPECT_EQ(back.stored, compact_config().stored);
  EXPECT_EQ(back.selection(1.0), *compact_config().stored);
}

TEST(CompactConfig, ImpliesTensorsOfItsSizes) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const TensorSpec& entry : compact_config().tensors()) shapes[entry.name] = entry.shape;
  const std::string layer = "bert.encoder.layer.";
  EXPECT_EQ(shapes[layer + "0.attention.self.key.weight"], (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(shapes[layer + "0.attention.output.dense.weight"], (std::vector<int64_t>{8, 4}));
  EXPECT_EQ(shapes[layer + "0.intermediate.dense.weight"], (std::vector<int64_t>{10, 8}));
  EXPECT_EQ(shapes[layer + "1.attention.self.key.weight"], (std::vector<int64_t>{0, 8}));
  EXPECT_EQ(shapes[layer + "1.output.dense.weight"], (std::vector<int64_t>{8, 0}));
}

TEST(CompactConfig, SizesThatTheShapeContradictsAreABadModel) {
  const auto refused = [](const Json& heads, const Json& ffn, std::string_view why) {
    Json json = config_to_json(compact_config());
    json["headroom"]["stored"] = {{"heads", heads}, {"ffn", ffn}};
    expect_refused(json, why);
  };
  refused({{0}, {4}}, {1, 1}, "ascending numbers below 4");
  refused({{1, 1}, {0}}, {1, 1}, "ascending numbers");
  refused({{0}, {-1}}, {1, 1}, "ascending numbers");
  refused({{0}, {0.5}}, {1, 1}, "ascending numbers");
  refused({0, 1}, {1, 1}, "not a list");
  refused({{0}, {1}}, {1, 17}, "expected 0 to 16");
  refused({{0}, {1}}, {1, "all"}, "expected 0 to 16");
  refused({{0}}, {1, 1}, "have 1 and 2 layers, the model 2");
}

TEST(CompactConfig, HasNoSmallerBudgets) {
  Json json = config_to_json(nested_config(0));
  json["headroom"]["stored"] = config_to_json(compact_config())["headroom"]["stored"];
  expect_refused(json, "no smaller budgets");
}

TEST(AttentionConfig, EveryKindComesBack) {
  for (const char* name : {"standard", "optimized", "efficient", "super"}) {
    ModelConfig config = nested_config(2);
    config.shape.attention = attention_table.find(name).value();
    EXPECT_EQ(attention_name(written_and_read(config).shape.attention), name);
  }
  Json json = config_to_json(nested_config(2));
  json["headroom"]["attention"] = "linear";
  expect_refused(json, "standard, optimized, efficient, super");
}

TEST(ConfigFormat, SaysTheLowestVersionThatCanReadIt) {
  EXPECT_EQ(config_to_json(nested_config(2))["headroom"]["format"], 1);
  EXPECT_EQ(config_to_json(compact_config())["headroom"]["format"], 2);
  ModelConfig efficient = nested_config(2);
  efficient.shape.attention = AttentionKind::efficient;
  EXPECT_EQ(config_to_json(efficient)["headroom"]["format"], 2);
}

TEST(TokenizerConfig, LowerCaseIsKeptForWordPieces) {
  for (const bool lower_case : {true, false}) {
    ModelConfig config = pretrained_config();
    config.lower_case = lower_case;
    EXPECT_EQ(config_to_json(config)["headroom"]["lower_case"], lower_case);
    EXPECT_EQ(written_and_read(config).lower_case, lower_case);
  }
  EXPECT_FALSE(config_to_json(nested_config(0))["headroom"].contains("lower_case"));
}

TEST(TokenizerConfig, AnUnknownTokenizerIsABadModel) {
  Json json = config_to_json(pretrained_config());
  json["headroom"]["tokenizer"] = "sentencepiece";
  expect_refused(json, "tokenizer is \"sentencepiece\", this version knows: word, wordpiece");
  json["headroom"]["tokenizer"] = 3;
  expect_refused(json, "tokenizer");
  json["headroom"]["tokenizer"] = "wordpiece";
  json["headroom"]["lower_case"] = "yes";
  expect_refused(json, "lower_case is \"yes\"");
}

TEST(MakeTokenizer, GivesTheKindThatWasAskedFor) {
  const Vocabulary vocabulary = Vocabulary::with_words({"un", "##able", "unable", "Un"});
  const auto words = make_tokenizer(TokenizerKind::word, true, vocabulary);
  const auto pieces = make_tokenizer(TokenizerKind::wordpiece, true, vocabulary);
  EXPECT_NE(dynamic_cast<const WordTokenizer*>(words.get()), nullptr);
  EXPECT_NE(dynamic_cast<const WordPieceTokenizer*>(pieces.get()), nullptr);
  EXPECT_EQ(words->encode("unun", 9)[1], vocabulary.unknown_id());
  EXPECT_EQ(words->vocabulary(), vocabulary);
}

TEST(MakeTokenizer, KeepsCapitalsWhenAsked) {
  const Vocabulary vocabulary = Vocabulary::with_words({"un", "Un"});
  const auto first_id = [&](bool lower_case) {
    return make_tokenizer(TokenizerKind::wordpiece, lower_case, vocabulary)->encode("Un", 9)[1];
  };
  EXPECT_EQ(first_id(true), vocabulary.id("un"));
  EXPECT_EQ(first_id(false), vocabulary.id("Un"));
}

bool has_name(const std::vector<TensorSpec>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const TensorSpec& entry) { return entry.name == name; });
}

TEST(TensorNames, OfAMaskedLmHaveItsHeadInsteadOfAClassifier) {
  const ModelShape shape = pretrained_config().shape;
  const std::vector<TensorSpec> names = tensor_specs(shape, OutputHead::masked_lm);
  const std::vector<TensorSpec> classifier = tensor_specs(shape);
  EXPECT_FALSE(has_name(names, "classifier.weight"));
  EXPECT_FALSE(has_name(names, "bert.pooler.dense.weight"));
  EXPECT_FALSE(has_name(classifier, "cls.predictions.bias"));
  const size_t encoder = classifier.size() - 4;  // pooler and classifier, weight and bias each
  ASSERT_EQ(names.size(), encoder + 5);
  for (size_t i = 0; i < encoder; ++i) EXPECT_EQ(names[i].name, classifier[i].name);
  EXPECT_EQ(names[encoder].name, "cls.predictions.transform.dense.weight");
  EXPECT_EQ(names[encoder].shape, (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(names[encoder + 2].name, "cls.predictions.transform.LayerNorm.weight");
  EXPECT_EQ(names[encoder + 4].name, "cls.predictions.bias");
  EXPECT_EQ(names[encoder + 4].shape, (std::vector<int64_t>{9}));
}

ModelConfig task_config(Task task) {
  ModelConfig config = pretrained_config();
  config.task = task;
  if (task == Task::image) {
    config.image = {8, 3, 4};
    config.shape.positions = 5;
    config.shape.patch_values = 48;
    config.labels = {"cat", "dog"};
    config.shape.labels = 2;
  }
  config.shape.causal = task == Task::lm;
  config.shape.decoder_layers = task == Task::translate ? 3 : 0;
  if (task == Task::image || task == Task::lm) config.shape.token_types = 0;
  config.tokenizer = task == Task::lm ? TokenizerKind::character : TokenizerKind::wordpiece;
  return config;
}

TEST(TaskConfig, ComesBackWholeAndSaysItsVersion) {
  for (const Task task : {Task::image, Task::lm, Task::translate}) {
    const ModelConfig config = task_config(task);
    const Json json = config_to_json(config);
    EXPECT_EQ(json["model_type"], "headroom") << "no BERT: others must not take it for one";
    EXPECT_EQ(json["headroom"]["format"], 3);
    const ModelConfig back = written_and_read(config);
    EXPECT_EQ(back.task, task);
    EXPECT_EQ(back.shape, config.shape);
    EXPECT_EQ(back.image, config.image);
    EXPECT_EQ(back.labels, config.labels);
    EXPECT_EQ(back.tokenizer, config.tokenizer);
    EXPECT_EQ(back.output_head(),
              task == Task::image ? OutputHead::classifier : OutputHead::language);
  }
}

TEST(TaskConfig, PatchesThatDoNotFitAreRefused) {
  Json json = config_to_json(task_config(Task::image));
  json["headroom"]["image"]["patch"] = 3;
  expect_refused(json, "patch is 3, which does not divide the side of 8");
  json["headroom"]["image"]["patch"] = 2;
  expect_refused(json, "16 patches and a class token, but max_position_embeddings is 5");
  json["headroom"].erase("image");
  expect_refused(json, "image is missing");
}

TEST(TaskConfig, ATranslatorNeedsItsDecoder) {
  Json json = config_to_json(task_config(Task::translate));
  json["headroom"].erase("decoder_layers");
  expect_refused(json, "decoder_layers is missing");
}

}  // namespace
}  // namespace headroom
