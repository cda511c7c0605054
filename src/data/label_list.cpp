#include "data/label_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <system_error>

#include "base/error.h"

namespace headroom {
namespace {

std::optional<int64_t> parse_integer(const std::string& text) {
  int64_t value = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

constexpr size_t shown_labels = 20;  // enough to recognise a set, short enough for a message

}  // namespace

LabelList::LabelList(const std::vector<std::string>* fixed) : fixed_(fixed != nullptr) {
  if (!fixed_) return;
  for (const std::string& label : *fixed) insert(label);
  preferred_ = labels_.size();
  if (preferred_ < fixed->size()) {
    throw Error(ErrorCode::usage, "load data", "the list of known labels names one twice");
  }
}

int32_t LabelList::insert(const std::string& label) {
  const auto [entry, fresh] = numbers_.emplace(label, static_cast<int32_t>(labels_.size()));
  if (fresh) labels_.push_back(label);
  return entry->second;
}

void LabelList::prefer(const std::vector<std::string>& names) {
  if (fixed_) return;
  // Behind labels that have no order of their own (a CSV joined before this set) a list has none to
  // impose: all of those are sorted together.
  const bool keeps_order = labels_.size() == preferred_;
  for (const std::string& name : names) insert(name);
  if (keeps_order) preferred_ = labels_.size();
}

int32_t LabelList::number(const std::string& label, const RowOrigin& origin) {
  if (label.empty()) fail_row(origin, "the label is empty; is the label column the right one?");
  const auto found = numbers_.find(label);
  if (found != numbers_.end()) return found->second;
  if (fixed_) fail_unknown(label, origin);
  if (labels_.size() == max_labels) {
    fail_row(origin,
             fmt::format("more than {} different labels; is the label column the right one?",
                         max_labels));
  }
  return insert(label);
}

void LabelList::fail_unknown(const std::string& label, const RowOrigin& origin) const {
  const size_t shown = std::min(labels_.size(), shown_labels);
  fail_row(origin,
           fmt::format("unknown label \"{}\"; known are: {}{}{}", label,
                       fmt::join(labels_.begin(),
                                 labels_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       shown < labels_.size() ? ", ..." : "",
                       origin.line == 1 ? ". If line 1 is a header, say ?header=1" : ""));
}

LabelList::Order LabelList::finish() const {
  std::vector<size_t> order(labels_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto sorted = order.begin() + static_cast<std::ptrdiff_t>(preferred_);
  const bool numeric = std::all_of(sorted, order.end(),
                                   [&](size_t i) { return parse_integer(labels_[i]).has_value(); });
  std::sort(sorted, order.end(), [&](size_t a, size_t b) {
    if (numeric) {
      const int64_t left = *parse_integer(labels_[a]);
      const int64_t right = *parse_integer(labels_[b]);
      if (left != right) return left < right;
    }
    return labels_[a] < labels_[b];
  });
  Order result;
  result.renumber.resize(labels_.size());
  for (const size_t i : order) {
    result.renumber[i] = static_cast<int32_t>(result.labels.size());
    result.labels.push_back(labels_[i]);
  }
  return result;
}

}  // namespace headroom
