#include "train/rows/truncation_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace headroom {
inline namespace train {
namespace {

constexpr size_t most_measured = 2000;

std::optional<KeptPart> asked_part(TruncationChoice choice) {
  return kept_part_table.find(truncation_choice_table.name(choice));
}

// By rule, not by trial: docs/results/truncation.md.
KeptPart automatic_part(const TextCoding* fixed, KeptPart own, double share) {
  if (fixed != nullptr && fixed->truncation) return *fixed->truncation;
  return own == KeptPart::head && share > notable_share ? KeptPart::head_tail : own;
}

}  // namespace

double long_share(const TextRows& rows, const Tokenizer& tokenizer, int max_tokens) {
  const size_t measured = std::min(rows.count, most_measured);
  size_t found = 0;
  for (size_t i = 0; i < measured; ++i) {
    const std::string_view text = rows.text(i * rows.count / measured);
    if (tokenizer.tokens({text}, max_tokens).truncated) ++found;
  }
  return measured == 0 ? 0 : static_cast<double>(found) / static_cast<double>(measured);
}

void choose_truncation(const TaskRequest& request, const TextCoding* fixed, const TextRows& rows,
                       Tokenizer& tokenizer, TaskData& data) {
  const std::optional<KeptPart> asked = asked_part(request.truncation);
  if (rows.pairs) {
    if (!asked || *asked == KeptPart::head) return;
    throw Error(ErrorCode::usage, "train",
                fmt::format("--truncation {} is for single texts: of the pairs of {} the longer "
                            "text is cut first",
                            kept_part_table.name(*asked), data.name));
  }
  const KeptPart own = tokenizer.truncation().keeps;
  const double share = long_share(rows, tokenizer, request.max_tokens);
  const KeptPart kept = asked ? *asked : automatic_part(fixed, own, share);
  tokenizer.set_kept_part(kept);
  if (kept != own) data.truncation = kept;
  if (share <= notable_share && kept == own) return;
  data.truncation_note = fmt::format(
      "{:.0f} % of the training rows are longer than {} tokens: of a longer text the model reads "
      "{} (--truncation {})",
      100 * share, request.max_tokens, describe(kept), kept_part_table.name(kept));
}

}  // namespace train
}  // namespace headroom
