#include "train/peak_memory.h"

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <algorithm>
#include <memory>

#include "model/torch.h"

namespace headroom {
inline namespace train {
namespace {

#if TORCH_VERSION_MAJOR >= 2
using Total = size_t;
#else
using Total = int64_t;
#endif

class Watch : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* /*ptr*/, int64_t size, Total /*allocated*/, Total /*reserved*/,
                         c10::Device /*device*/) override {
    alive_ += size;  // below 0 when something is freed
    peak_ = std::max(peak_, alive_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  int64_t peak() const { return peak_; }

 private:
  int64_t alive_ = 0;
  int64_t peak_ = 0;
};

}  // namespace

int64_t peak_bytes(const std::function<void()>& work) {
  const auto watch = std::make_shared<Watch>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, watch);
  work();
  return watch->peak();
}

}  // namespace train
}  // namespace headroom
