#include "checkpoint/hf/slow_tokenizer.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/pipeline/base64.h"
#include "text/sentencepiece.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

constexpr uint64_t file_limit = 64ULL << 20;

[[noreturn]] void refuse_slow(const std::string& message) {
  throw Error(ErrorCode::bad_model, "read Hugging Face tokenizer",
              message +
                  ". Load it in Transformers and call save_pretrained(), which writes a "
                  "tokenizer.json");
}

// Without the "Fast" of the newer ones; empty: not said.
std::string tokenizer_class(const HfFolder& folder) {
  if (!folder.has("tokenizer_config.json")) return "";
  const Json config = folder.json("tokenizer_config.json");
  std::string name = JsonFields(config, ErrorCode::bad_model, "tokenizer_config.json")
                         .text_or("tokenizer_class", "");
  if (name.ends_with("Fast")) name.resize(name.size() - 4);
  return name;
}

bool setting(const HfFolder& folder, const char* key) {
  if (!folder.has("tokenizer_config.json")) return false;
  const Json config = folder.json("tokenizer_config.json");
  return JsonFields(config, ErrorCode::bad_model, "tokenizer_config.json").boolean_or(key, false);
}

Json special_entry(const std::string& content, int64_t id, bool lstrip = false) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", lstrip},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

// Ids of tokens by name, in a vocabulary of either form.
int64_t id_in(const SortedJson& vocabulary, const std::string& token) {
  if (vocabulary.is_object()) {
    if (vocabulary.contains(token) && vocabulary[token].is_number_unsigned()) {
      return vocabulary[token].get<int64_t>();
    }
  } else {
    for (size_t i = 0; i < vocabulary.size(); ++i) {
      if (vocabulary[i][0] == token) return static_cast<int64_t>(i);
    }
  }
  refuse_slow(fmt::format("its vocabulary has no {}", token));
}

// <s> A </s>, and between two texts </s> </s>.
Json roberta_frame(const SortedJson& vocabulary, bool trims, bool prefix_space) {
  return {{"type", "RobertaProcessing"},
          {"sep", {"</s>", id_in(vocabulary, "</s>")}},
          {"cls", {"<s>", id_in(vocabulary, "<s>")}},
          {"trim_offsets", trims},
          {"add_prefix_space", prefix_space}};
}

Json bert_frame(const SortedJson& vocabulary) {
  return {{"type", "BertProcessing"},
          {"sep", {"[SEP]", id_in(vocabulary, "[SEP]")}},
          {"cls", {"[CLS]", id_in(vocabulary, "[CLS]")}}};
}

std::string assembled(const Json& parts, SortedJson model) {
  SortedJson all = SortedJson::parse(parts.dump());
  all["model"] = std::move(model);
  return all.dump();
}

std::vector<std::string> text_lines(std::string_view text) {
  std::vector<std::string> merges;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && !line.starts_with("#version")) merges.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return merges;
}

std::string from_merges(const HfFolder& folder) {
  const std::string name = tokenizer_class(folder);
  const bool known = name.empty() || name == "RobertaTokenizer" || name == "LongformerTokenizer" ||
                     name == "BartTokenizer";
  if (!known) refuse_slow(fmt::format("vocab.json and merges.txt of a {} are not read here", name));
  SortedJson vocabulary =
      parse_sorted_json(folder.text("vocab.json", file_limit), ErrorCode::bad_model, "vocab.json");
  if (!vocabulary.is_object()) refuse_slow("vocab.json is no object of tokens and their ids");
  const bool prefix_space = setting(folder, "add_prefix_space");
  Json parts;
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>", "<mask>"}) {
    const bool mask = std::string_view(token) == "<mask>";
    parts["added_tokens"].push_back(special_entry(token, id_in(vocabulary, token), mask));
  }
  parts["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", prefix_space}};
  parts["post_processor"] = roberta_frame(vocabulary, true, prefix_space);
  SortedJson model = {{"type", "BPE"},
                      {"merges", text_lines(folder.text("merges.txt", file_limit))}};
  model["vocab"] = std::move(vocabulary);
  return assembled(parts, std::move(model));
}

