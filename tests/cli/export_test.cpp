// `export`, and `bench` beside ONNX Runtime where `make peers` has installed it.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "checkpoint/exported_model.h"
#include "cli/contract.h"
#include "hf_model.h"

namespace headroom {
namespace {
using namespace testing;

class Export : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = write_nested(folder_).string();
    const Outcome first = run({"export", "--model", model_, "--out", out()});
    if (first.err.find("this build has no ONNX") != std::string::npos) {
      GTEST_SKIP() << "built without the onnx library";
    }
    expect_success(first);
  }

  std::string out() const { return (folder_.path() / "model.onnx").string(); }

  TemporaryFolder folder_;
  std::string model_;
};

TEST_F(Export, TellsWhatItWrote) {
  const Json line = only_json_line(
      run({"export", "--model", model_, "--out", out(), "--budget", "0.5", "--json"}));
  expect_keys(line, {"out", "format", "budget", "precision", "bytes"});
  EXPECT_EQ(line.value("bytes", uint64_t{0}), std::filesystem::file_size(out()));
}

TEST_F(Export, ASmallerBudgetIsASmallerFile) {
  const uint64_t dense = std::filesystem::file_size(out());
  expect_success(run({"export", "--model", model_, "--out", out(), "--budget", "0.25"}));
  EXPECT_LT(std::filesystem::file_size(out()), dense);
}

TEST_F(Export, EachFormSaysWhatItIsForAndNoCardPromisesOtherBudgets) {
  const auto exported = [&](const Arguments& more) {
    Arguments all = {"export", "--model", HEADROOM_SOURCE_DIR "/models/news-mini", "--budget",
                     "0.5"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    expect_success(outcome);
    return outcome.out;
  };
  const std::string folder = (folder_.path() / "half").string();
  expect_holds(exported({"--out", out()}), "for ONNX Runtime");
  expect_holds(exported({"--format", "hf", "--out", folder}), "for headroom");
  const std::string dense = exported({"--format", "hf", "--dense-equivalent", "--out", folder});
  expect_holds(dense, "for Transformers: full size");
  expect_holds(dense, "MB, budget 0.5 (the checkpoint: ");
  const std::string card = read_file(folder + "/README.md", ErrorCode::runtime);
  EXPECT_EQ(card.find("any compute budget"), std::string::npos) << card;
  expect_holds(card, "at budget 0.5");
}

TEST_F(Export, AFileThatIsNoOnnxStays) {
  const auto notes = folder_.write("notes.txt", "my notes");
  expect_failure(run({"export", "--model", model_, "--out", notes.string()}), 2,
                 "exists and is no ONNX file");
  EXPECT_EQ(read_file(notes, ErrorCode::runtime), "my notes");
}

TEST_F(Export, ATargetThatCannotBeWrittenIsARunTimeError) {
  const auto nowhere = folder_.path() / "missing" / "model.onnx";
  expect_failure(run({"export", "--model", model_, "--out", nowhere.string()}), 1, "missing");
}

TEST_F(Export, AFolderThatIsNoCheckpointIsABadModel) {
  expect_json_error(run({"export", "--model", folder_.path().string(), "--out", out(), "--json"}),
                    4, "bad_model", "config.json");
}

TEST_F(Export, WhatIsNotThereYetIsRefused) {
  expect_failure(run({"export", "--model", model_, "--out", out(), "--format", "tflite"}), 2,
                 "--format tflite is not supported");
  expect_failure(run({"export", "--model", model_, "--out", out(), "--dense-equivalent"}), 2,
                 "--dense-equivalent is for --format hf");
  expect_failure(run({"export", "--model", model_, "--out", out(), "--precision", "bf16"}), 2,
                 "--precision bf16 is not supported");
}

TEST_F(Export, APeerThatIsNotInstalledIsNamed) {
  expect_failure(run({"bench", "--model", model_, "--peer", "onnxruntime", "--peer-dir",
                      folder_.path().string(), "--tokens", "8"}),
                 2, "make peers");
  expect_failure(run({"bench", "--model", model_, "--peer", "tensorrt"}), 2,
                 "--peer tensorrt is not supported");
}

class OnnxRuntimePeers : public Export {
 protected:
  void SetUp() override {
    peers_ = (bin_directory().parent_path() / "peers").string();
    if (!std::filesystem::exists(peers_ + "/node_modules/onnxruntime-node")) {
      GTEST_SKIP() << peers_ << " is not there: `make peers` installs ONNX Runtime";
    }
    Export::SetUp();
  }

  // Every batch of `model` at every budget: same probabilities, padding or not.
  void expect_equal_answers(const std::string& model) {
    const auto texts = folder_.write("texts.txt", "a b c d e f g h i j k\nz\nq w e r t y\n");
    const std::vector<Json> cells = json_lines(
        run({"bench", "--model",          model,          "--peer",   "onnxruntime", "--peer-dir",
             peers_,  "--peer-precision", "fp32,int8",    "--batch",  "1,3",         "--tokens",
             "1,17",  "--budgets",        "0.25,0.5,1",   "--rounds", "1",           "--warmup",
             "0",     "--texts",          texts.string(), "--json"}));
    ASSERT_EQ(cells.size(), 45U) << "5 batches, 3 budgets, we and two peers";
    for (const Json& cell : cells) {
      if (cell.value("engine", "") == "onnxruntime") continue;
      expect_keys(cell, {"time_over_peer", "longest"});
      const Json& ratios = cell.at("time_over_peer");
      expect_keys(ratios.at("fp32"), {"median", "p10", "p90"});
      EXPECT_LT(ratios.at("fp32").value("score_difference", 1.0), 1e-4) << cell.dump();
      EXPECT_LT(ratios.at("int8").value("score_difference", 1.0), 0.1) << cell.dump();
    }
  }

  std::string peers_;
};

TEST_F(OnnxRuntimePeers, AnswerLikeTheEngine) {
  expect_equal_answers(model_);
}

// Token ids in, logits out: no engine of ours in between.
class OnnxRuntimePeersOf : public OnnxRuntimePeers,
                           public ::testing::WithParamInterface<std::string> {};

INSTANTIATE_TEST_SUITE_P(OnnxRuntimePeers, OnnxRuntimePeersOf,
                         ::testing::Values("bert-tiny", "deberta-v2-cls", "distilbert-tiny",
                                           "electra-cls", "modernbert-cls", "roberta-cls",
                                           "bert-multilabel", "bert-rerank", "bert-ner",
                                           "roberta-ner", "bert-embed-cls", "bert-embed-mean",
                                           "mpnet-embed"));

// Of a tagger token by token.
std::vector<double> outputs_of(const HfCase& each) {
  if (!each.embedding.empty()) return each.embedding;
  std::vector<double> outputs = each.logits;
  for (const auto& token : each.token_logits) {
    outputs.insert(outputs.end(), token.begin(), token.end());
  }
  return outputs;
}

TEST_P(OnnxRuntimePeersOf, GiveAnImportedModelTheOutputsOfTransformers) {
  const std::string imported = (folder_.path() / "imported").string();
  expect_success(
      run({"import", "--from", hf_model_folder(GetParam()).string(), "--out", imported}));
  expect_success(run({"export", "--model", imported, "--out", out()}));
  const std::vector<HfCase> cases = hf_cases(GetParam());
  std::string requests = Json{{"load", out()}, {"threads", 1}}.dump() + "\n";
  for (size_t i = 0; i < cases.size(); ++i) {
    const Json batch = {{"ids", {cases[i].tokens.ids}}, {"types", {cases[i].tokens.types}}};
    requests += Json{{"batch", batch}}.dump() + "\n";
    requests += Json{{"run", {{"session", 0}, {"batch", i}}}}.dump() + "\n";
  }
  const Outcome peer = run({peers_ + "/onnxruntime-peer.js"}, {requests, {}, "node"});
  expect_success(peer);
  const std::vector<Json> replies = json_lines(peer);
  ASSERT_EQ(replies.size(), 1 + 2 * cases.size()) << transcript(peer);
  for (size_t i = 0; i < cases.size(); ++i) {
    const Json& found = replies[2 + 2 * i].at("logits");
    const std::vector<double> expected = outputs_of(cases[i]);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(found[k].get<double>(), expected[k], 1e-4) << cases[i].text;
    }
  }
}

