// Hugging Face folders that are well: what each of their many spellings becomes.
#include "checkpoint/hf/config.h"
#include "checkpoint/hf/import.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/hf_fixture.h"
#include "checkpoint/tensors/safetensors.h"
#include "hf_model.h"

namespace headroom {
namespace {
using namespace testing;

std::string file_text(const std::filesystem::path& path) {
  return read_file(path, ErrorCode::bad_data);
}

void expect_same_tensors(const std::filesystem::path& one, const std::filesystem::path& other) {
  const SafetensorsFile first(one / "model.safetensors");
  const SafetensorsFile second(other / "model.safetensors");
  ASSERT_EQ(first.names(), second.names());
  for (const std::string& name : first.names()) {
    EXPECT_EQ(first.at(name).dtype, second.at(name).dtype) << name;
    EXPECT_EQ(first.shape(name), second.shape(name)) << name;
    EXPECT_TRUE(std::ranges::equal(first.bytes(name), second.bytes(name))) << name;
  }
}

// What the import wrote holds `fixture`'s values under our names.
void expect_values(const HfFixture& fixture, const std::map<std::string, std::string>& theirs) {
  const SafetensorsFile file(fixture.out() / "model.safetensors");
  for (const std::string& name : file.names()) {
    const auto renamed = theirs.find(name);
    const std::string& stored = renamed == theirs.end() ? name : renamed->second;
    EXPECT_EQ(file.read_f32(name), fixture.tensors.at(stored).values) << name;
  }
}

TEST(HfImport, AClassifierComesWhole) {
  HfFixture fixture;
  const ImportReport report = fixture.imported();
  EXPECT_EQ(report.architecture, "BertForSequenceClassification");
  EXPECT_EQ(report.notes, std::vector<std::string>{});
  expect_same_tensors(fixture.path(), fixture.out());
  const ModelConfig config = read_config(fixture.out());
  EXPECT_EQ(config.task, Task::classify);
  EXPECT_EQ(config.method, Method::dense);
  EXPECT_EQ(config.labels, (std::vector<std::string>{"bad", "good"}));
  EXPECT_EQ(config.tokenizer, TokenizerKind::wordpiece);
  EXPECT_TRUE(config.lower_case);
  EXPECT_EQ(read_vocabulary(fixture.out(), config).to_text(), hf_tokens);
}

TEST(HfImport, MissingLabelNamesAreNumbered) {
  HfFixture fixture;
  fixture.config.erase("id2label");
  EXPECT_EQ(fixture.imported().config.labels, (std::vector<std::string>{"LABEL_0", "LABEL_1"}));
}

TEST(HfImport, KeysThatAreNullSayNothing) {
  HfFixture fixture;
  for (const char* key : {"problem_type", "classifier_dropout", "position_embedding_type",
                          "pruned_heads", "num_labels", "layer_norm_eps"}) {
    fixture.config[key] = nullptr;
  }
  EXPECT_EQ(fixture.imported().notes, std::vector<std::string>{});
}

TEST(HfImport, NormsCalledGammaAndBetaAreRenamed) {
  HfFixture fixture;
  std::map<std::string, std::string> renamed;
  for (const char* norm :
       {"bert.embeddings.LayerNorm.", "bert.encoder.layer.0.attention.output.LayerNorm.",
        "bert.encoder.layer.0.output.LayerNorm."}) {
    for (const auto& [ours, theirs] : {std::pair("weight", "gamma"), std::pair("bias", "beta")}) {
      fixture.rename(norm + std::string(ours), norm + std::string(theirs));
      renamed[norm + std::string(ours)] = norm + std::string(theirs);
    }
  }
  fixture.imported();
  expect_values(fixture, renamed);
}

TEST(HfImport, AGammaThatIsNoNormsIsNotRenamed) {
  HfFixture fixture;
  fixture.rename("bert.encoder.layer.0.output.dense.weight",
                 "bert.encoder.layer.0.output.dense.gamma");
  expect_error(ErrorCode::bad_model, "no tensor \"bert.encoder.layer.0.output.dense.weight\"",
               [&] { fixture.imported(); });
}

TEST(HfImport, ABareModelIsAnEncoderWithItsPooler) {
  HfFixture fixture;
  fixture.make_bare();
  fixture.tensors["embeddings.position_ids"] = {{1, 5}, {0, 1, 2, 3, 4}};
  const ImportReport report = fixture.imported();
  EXPECT_EQ(report.notes, std::vector<std::string>{}) << "the buffer is not worth a word";
  const ModelConfig config = read_config(fixture.out());
  EXPECT_EQ(config.task, Task::encoder);
  EXPECT_TRUE(config.pooler);
  EXPECT_TRUE(config.labels.empty());
  const SafetensorsFile file(fixture.out() / "model.safetensors");
  EXPECT_EQ(file.read_f32("bert.pooler.dense.bias"),
            fixture.tensors.at("pooler.dense.bias").values);
  expect_error(ErrorCode::bad_model, "has no labels",
               [&] { require_answers(config, fixture.out()); });
}

TEST(HfImport, TheTableMayHaveMoreRowsThanThereAreTokens) {
  HfFixture fixture;
  HfTensor& words = fixture.tensors.at("bert.embeddings.word_embeddings.weight");
  words.shape[0] = 9;
  words.values.resize(words.values.size() + 8, 0.5F);
  fixture.config["vocab_size"] = 9;
  fixture.imported();
  const ModelConfig config = read_config(fixture.out());
  EXPECT_EQ(config.shape.vocabulary, 9);
  EXPECT_EQ(read_vocabulary(fixture.out(), config).size(), 7);
}

TEST(HfImport, ABareModelMayHaveNoPoolerAndNameNoArchitecture) {
  HfFixture fixture;
  fixture.make_bare();
  for (const char* key : {"architectures", "model_type"}) fixture.config.erase(key);
  for (const char* name : {"pooler.dense.weight", "pooler.dense.bias"}) fixture.tensors.erase(name);
  EXPECT_FALSE(fixture.imported().config.pooler);
  EXPECT_FALSE(read_config(fixture.out()).pooler);
  EXPECT_EQ(SafetensorsFile(fixture.out() / "model.safetensors").find("bert.pooler.dense.bias"),
            nullptr);
}

TEST(HfImport, HeadsOfPretrainingAreDroppedWithANote) {
  HfFixture fixture;
  fixture.config["architectures"] = {"BertForMaskedLM"};
  fixture.tensors.erase("classifier.weight");
  fixture.tensors.erase("classifier.bias");
  fixture.tensors["cls.predictions.bias"] = {{7}, std::vector<float>(7)};
  fixture.tensors["cls.predictions.decoder.weight"] =
      fixture.tensors.at("bert.embeddings.word_embeddings.weight");
  const ImportReport report = fixture.imported();
  EXPECT_EQ(report.config.task, Task::encoder);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes[0], "2 tensors of heads that are not used here (cls.*) are not kept");
}

TEST(HfImport, SixteenBitTensorsKeepTheirTypeAndValue) {
  for (const DType type : {DType::f16, DType::bf16}) {
    HfFixture fixture;
    for (auto& [name, tensor] : fixture.tensors) {
      tensor.dtype = type;
      for (float& value : tensor.values) value = std::floor(value);  // exact in eight bits
    }
    fixture.imported();
    expect_same_tensors(fixture.path(), fixture.out());
    expect_values(fixture, {});
  }
}

// Two shards and the index that Transformers writes for them.
void write_shards(const HfFixture& fixture) {
  Json index;
  std::vector<std::string> names[2];
  size_t bytes = 0;
  for (const auto& [name, tensor] : fixture.tensors) {
    const size_t shard = names[0].size() < 8 ? 0 : 1;
    names[shard].push_back(name);
    bytes += tensor.values.size() * sizeof(float);
    index["weight_map"][name] = shard == 0 ? "a.safetensors" : "b.safetensors";
  }
  index["metadata"]["total_size"] = bytes;
  fixture.write_companions();
  fixture.write_weights("a.safetensors", names[0]);
  fixture.write_weights("b.safetensors", names[1]);
  fixture.write("model.safetensors.index.json", index.dump());
}

TEST(HfImport, ShardsArePutTogether) {
  HfFixture fixture;
  write_shards(fixture);
  import_hf_folder(fixture.path(), fixture.out());
  expect_values(fixture, {});
}

TEST(HfImport, OtherDropoutsAreNoted) {
  HfFixture fixture;
  fixture.config["classifier_dropout"] = 0.3;
  fixture.write_all();
  const std::vector<std::string> notes = import_hf_folder(fixture.path(), fixture.out()).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0], "classifier_dropout = 0.3 is not kept: training here has one dropout, 0.1");
}

