// Compiled by scripts/compare-engine once for every version, against that version's header.
#include "version_contestant.h"

#include <headroom/headroom.h>

#include <span>
#include <vector>

extern "C" void* load_contestant(const char* model, int precision) {
  headroom::LoadOptions options;
#ifdef HEADROOM_API
  options.precision = static_cast<headroom::Precision>(precision);
#else
  options.arithmetic = static_cast<headroom::Arithmetic>(precision);
#endif
  return new headroom::Model(headroom::Model::load(model, options));
}

extern "C" void run_contestant(void* model, const int32_t* ids, int texts, int tokens) {
  std::vector<headroom::Tokens> inputs;
  for (int i = 0; i < texts; ++i) {
    inputs.push_back({std::vector<int32_t>(ids + i * tokens, ids + (i + 1) * tokens)});
  }
  static_cast<headroom::Model*>(model)->classify(std::span<const headroom::Tokens>(inputs));
}