TEST_F(OnnxRuntimePeers, AnswerLikeTheEngineWhateverTheOutput) {
  for (const char* name : {"bert-rerank", "bert-multilabel", "roberta-ner", "mpnet-embed"}) {
    SCOPED_TRACE(name);
    const std::string imported = (folder_.path() / name).string();
    expect_success(run({"import", "--from", hf_model_folder(name).string(), "--out", imported}));
    const auto texts = folder_.write("texts.txt", "a b c\nz\nq w e r t y\n");
    for (
        const Json& cell : json_lines(run(
            {"bench",   "--model",  imported,   "--peer",  "onnxruntime",  "--peer-dir", peers_,
             "--batch", "1",        "--tokens", "9",       "--budgets",    "1",          "--rounds",
             "1",       "--warmup", "0",        "--texts", texts.string(), "--json"}))) {
      if (cell.value("engine", "") == "onnxruntime") continue;
      EXPECT_LT(cell.at("time_over_peer").at("fp32").value("score_difference", 1.0), 1e-4);
    }
  }
}

TEST_F(OnnxRuntimePeers, AnswerLikeTheEngineForEveryFamily) {
  for (const ModelShape& shape : family_shapes(exported_shape())) {
    SCOPED_TRACE(shape.family);
    expect_equal_answers(RandomCheckpoint(shape).path().string());
  }
}

TEST_F(OnnxRuntimePeers, AnswerLikeTheEngineForEveryActivation) {
  for (const ActivationKind kind : {ActivationKind::gelu_tanh, ActivationKind::quick_gelu,
                                    ActivationKind::silu, ActivationKind::relu}) {
    SCOPED_TRACE(activation_name(kind));
    ModelShape shape = exported_shape();
    shape.activation = kind;
    expect_equal_answers(RandomCheckpoint(shape).path().string());
  }
}

TEST_F(OnnxRuntimePeers, AnswerLikeTheEngineWhenLayersAreLeftOut) {
  const TemporaryFolder other;
  expect_equal_answers(write_nested(other, /*by_depth=*/true).string());
}

}  // namespace
}  // namespace headroom
