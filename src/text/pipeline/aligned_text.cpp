#include "text/pipeline/aligned_text.h"

#include <algorithm>
#include <utility>

namespace headroom {
namespace {

size_t character_bytes(std::string_view text, size_t position) {
  if (position >= text.size()) return 0;
  return static_cast<size_t>(decode_utf8(text.substr(position)).bytes);
}

}  // namespace

AlignedText::AlignedText(std::string_view text, bool aligned) : text_(text), aligned_(aligned) {
  if (!aligned) return;
  spans_.reserve(text.size());
  for_each([this](char32_t, size_t begin, size_t end) {
    spans_.resize(end, {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  });
}

TextSpan AlignedText::origin(size_t begin, size_t end) const {
  return {spans_[begin].begin, spans_[end - 1].end};
}

AlignedText AlignedText::slice(size_t begin, size_t end) const {
  AlignedText part;
  part.text_ = text_.substr(begin, end - begin);
  part.aligned_ = aligned_;
  if (aligned_) {
    part.spans_.assign(spans_.begin() + static_cast<std::ptrdiff_t>(begin),
                       spans_.begin() + static_cast<std::ptrdiff_t>(end));
    part.start_ = part.spans_.empty() ? start_ : part.spans_.front().begin;
  }
  return part;
}

void AlignedText::transform(std::span<const CharacterChange> changes, size_t removed) {
  std::string text;
  std::vector<TextSpan> spans;
  text.reserve(text_.size());
  if (aligned_) spans.reserve(text_.size());
  size_t position = 0;  // in the old text
  const auto skip = [&](size_t characters) {
    for (; characters > 0; --characters) position += character_bytes(text_, position);
  };
  if (aligned_) skip(removed);
  for (const CharacterChange& each : changes) {
    append_utf8(text, each.character);
    if (!aligned_) continue;
    const auto start = static_cast<uint32_t>(start_);
    TextSpan span{start, start};
    if (each.change > 0) {
      if (position > 0) span = spans_[position - 1];
    } else {
      if (!spans_.empty()) span = spans_[std::min(position, spans_.size() - 1)];
      skip(1 + static_cast<size_t>(-each.change));
    }
    spans.resize(text.size(), span);
  }
  text_ = std::move(text);
  spans_ = std::move(spans);
}

void AlignedText::prepend(std::string_view prefix) {
  if (text_.empty()) return;
  text_.insert(0, prefix);
  if (aligned_) spans_.insert(spans_.begin(), prefix.size(), TextSpan(spans_.front()));
}

void AlignedText::replace(std::span<const TextSpan> spans, std::string_view content) {
  std::string text;
  std::vector<TextSpan> aligned;
  size_t last = 0;
  const auto keep = [&](size_t end) {
    text.append(text_, last, end - last);
    if (aligned_) {
      aligned.insert(aligned.end(), spans_.begin() + static_cast<std::ptrdiff_t>(last),
                     spans_.begin() + static_cast<std::ptrdiff_t>(end));
    }
  };
  for (const TextSpan& span : spans) {
    keep(span.begin);
    text += content;
    const auto start = static_cast<uint32_t>(start_);
    if (aligned_) {
      aligned.resize(text.size(), span.end > 0 ? spans_[span.end - 1] : TextSpan{start, start});
    }
    last = span.end;
  }
  keep(text_.size());
  text_ = std::move(text);
  spans_ = std::move(aligned);
}

}  // namespace headroom
