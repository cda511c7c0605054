#include "engine/kernels/amx/probe.h"

#include <cstdint>

#include "engine/kernels/amx/tiles.h"

namespace headroom::kernels::amx {
namespace {

// A 16 x 16 lanes times B 16 x 16 lanes, both of `lane` everywhere.
template <TileElement element>
void multiply_constant(uint32_t lane, float* sums) {
  alignas(64) uint32_t operand[16 * 16];
  for (uint32_t& each : operand) each = lane;
  using T = Tiles<element>;
  T::configure(16);
  T::zero(0, 0);
  T::load_a(0, operand, 64);
  T::load_b(0, operand, 64);
  T::template multiply<1, 1>();
  T::store(0, 0, sums, 64);
  T::release();
}

}  // namespace

// Products of ones: every sum is the 32 bf16 or 64 bytes of a tile row.
bool products_are_right() {
  alignas(64) float sums[16 * 16];
  bool right = true;
  multiply_constant<TileElement::bf16>(0x3f803f80U, sums);
  for (const float sum : sums) right = right && sum == 32.0F;
  multiply_constant<TileElement::int8>(0x01010101U, sums);
  for (const float& sum : sums) {
    int32_t integer = 0;
    __builtin_memcpy(&integer, &sum, sizeof integer);
    right = right && integer == 64;
  }
  return right;
}

}  // namespace headroom::kernels::amx
