// The kinds of pre-tokenizer, each made from its part of tokenizer.json.
#pragma once

#include "text/pipeline/pre_tokenizer.h"

namespace headroom {

std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_byte_level(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_delimiter_split(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_digits(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_metaspace(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_punctuation(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_split(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_whitespace(const JsonFields& fields);
std::unique_ptr<PreTokenizer> make_whitespace_split(const JsonFields& fields);

}  // namespace headroom
