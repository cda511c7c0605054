#include "budget/attention_kind.h"

#include <array>
#include <utility>

namespace headroom {
namespace {

constexpr std::array<std::pair<AttentionKind, std::string_view>, 4> names = {{
    {AttentionKind::standard, "standard"},
    {AttentionKind::optimized, "optimized"},
    {AttentionKind::efficient, "efficient"},
    {AttentionKind::super, "super"},
}};

}  // namespace

std::string_view attention_name(AttentionKind kind) {
  return names[static_cast<size_t>(kind)].second;
}

std::optional<AttentionKind> find_attention(std::string_view name) {
  for (const auto& [kind, known] : names) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

}  // namespace headroom