TEST(HfImport, AShorterLengthIsKept) {
  HfFixture fixture;
  fixture.write_all();
  fixture.write("tokenizer_config.json", R"({"model_max_length": 4})");
  import_hf_folder(fixture.path(), fixture.out());
  EXPECT_EQ(read_config(fixture.out()).longest_input(), 4);
}

TEST(HfImport, TheCardAndTheLicenceTravelAlong) {
  HfFixture fixture;
  fixture.write("README.md", "---\nlicense: mit\n---\n\n# Mood\n");
  fixture.write("LICENSE", "Permission is hereby granted\n");
  fixture.imported();
  const std::string card = file_text(fixture.out() / "README.md");
  EXPECT_TRUE(card.starts_with("---\nlicense: mit\n---\n\n# Mood\n\n## Imported by headroom\n"))
      << card;
  EXPECT_EQ(file_text(fixture.out() / "LICENSE"), "Permission is hereby granted\n");
}

TEST(HfImport, ALinkInsideTheFolderIsFollowed) {
  HfFixture fixture;
  fixture.write_all();
  std::filesystem::rename(fixture.path() / "vocab.txt", fixture.path() / "words.txt");
  std::filesystem::create_symlink("words.txt", fixture.path() / "vocab.txt");
  EXPECT_EQ(import_hf_folder(fixture.path(), fixture.out()).config.shape.vocabulary, 7);
}

