// The first step of a tokenizer read from tokenizer.json: rewrites a text before it is cut. Each
// kind is a file of normalizers/ and a line in normalizer.cpp's table.
#pragma once

#include <memory>

#include "base/json.h"
#include "text/pipeline/aligned_text.h"

namespace headroom {

class Normalizer {
 public:
  virtual ~Normalizer() = default;
  virtual void apply(AlignedText& text) const = 0;
  // Whether texts of printable ASCII without double, leading or trailing spaces stay as they are:
  // then they need no rewriting at all.
  virtual bool keeps_plain_ascii() const { return false; }
};

// From tokenizer.json's "normalizer" or a part of it. Throws ErrorCode::bad_model for what is not
// known here.
std::unique_ptr<Normalizer> make_normalizer(const Json& json);

}  // namespace headroom
