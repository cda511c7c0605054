// The kinds of attention of 2403.01643: which of the four projections a layer has.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/enum_table.h"

namespace headroom {

// Q, K, V and O are the projections. A head without K (or V) reads its own columns of the layer's
// input instead: head h of width W reads columns h * W to (h + 1) * W.
enum class AttentionKind {
  standard,   // Q, K, V, O
  optimized,  // Q, K, O (Definition 3.1)
  efficient,  // Q, O (Definition 3.3)
  super,      // Q, O, and a matrix that mixes the values of a layer over tokens (Definition 3.5)
};

inline constexpr AttentionKind all_attention_kinds[] = {
    AttentionKind::standard, AttentionKind::optimized, AttentionKind::efficient,
    AttentionKind::super};

inline constexpr auto attention_table =
    enum_table<AttentionKind>("attention", {{AttentionKind::standard, "standard"},
                                            {AttentionKind::optimized, "optimized"},
                                            {AttentionKind::efficient, "efficient"},
                                            {AttentionKind::super, "super"}});
constexpr const auto& table_of(AttentionKind) {
  return attention_table;
}
constexpr std::string_view attention_name(AttentionKind kind) {
  return attention_table.name(kind);
}

constexpr bool has_key_projection(AttentionKind kind) {
  return kind == AttentionKind::standard || kind == AttentionKind::optimized;
}
constexpr bool has_value_projection(AttentionKind kind) {
  return kind == AttentionKind::standard;
}
constexpr bool has_mixing(AttentionKind kind) {
  return kind == AttentionKind::super;
}
// Q, and K and V where they exist.
constexpr int64_t input_projections(AttentionKind kind) {
  return 1 + int64_t{has_key_projection(kind)} + int64_t{has_value_projection(kind)};
}

// Whether a layer's heads may change places: only where no head is bound to columns of the input.
constexpr bool heads_can_move(AttentionKind kind) {
  return kind == AttentionKind::standard;
}

}  // namespace headroom