// snapshots/main/config.json -> ../../blobs/0 and so on.
TEST(HfImport, TheHubsCacheIsReadWhenLinksAreFollowed) {
  HfFixture fixture;
  fixture.write_all();
  const auto snapshot = fixture.folder().path() / "snapshots" / "main";
  const auto blobs = fixture.folder().path() / "blobs";
  std::filesystem::create_directories(snapshot);
  std::filesystem::create_directories(blobs);
  int blob = 0;
  for (const auto& entry : std::filesystem::directory_iterator(fixture.path())) {
    const std::string name = std::to_string(blob++);
    std::filesystem::rename(entry.path(), blobs / name);
    std::filesystem::create_symlink("../../blobs/" + name, snapshot / entry.path().filename());
  }
  expect_error(ErrorCode::bad_model, "import it with --follow-links",
               [&] { import_hf_folder(snapshot, fixture.out()); });
  EXPECT_EQ(import_hf_folder(snapshot, fixture.out(), {.follow_links = true}).notes,
            std::vector<std::string>{});
  expect_values(fixture, {});
}

TEST(HfImport, LabelsAreRenamedInTheirOrder) {
  HfFixture fixture;
  fixture.write_all();
  const std::vector<std::string> labels = {"negative", "positive"};
  import_hf_folder(fixture.path(), fixture.out(), {.labels = labels});
  EXPECT_EQ(read_config(fixture.out()).labels, labels);
  expect_values(fixture, {});
  expect_error(ErrorCode::usage, "--labels has 3 names, the model has 2 labels: bad, good", [&] {
    import_hf_folder(fixture.path(), fixture.out(), {.labels = {"a", "b", "c"}});
  });
  expect_error(ErrorCode::usage, "a name twice", [&] {
    import_hf_folder(fixture.path(), fixture.out(), {.labels = {"a", "a"}});
  });
  fixture.make_bare();
  fixture.write_all();
  expect_error(ErrorCode::usage, "this model has no labels",
               [&] { import_hf_folder(fixture.path(), fixture.out(), {.labels = labels}); });
}

TEST(HfImport, WhatIsNoCheckpointIsNotReplaced) {
  HfFixture fixture;
  fixture.folder().write("model", "precious");
  expect_error(ErrorCode::usage, "exists and is not a checkpoint", [&] { fixture.imported(); });
  EXPECT_EQ(file_text(fixture.out()), "precious");
}

TEST(HfRoundTrip, AtBudgetOneIsBitEqual) {
  HfFixture fixture;
  fixture.imported();
  const auto exported = fixture.folder().path() / "exported";
  const auto again = fixture.folder().path() / "again";
  export_hf_folder(fixture.out(), 1.0, HfForm::dense_equivalent, exported);
  import_hf_folder(exported, again);
  expect_same_tensors(fixture.out(), exported);
  expect_same_tensors(fixture.out(), again);
  EXPECT_EQ(file_text(again / "vocab.txt"), file_text(fixture.out() / "vocab.txt"));
  EXPECT_EQ(file_text(again / "config.json"), file_text(fixture.out() / "config.json"));
}