// The pieces of each family, with the special tokens where it has them.
SortedJson scored_vocabulary(const SentencePieceModel& model, const std::string& kind) {
  SortedJson list = SortedJson::array();
  const auto add = [&](const std::string& token, double score) { list.push_back({token, score}); };
  size_t from = 0;
  if (kind == "XLMRobertaTokenizer") {
    for (const char* token : {"<s>", "<pad>", "</s>", "<unk>"}) add(token, 0);
    from = 3;
  } else if (kind == "CamembertTokenizer") {
    for (const char* token : {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"}) add(token, 0);
    add("<unk>NOTUSED", -100);
    from = 1;
  }
  for (size_t i = from; i < model.pieces.size(); ++i) {
    add(model.pieces[i].text, model.pieces[i].score);
  }
  add(kind == "DebertaV2Tokenizer" ? "[MASK]" : "<mask>", 0);
  return list;
}

Json spaced_normalizer(const SentencePieceModel& model, bool lower_case) {
  Json parts = Json::array();
  if (lower_case) parts.push_back({{"type", "Lowercase"}});
  if (!model.charsmap.empty()) {
    parts.push_back(
        {{"type", "Precompiled"}, {"precompiled_charsmap", base64_encoded(model.charsmap)}});
  }
  parts.push_back({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}});
  parts.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
  return {{"type", "Sequence"}, {"normalizers", parts}};
}

std::string from_sentencepiece(const HfFolder& folder, const std::string& file,
                               const std::string& usual) {
  std::string kind = tokenizer_class(folder);
  if (kind.empty()) kind = usual;
  if (kind != "XLMRobertaTokenizer" && kind != "CamembertTokenizer" &&
      kind != "DebertaV2Tokenizer") {
    refuse_slow(fmt::format("{} of a {} is not read here", file, kind));
  }
  const SentencePieceModel model = parse_sentencepiece(folder.text(file, file_limit));
  if (model.kind != SentencePieceModel::Kind::unigram) {
    refuse_slow(fmt::format("{} is no Unigram model", file));
  }
  const bool deberta = kind == "DebertaV2Tokenizer";
  SortedJson vocabulary = scored_vocabulary(model, kind);
  Json parts;
  const std::vector<std::string> special =
      deberta ? std::vector<std::string>{"[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"}
              : std::vector<std::string>{"<s>", "<pad>", "</s>", "<unk>", "<mask>"};
  for (const std::string& token : special) {
    parts["added_tokens"].push_back(
        special_entry(token, id_in(vocabulary, token), token == "<mask>"));
  }
  parts["normalizer"] = spaced_normalizer(model, setting(folder, "do_lower_case"));
  parts["pre_tokenizer"] = {{"type", "Metaspace"}};
  parts["post_processor"] =
      deberta ? bert_frame(vocabulary) : roberta_frame(vocabulary, false, false);
  SortedJson unigram = {{"type", "Unigram"},
                        {"unk_id", id_in(vocabulary, deberta ? "[UNK]" : "<unk>")},
                        {"byte_fallback", model.byte_fallback}};
  unigram["vocab"] = std::move(vocabulary);
  return assembled(parts, std::move(unigram));
}

std::string from_mpnet_vocabulary(const HfFolder& folder) {
  SortedJson vocabulary = SortedJson::object();
  uint64_t id = 0;  // unsigned, as parsed ids are
  for (std::string& token : text_lines(folder.text("vocab.txt", Vocabulary::max_text_bytes))) {
    vocabulary[std::move(token)] = id++;
  }
  Json parts;
  for (const char* token : {"<s>", "<pad>", "</s>", "[UNK]", "<mask>"}) {
    const bool mask = std::string_view(token) == "<mask>";
    parts["added_tokens"].push_back(special_entry(token, id_in(vocabulary, token), mask));
  }
  parts["normalizer"] = {{"type", "BertNormalizer"}, {"lowercase", true}};
  if (folder.has("tokenizer_config.json") &&
      folder.json("tokenizer_config.json").contains("do_lower_case")) {
    parts["normalizer"]["lowercase"] = setting(folder, "do_lower_case");
  }
  parts["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  parts["post_processor"] = roberta_frame(vocabulary, false, false);
  SortedJson model = {{"type", "WordPiece"}, {"unk_token", "[UNK]"}};
  model["vocab"] = std::move(vocabulary);
  return assembled(parts, std::move(model));
}

}  // namespace

std::string convert_slow_tokenizer(const HfFolder& folder) {
  if (folder.has("vocab.json") && folder.has("merges.txt")) return from_merges(folder);
  if (folder.has("sentencepiece.bpe.model")) {
    return from_sentencepiece(folder, "sentencepiece.bpe.model", "XLMRobertaTokenizer");
  }
  if (folder.has("spm.model")) return from_sentencepiece(folder, "spm.model", "DebertaV2Tokenizer");
  const bool mpnet = folder.has("vocab.txt") && tokenizer_class(folder) == "MPNetTokenizer";
  return mpnet ? from_mpnet_vocabulary(folder) : "";
}

}  // namespace headroom
