// Folders without a tokenizer.json: from the files of older tokenizers come the same tokens and
// types as from the tokenizer.json of the same model. Offsets too, but for the space in front of a
// word or a mask, which the usual conversions give to the token.
#include "checkpoint/hf/slow_tokenizer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "checkpoint/hf/tokenizer.h"
#include "hf_model.h"
#include "support.h"
#include "text/pipeline/base64.h"

namespace headroom {
namespace {
using namespace testing;

SortedJson tokenizer_json(const std::string& model) {
  return parse_sorted_json(
      read_file(hf_model_folder(model) / "tokenizer.json", ErrorCode::bad_data),
      ErrorCode::bad_data, "tokenizer.json");
}

// A folder with the tokenizer of `model` in other files.
class OlderFolder {
 public:
  OlderFolder(const std::string& model, const char* tokenizer_class) : model_(model) {
    Json config = {{"tokenizer_class", tokenizer_class}, {"model_max_length", 128}};
    folder_.write("tokenizer_config.json", config.dump());
  }
  void write(const char* name, const std::string& content) const { folder_.write(name, content); }

  enum class Offsets { equal, with_spaces };

  void expect_the_same_tokens(Offsets offsets = Offsets::equal) const {
    const auto older = open_hf_tokenizer(HfFolder(folder_.path()));
    const auto newer = open_hf_tokenizer(HfFolder(hf_model_folder(model_)));
    EXPECT_EQ(older->vocabulary(), newer->vocabulary());
    for (const HfCase& each : hf_cases(model_)) {
      Text text{each.text};
      if (each.pair) text.pair = *each.pair;
      const Encoding expected = newer->encode_with_offsets(text, 128);
      const Encoding found = older->encode_with_offsets(text, 128);
      EXPECT_EQ(found.ids, each.tokens.ids) << each.text;
      EXPECT_EQ(found.types, expected.types) << each.text;
      if (offsets == Offsets::equal) {
        EXPECT_EQ(found.offsets, expected.offsets) << each.text;
      }
    }
  }

 private:
  std::string model_;
  TemporaryFolder folder_;
};

TEST(SlowTokenizer, OfVocabularyAndMergesIsThatOfTokenizerJson) {
  const OlderFolder folder("roberta-cls", "RobertaTokenizer");
  const SortedJson model = tokenizer_json("roberta-cls").at("model");
  folder.write("vocab.json", model.at("vocab").dump());
  std::string merges = "#version: 0.2\n";
  for (const SortedJson& merge : model.at("merges")) {
    merges += merge.at(0).get<std::string>() + " " + merge.at(1).get<std::string>() + "\n";
  }
  folder.write("merges.txt", merges);
  folder.expect_the_same_tokens();
}

TEST(SlowTokenizer, OfAnMpnetListIsThatOfTokenizerJson) {
  const OlderFolder folder("mpnet-embed", "MPNetTokenizer");
  const SortedJson vocabulary = tokenizer_json("mpnet-embed").at("model").at("vocab");
  std::vector<std::string> lines(vocabulary.size());
  for (const auto& [token, id] : vocabulary.items()) lines.at(id.get<size_t>()) = token + "\n";
  std::string text;
  for (const std::string& line : lines) text += line;
  folder.write("vocab.txt", text);
  folder.expect_the_same_tokens(OlderFolder::Offsets::with_spaces);
}

// SentencePiece's protocol buffer.
std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7U) bytes += static_cast<char>(value | 0x80U);
  return bytes + static_cast<char>(value);
}

std::string bytes_field(unsigned number, const std::string& bytes) {
  return varint(number << 3U | 2U) + varint(bytes.size()) + bytes;
}

std::string piece_field(const std::string& text, double score) {
  const auto narrow = static_cast<float>(score);
  std::string bits(sizeof narrow, '\0');
  std::memcpy(bits.data(), &narrow, sizeof narrow);
  return bytes_field(1, bytes_field(1, text) + '\x15' + bits);
}

// `leading`: the pieces that stand in front of the others in the file.
std::string sentencepiece_model(const SortedJson& json, const std::vector<std::string>& leading,
                                size_t first) {
  std::string file;
  for (const std::string& piece : leading) file += piece_field(piece, 0);
  const SortedJson& vocabulary = json.at("model").at("vocab");
  for (size_t i = first; i + 1 < vocabulary.size(); ++i) {  // the last one is the mask
    file += piece_field(vocabulary[i][0].get<std::string>(), vocabulary[i][1].get<double>());
  }
  for (const SortedJson& part : json.at("normalizer").at("normalizers")) {
    if (part.at("type") != "Precompiled") continue;
    const Json none = Json::object();
    const std::string map = base64_decoded(part.at("precompiled_charsmap").get<std::string>(),
                                           {none, ErrorCode::bad_data, "normalizer"}, "map");
    file += bytes_field(3, bytes_field(2, map));
  }
  return file;
}

TEST(SlowTokenizer, OfAnXlmRobertaFileIsThatOfTokenizerJson) {
  const OlderFolder folder("xlmr-cls", "XLMRobertaTokenizer");
  folder.write("sentencepiece.bpe.model",
               sentencepiece_model(tokenizer_json("xlmr-cls"), {"<unk>", "<s>", "</s>"}, 4));
  folder.expect_the_same_tokens(OlderFolder::Offsets::with_spaces);
}

TEST(SlowTokenizer, OfADebertaFileIsThatOfTokenizerJson) {
  const OlderFolder folder("deberta-v2-cls", "DebertaV2Tokenizer");
  folder.write("spm.model", sentencepiece_model(tokenizer_json("deberta-v2-cls"), {}, 0));
  folder.expect_the_same_tokens(OlderFolder::Offsets::with_spaces);
}

TEST(SlowTokenizer, OfAnotherClassIsRefused) {
  const OlderFolder folder("roberta-cls", "CLIPTokenizer");
  folder.write("vocab.json", "{}");
  folder.write("merges.txt", "");
  expect_error(ErrorCode::bad_model, "CLIPTokenizer are not read here",
               [&] { folder.expect_the_same_tokens(); });
}

}  // namespace
}  // namespace headroom