TEST(RealFolder, GoesRoundBitEqual) {
  for (const std::string& name : hf_models) {
    const TemporaryFolder folder;
    const auto from = hf_model_folder(name);
    const auto in = folder.path() / "in";
    const auto out = folder.path() / "out";
    import_hf_folder(from, in);
    export_hf_folder(in, 1.0, HfForm::dense_equivalent, out);
    expect_same_tensors(from, out);
    if (std::filesystem::exists(from / "vocab.txt")) {
      EXPECT_EQ(file_text(out / "vocab.txt"), file_text(from / "vocab.txt"));
    }
    for (const char* key : {"architectures", "model_type", "vocab_size"}) {
      EXPECT_EQ(Json::parse(file_text(out / "config.json")).at(key),
                Json::parse(file_text(from / "config.json")).at(key));
    }
  }
}

// config.json of a folder, as our checkpoint of it has it.
Json imported_config(const std::string& name) {
  const TemporaryFolder folder;
  const ModelConfig config =
      import_hf_folder(hf_model_folder(name), folder.path() / "model").config;
  EXPECT_EQ(read_config(folder.path() / "model").shape, config.shape);
  return Json::parse(file_text(folder.path() / "model" / "config.json"));
}

TEST(RealFolder, OfRobertaCountsPositionsBehindThePaddingToken) {
  const TemporaryFolder folder;
  const ModelShape shape =
      import_hf_folder(hf_model_folder("roberta-cls"), folder.path() / "model").config.shape;
  EXPECT_EQ(shape.positions, 128);
  EXPECT_EQ(shape.position_rows(), 130);
  EXPECT_EQ(shape.padding_position, 1);
  EXPECT_EQ(shape.token_types, 1);
  const Json json = imported_config("roberta-cls");
  EXPECT_EQ(json.at("max_position_embeddings"), 130);
  EXPECT_EQ(json.at("pad_token_id"), 1);
}

TEST(RealFolder, OfElectraHasNarrowTables) {
  const Json json = imported_config("electra-cls");
  EXPECT_EQ(json.at("embedding_size"), 16);
  EXPECT_EQ(json.at("hidden_size"), 32);
}

TEST(RealFolder, OfMpnetKeepsItsBuckets) {
  const Json json = imported_config("mpnet-embed");
  EXPECT_EQ(json.at("relative_attention_num_buckets"), 32);
  EXPECT_EQ(json.at("max_position_embeddings"), 130);
}

// XLM-RoBERTa and CamemBERT have RoBERTa's tensors under RoBERTa's names.
TEST(RealFolder, OfRobertasSistersDifferInTheirClasses) {
  Json json = Json::parse(file_text(hf_model_folder("roberta-cls") / "config.json"));
  for (const auto& [type, name] :
       {std::pair("xlm-roberta", "XLMRoberta"), std::pair("camembert", "Camembert")}) {
    json["model_type"] = type;
    json["architectures"] = {std::string(name) + "ForSequenceClassification"};
    const HfConfig read = read_hf_config(without_nulls(json));
    EXPECT_EQ(read.config.shape.family, type);
    EXPECT_EQ(tensor_specs(read.config.shape).front().name,
              "roberta.embeddings.word_embeddings.weight");
  }
}

TEST(HfImport, ActivationsAreKeptUnderTheirFirstName) {
  for (const auto& [theirs, ours] :
       {std::pair("gelu_pytorch_tanh", "gelu_new"), std::pair("swish", "silu"),
        std::pair("relu", "relu"), std::pair("quick_gelu", "quick_gelu")}) {
    HfFixture fixture;
    fixture.config["hidden_act"] = theirs;
    EXPECT_EQ(activation_name(fixture.imported().config.shape.activation), ours);
    EXPECT_EQ(Json::parse(file_text(fixture.out() / "config.json")).at("hidden_act"), ours);
  }
}

TEST(RealFolder, OfDistilBertKeepsItsKeysAndNames) {
  const TemporaryFolder folder;
  const ImportReport report =
      import_hf_folder(hf_model_folder("distilbert-tiny"), folder.path() / "in");
  EXPECT_EQ(report.architecture, "DistilBertForSequenceClassification");
  EXPECT_EQ(report.config.shape.family, "distilbert");
  EXPECT_EQ(report.config.shape.token_types, 0);
  const Json json = Json::parse(file_text(folder.path() / "in" / "config.json"));
  EXPECT_EQ(json.at("dim"), 32);
  EXPECT_EQ(json.at("headroom").at("format"), 4);
  EXPECT_EQ(read_config(folder.path() / "in").shape, report.config.shape);
}

}  // namespace
}  // namespace headroom
