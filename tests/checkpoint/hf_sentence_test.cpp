// Folders of other outputs than one label: Sentence Transformers' modules, taggers, scores; in,
// out, and what is refused.
#include "checkpoint/hf/sentence.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/hf_fixture.h"

namespace headroom {
namespace {
using namespace testing;

constexpr const char* transformer =
    R"({"path":"","type":"sentence_transformers.models.Transformer"})";
constexpr const char* pooling =
    R"({"path":"1_Pooling","type":"sentence_transformers.models.Pooling"})";
constexpr const char* dense = R"({"path":"2_Dense","type":"sentence_transformers.models.Dense"})";
constexpr const char* normalize =
    R"({"path":"2_Normalize","type":"sentence_transformers.models.Normalize"})";

// A bare BERT, and modules around it.
class SentenceFixture : public HfFixture {
 public:
  SentenceFixture() {
    make_bare();
    modules({transformer, pooling, normalize});
    std::filesystem::create_directory(path() / "1_Pooling");
    std::filesystem::create_directory(path() / "2_Dense");
    write("1_Pooling/config.json",
          R"({"word_embedding_dimension":4,"pooling_mode_mean_tokens":true})");
  }
  void modules(const std::vector<std::string>& list) const {
    std::string text = "[";
    for (const std::string& module : list) text += (text.size() > 1 ? "," : "") + module;
    write("modules.json", text + "]");
  }
  // 3 outputs, with a bias or without.
  void add_dense(bool bias, const std::string& activation) const {
    modules({transformer, pooling, dense});
    write("2_Dense/config.json", Json({{"in_features", 4},
                                       {"out_features", 3},
                                       {"bias", bias},
                                       {"activation_function", activation}})
                                     .dump());
    const std::vector<float> weight = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    const std::vector<float> shift = {-1, -2, -3};
    std::vector<TensorView> views = {
        {"linear.weight", DType::f32, {3, 4}, std::as_bytes(std::span(weight))}};
    if (bias) views.push_back({"linear.bias", DType::f32, {3}, std::as_bytes(std::span(shift))});
    write_safetensors(path() / "2_Dense/model.safetensors", views);
  }
};

void expect_refused(const SentenceFixture& fixture, std::string_view why) {
  expect_error(ErrorCode::bad_model, why, [&] { fixture.imported(); });
}

TEST(SentenceFolder, BecomesAModelOfVectors) {
  const SentenceFixture fixture;
  fixture.write("sentence_bert_config.json", R"({"max_seq_length":4,"do_lower_case":false})");
  fixture.write("config_sentence_transformers.json",
                R"({"prompts":{"query":"query: ","document":""},"default_prompt_name":"query"})");
  const ImportReport report = fixture.imported();
  EXPECT_EQ(report.notes,
            std::vector<std::string>{"the pooler is not kept: this output does not read it"});
  const ModelConfig config = read_config(fixture.out());
  EXPECT_EQ(config.task, Task::embed);
  EXPECT_EQ(config.longest_input(), 4);
  EXPECT_EQ(config.output.vector.pooling, Pooling::mean);
  EXPECT_TRUE(config.output.vector.normalize);
  EXPECT_EQ(config.output.vector.prompts,
            (std::map<std::string, std::string>{{"query", "query: "}, {"document", ""}}));
  EXPECT_EQ(config.output.vector.default_prompt, "query");
  EXPECT_EQ(config.tensors().size(),
            SafetensorsFile(fixture.out() / "model.safetensors").names().size());
}

TEST(SentenceFolder, MayNotNormaliseAndMayPoolInOtherWays) {
  const SentenceFixture fixture;
  fixture.modules({transformer, pooling});
  fixture.write("1_Pooling/config.json", "{}");
  EXPECT_EQ(fixture.imported().config.output.vector.pooling, Pooling::mean) << "their default";
  fixture.write("1_Pooling/config.json",
                R"({"pooling_mode_max_tokens":true,"pooling_mode_mean_tokens":false})");
  EXPECT_EQ(fixture.imported().config.output.vector.pooling, Pooling::max);
  EXPECT_FALSE(read_config(fixture.out()).output.vector.normalize);
  fixture.write("1_Pooling/config.json", R"({"pooling_mode":"cls","embedding_dimension":4})");
  EXPECT_EQ(fixture.imported().config.output.vector.pooling, Pooling::cls);
}

TEST(SentenceFolder, MayKeepItsTransformerInAFolder) {
  const SentenceFixture fixture;
  fixture.write_all();
  fixture.modules({R"({"path":"0_Transformer","type":"a.b.Transformer"})", pooling, normalize});
  std::filesystem::create_directory(fixture.path() / "0_Transformer");
  for (const char* name :
       {"config.json", "vocab.txt", "tokenizer_config.json", "model.safetensors"}) {
    std::filesystem::rename(fixture.path() / name, fixture.path() / "0_Transformer" / name);
  }
  EXPECT_EQ(import_hf_folder(fixture.path(), fixture.out()).config.task, Task::embed);
}

TEST(SentenceFolder, BringsItsDenseLayer) {
  const SentenceFixture fixture;
  fixture.add_dense(true, "torch.nn.modules.linear.Identity");
  EXPECT_EQ(fixture.imported().config.shape.vector_width(), 3);
  const SafetensorsFile file(fixture.out() / "model.safetensors");
  EXPECT_EQ(file.shape("dense.weight"), (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(file.read_f32("dense.bias"), (std::vector<float>{-1, -2, -3}));
  EXPECT_EQ(read_config(fixture.out()).output.vector.activation, DenseActivation::identity);
  fixture.add_dense(false, "torch.nn.modules.activation.Tanh");
  EXPECT_EQ(fixture.imported().config.output.vector.activation, DenseActivation::tanh);
  EXPECT_EQ(SafetensorsFile(fixture.out() / "model.safetensors").read_f32("dense.bias"),
            (std::vector<float>{0, 0, 0}));
}

TEST(SentenceFolder, ComesBackFromExport) {
  const SentenceFixture fixture;
  fixture.add_dense(true, "torch.nn.modules.activation.Tanh");
  fixture.write("config_sentence_transformers.json", R"({"prompts":{"query":"query: "}})");
  fixture.write("sentence_bert_config.json", R"({"max_seq_length":4})");
  fixture.imported();
  const auto exported = fixture.folder().path() / "exported";
  const auto again = fixture.folder().path() / "again";
  for (const HfForm form : {HfForm::compact, HfForm::dense_equivalent}) {
    export_hf_folder(fixture.out(), 1.0, form, exported);
    EXPECT_EQ(HfWeights(HfFolder(exported).folder("2_Dense")).names(),
              (std::vector<std::string>{"linear.bias", "linear.weight"}));
    import_hf_folder(exported, again);
    const ModelConfig config = read_config(again);
    EXPECT_EQ(config.output, read_config(fixture.out()).output);
    EXPECT_EQ(config.shape, read_config(fixture.out()).shape);
    EXPECT_EQ(config.longest_input(), 4);
  }
}

TEST(SentenceFolder, WhatOurVectorsDoNotHaveIsRefused) {
  const SentenceFixture fixture;
  fixture.modules({transformer, pooling, R"({"path":"","type":"a.LayerNorm"})"});
  expect_refused(fixture, "LayerNorm is module 2");
  fixture.modules({transformer, normalize, pooling});
  expect_refused(fixture, "each at most once and in this order");
  fixture.modules({pooling});
  expect_refused(fixture, "it begins with Pooling");
  fixture.modules({transformer, R"({"path":"../hf","type":"a.Pooling"})"});
  expect_refused(fixture, "no folder inside");
  fixture.modules({transformer, pooling});
  fixture.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens":false,)"
                                         R"("pooling_mode_weightedmean_tokens":true})");
  expect_refused(fixture, "pooling_mode_weightedmean_tokens is true");
  fixture.write("1_Pooling/config.json",
                R"({"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":true})");
  expect_refused(fixture, "one pooling is expected");
  fixture.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens":false})");
  expect_refused(fixture, "no other pooling is true");
  fixture.write("1_Pooling/config.json",
                R"({"word_embedding_dimension":8,"pooling_mode_mean_tokens":true})");
  expect_refused(fixture, "the pooling has 8 dimensions, the transformer 4");
  fixture.write("1_Pooling/config.json",
                R"({"pooling_mode_mean_tokens":true,"include_prompt":false})");
  expect_refused(fixture, "include_prompt is false");
  fixture.write("1_Pooling/config.json", R"({"pooling_mode_mean_tokens":true})");
  fixture.add_dense(true, "torch.nn.modules.activation.ReLU");
  expect_refused(fixture, "this version knows Identity and Tanh");
}

TEST(HfOutputsIn, ATaggerComesWithItsLabels) {
  HfFixture fixture;
  fixture.config["architectures"] = {"BertForTokenClassification"};
  fixture.config["id2label"] = {{"0", "O"}, {"1", "B-PER"}};
  const ImportReport report = fixture.imported();
  EXPECT_EQ(report.architecture, "BertForTokenClassification");
  EXPECT_EQ(report.config.task, Task::tag);
  EXPECT_EQ(report.config.labels, (std::vector<std::string>{"O", "B-PER"}));
  EXPECT_EQ(read_config(fixture.out()).output_head(), OutputHead::tagger);
}

TEST(HfOutputsIn, ProblemTypeAndNumberOfLabelsSayWhichOutput) {
  HfFixture fixture;
  fixture.config["problem_type"] = "multi_label_classification";
  EXPECT_EQ(fixture.imported().config.task, Task::multilabel);
  fixture.config["problem_type"] = "regression";
  expect_error(ErrorCode::bad_model, "problem_type is \"regression\" with 2 labels",
               [&] { fixture.imported(); });
  fixture.config["id2label"] = {{"0", "LABEL_0"}};
  for (const char* name : {"classifier.weight", "classifier.bias"}) {
    HfTensor& tensor = fixture.tensors.at(name);
    tensor.shape[0] = 1;
    tensor.values.resize(tensor.values.size() / 2);
  }
  EXPECT_EQ(fixture.imported().config.task, Task::regress);
  fixture.config.erase("problem_type");
  EXPECT_EQ(fixture.imported().config.task, Task::rerank);
  EXPECT_EQ(read_config(fixture.out()).labels, std::vector<std::string>{"LABEL_0"});
}

}  // namespace
}  // namespace headroom
