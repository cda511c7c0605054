#include "text/pipeline/post_processor.h"

#include "text/pipeline/parts.h"
#include "text/vocabulary.h"

namespace headroom {
namespace {

constexpr auto max_id = static_cast<int64_t>(Vocabulary::max_size) - 1;

FramePiece text_piece(FramePiece::Kind kind, int32_t type = 0) {
  return {kind, 0, type};
}

FramePiece token_piece(int32_t id, int32_t type = 0) {
  return {FramePiece::Kind::special, id, type};
}

void require_one_frame(const PostProcessing& processing, const JsonFields& fields) {
  if (processing.single.empty()) return;
  fields.fail("type", "is the second that puts tokens around texts; one is read here");
}

// ["[SEP]", 102]
int32_t named_token(const JsonFields& fields, const char* key) {
  const Json& pair = fields.array(key);
  const bool fits = pair.size() == 2 && pair[1].is_number_unsigned() && pair[1] <= max_id;
  if (!fits) {
    fields.fail(key, fmt::format("is {}, expected a token and its id", shown(pair)));
  }
  return pair[1].get<int32_t>();
}

void read_bert(const JsonFields& fields, PostProcessing& processing) {
  require_one_frame(processing, fields);
  const int32_t cls = named_token(fields, "cls");
  const int32_t sep = named_token(fields, "sep");
  processing.single = {token_piece(cls), text_piece(FramePiece::Kind::first), token_piece(sep)};
  processing.pair = processing.single;
  processing.pair.push_back(text_piece(FramePiece::Kind::second, 1));
  processing.pair.push_back(token_piece(sep, 1));
}

void read_trimming(const JsonFields& fields, PostProcessing& processing) {
  processing.trims_offsets = fields.boolean_or("trim_offsets", true);
  processing.prefix_space_added = fields.boolean_or("add_prefix_space", true);
}

void read_roberta(const JsonFields& fields, PostProcessing& processing) {
  require_one_frame(processing, fields);
  const int32_t cls = named_token(fields, "cls");
  const int32_t sep = named_token(fields, "sep");
  processing.single = {token_piece(cls), text_piece(FramePiece::Kind::first), token_piece(sep)};
  processing.pair = processing.single;
  processing.pair.push_back(token_piece(sep));
  processing.pair.push_back(text_piece(FramePiece::Kind::second));
  processing.pair.push_back(token_piece(sep));
  read_trimming(fields, processing);
}

// A special token of a template may stand for several ids.
void add_special(const JsonFields& fields, const std::string& name, int32_t type,
                 std::vector<FramePiece>& frame) {
  const JsonFields tokens(fields.object("special_tokens"), ErrorCode::bad_model,
                          "tokenizer.json post_processor special_tokens");
  const JsonFields token(tokens.object(name), ErrorCode::bad_model,
                         fmt::format("tokenizer.json post_processor special_tokens {}", name));
  for (const Json& id : token.array("ids")) {
    if (!id.is_number_unsigned() || id > max_id) token.fail("ids", "holds something else than ids");
    frame.push_back(token_piece(id.get<int32_t>(), type));
  }
}

std::vector<FramePiece> read_template(const JsonFields& fields, const char* key) {
  std::vector<FramePiece> frame;
  for (const Json& piece : fields.array(key)) {
    const bool special = piece.is_object() && piece.contains("SpecialToken");
    const bool sequence = piece.is_object() && piece.contains("Sequence");
    if (!special && !sequence) {
      fields.fail(key, fmt::format("has {}, expected SpecialToken or Sequence", shown(piece)));
    }
    const JsonFields part(piece.at(special ? "SpecialToken" : "Sequence"), ErrorCode::bad_model,
                          fmt::format("tokenizer.json post_processor {}", key));
    const std::string id = part.text("id");
    const auto type = static_cast<int32_t>(part.integer_or("type_id", 0, 0, 15));
    if (special) {
      add_special(fields, id, type, frame);
    } else if (id == "A" || id == "B") {
      frame.push_back(
          text_piece(id == "A" ? FramePiece::Kind::first : FramePiece::Kind::second, type));
    } else {
      part.fail("id", fmt::format("is \"{}\", expected A or B", id));
    }
  }
  return frame;
}

void read_templates(const JsonFields& fields, PostProcessing& processing) {
  require_one_frame(processing, fields);
  processing.single = read_template(fields, "single");
  processing.pair = read_template(fields, "pair");
}

void read_processor(const Json& json, PostProcessing& processing);

void read_processor_sequence(const JsonFields& fields, PostProcessing& processing) {
  for (const Json& part : fields.array("processors")) read_processor(part, processing);
}

using ReadProcessor = void (*)(const JsonFields&, PostProcessing&);
constexpr std::array<PartKind<ReadProcessor>, 5> processor_kinds = {{
    {"BertProcessing", read_bert},
    {"ByteLevel", read_trimming},
    {"RobertaProcessing", read_roberta},
    {"Sequence", read_processor_sequence},
    {"TemplateProcessing", read_templates},
}};

void read_processor(const Json& json, PostProcessing& processing) {
  const TokenizerPart part(json, "post_processor");
  find_kind(processor_kinds, part.fields())(part.fields(), processing);
}

}  // namespace

PostProcessing read_post_processor(const Json& json) {
  PostProcessing processing;
  if (!json.is_null()) read_processor(json, processing);
  if (processing.single.empty()) processing.single = {text_piece(FramePiece::Kind::first)};
  if (processing.pair.empty()) {
    processing.pair = {text_piece(FramePiece::Kind::first),
                       text_piece(FramePiece::Kind::second, 1)};
  }
  return processing;
}

}  // namespace headroom
