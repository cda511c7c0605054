// The kinds of normaliser, each made from its part of tokenizer.json.
#pragma once

#include "text/pipeline/normalizer.h"

namespace headroom {

std::unique_ptr<Normalizer> make_nfc(const JsonFields& fields);
std::unique_ptr<Normalizer> make_nfd(const JsonFields& fields);
std::unique_ptr<Normalizer> make_nfkc(const JsonFields& fields);
std::unique_ptr<Normalizer> make_nfkd(const JsonFields& fields);
std::unique_ptr<Normalizer> make_bert_normalizer(const JsonFields& fields);
std::unique_ptr<Normalizer> make_byte_level_normalizer(const JsonFields& fields);
std::unique_ptr<Normalizer> make_lowercase(const JsonFields& fields);
std::unique_ptr<Normalizer> make_nmt(const JsonFields& fields);
std::unique_ptr<Normalizer> make_precompiled(const JsonFields& fields);
std::unique_ptr<Normalizer> make_prepend(const JsonFields& fields);
std::unique_ptr<Normalizer> make_replace(const JsonFields& fields);
std::unique_ptr<Normalizer> make_strip(const JsonFields& fields);
std::unique_ptr<Normalizer> make_strip_accents(const JsonFields& fields);

}  // namespace headroom
