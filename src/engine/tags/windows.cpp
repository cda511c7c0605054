#include "engine/tags/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "base/error.h"

namespace headroom {

TextWindows::TextWindows(const Tokenizer& tokenizer, std::string_view text, int64_t longest) {
  const Encoding all = tokenizer.encode_with_offsets({text}, INT_MAX);
  std::vector<int32_t> before, after;
  for (size_t i = 0; i < all.ids.size(); ++i) {
    if (all.sources[i] >= 0) {
      pieces_.push_back({all.ids[i], all.types[i], all.offsets[i]});
    } else {
      (pieces_.empty() ? before : after).push_back(all.ids[i]);
    }
  }
  if (pieces_.empty() && before.size() > 1) {  // an empty text: what ends it came to the front
    after.assign(before.begin() + 1, before.end());
    before.erase(before.begin() + 1, before.end());
  }
  before_ = before.size();
  const size_t special = before.size() + after.size();
  if (longest <= static_cast<int64_t>(special)) {
    throw Error(ErrorCode::usage, "tag",
                fmt::format("the model takes {} tokens, of which {} are special: none is left",
                            longest, special));
  }
  const size_t room = static_cast<size_t>(longest) - special;
  overlap_ = room / 4;
  step_ = room - overlap_;
  for (size_t begin = 0;; begin += step_) {
    const size_t end = std::min(begin + room, pieces_.size());
    Tokens window{before};
    for (size_t i = begin; i < end; ++i) window.ids.push_back(pieces_[i].id);
    window.ids.insert(window.ids.end(), after.begin(), after.end());
    if (tokenizer.letter_case()) {
      window.types.resize(window.ids.size(), 0);
      for (size_t i = begin; i < end; ++i) window.types[before_ + i - begin] = pieces_[i].type;
    }
    inputs_.push_back(std::move(window));
    if (end == pieces_.size()) break;
  }
}

std::vector<std::span<const double>> TextWindows::scores(std::span<const Answer> answers,
                                                         size_t labels) const {
  std::vector<std::span<const double>> scores;
  scores.reserve(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) {
    // The middle of what two windows share is where the next one takes over.
    const size_t middle = overlap_ / 2;
    const size_t window = i < middle ? 0 : std::min((i - middle) / step_, inputs_.size() - 1);
    const size_t row = before_ + i - window * step_;
    scores.push_back(std::span(answers[window].scores).subspan(row * labels, labels));
  }
  return scores;
}

}  // namespace headroom
