#include "text/pipeline/split.h"

namespace headroom {
namespace {

struct Stretch {
  TextSpan span;
  bool match = false;
};

// Matches and what lies between them, in order.
std::vector<Stretch> stretches_of(const AlignedText& text, const std::vector<TextSpan>& matches,
                                  bool inverted) {
  std::vector<Stretch> all;
  uint32_t last = 0;
  for (const TextSpan& match : matches) {
    if (match.begin > last) all.push_back({{last, match.begin}, inverted});
    all.push_back({match, !inverted});
    last = match.end;
  }
  const auto size = static_cast<uint32_t>(text.size());
  if (last < size) all.push_back({{last, size}, inverted});
  return all;
}

// A match that follows none goes to the stretch before it.
std::vector<TextSpan> merged_with_previous(const std::vector<Stretch>& stretches) {
  std::vector<TextSpan> spans;
  bool after_match = false;
  for (const Stretch& stretch : stretches) {
    if (stretch.match && !after_match && !spans.empty()) {
      spans.back().end = stretch.span.end;
    } else {
      spans.push_back(stretch.span);
    }
    after_match = stretch.match;
  }
  return spans;
}

// Of matches in a row the last goes to the stretch behind it.
std::vector<TextSpan> merged_with_next(const std::vector<Stretch>& stretches) {
  std::vector<TextSpan> spans;
  for (size_t i = 0; i < stretches.size(); ++i) {
    const bool begins_next =
        stretches[i].match && i + 1 < stretches.size() && !stretches[i + 1].match;
    spans.push_back(stretches[i].span);
    if (begins_next) spans.back().end = stretches[++i].span.end;
  }
  return spans;
}

std::vector<TextSpan> contiguous(const std::vector<Stretch>& stretches) {
  std::vector<TextSpan> spans;
  bool last_match = false;
  for (const Stretch& stretch : stretches) {
    if (!spans.empty() && stretch.match == last_match) {
      spans.back().end = stretch.span.end;
    } else {
      spans.push_back(stretch.span);
    }
    last_match = stretch.match;
  }
  return spans;
}

std::vector<TextSpan> spans_of(const std::vector<Stretch>& stretches, SplitBehavior behavior) {
  if (behavior == SplitBehavior::merged_with_previous) return merged_with_previous(stretches);
  if (behavior == SplitBehavior::merged_with_next) return merged_with_next(stretches);
  if (behavior == SplitBehavior::contiguous) return contiguous(stretches);
  std::vector<TextSpan> spans;
  for (const Stretch& stretch : stretches) {
    if (behavior == SplitBehavior::isolated || !stretch.match) spans.push_back(stretch.span);
  }
  return spans;
}

}  // namespace

void split_text(const AlignedText& text, const std::vector<TextSpan>& matches,
                SplitBehavior behavior, bool inverted, std::vector<AlignedText>& parts) {
  for (const TextSpan& span : spans_of(stretches_of(text, matches, inverted), behavior)) {
    if (span.begin < span.end) parts.push_back(text.slice(span.begin, span.end));
  }
}

}  // namespace headroom
