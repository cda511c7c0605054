#include "engine_gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string_view>

#include "base/measure/interleaved.h"
#include "engine/aligned_buffer.h"
#include "engine_peak.h"
#ifdef HEADROOM_BENCH_ONEDNN
#include <oneapi/dnnl/dnnl.h>
#endif

namespace headroom {
namespace {

double seconds(const std::function<void()>& work, int repeats) {
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count() /
         repeats;
}

// One shape's operands in all forms; zeros, whose products take as long as any.
class Contest {
 public:
  Contest(const Kernels& kernels, const GemmShape& shape)
      : kernels_(kernels),
        shape_(shape),
        a_(static_cast<size_t>(shape.rows * (shape.in + panel_width)) * 4),
        b_(static_cast<size_t>(shape.in * shape.out) * 4),
        c_(static_cast<size_t>(shape.rows * shape.out) * 4),
        scales_(static_cast<size_t>(std::max(shape.rows, shape.out)) * 4) {}

  void ours(int64_t lane_elements) {
    const int64_t lanes = shape_.in / lane_elements;
    const GemmSegment all = {0, 0, lanes};
    std::vector<GemmPanel> panels;
    for (int64_t p = 0; p < shape_.out / panel_width; ++p) {
      panels.push_back({b_.data() + p * lanes * panel_width * 4, nullptr,
                        c_.data() + p * panel_width * 4, shape_.out,
                        reinterpret_cast<const float*>(scales_.data()),
                        reinterpret_cast<const int32_t*>(scales_.data())});
    }
    GemmCall call;
    call.a = a_.data();
    call.a_stride = lanes + panel_width;  // a cache line more, as in the engine
    call.rows = shape_.rows;
    call.segments = &all;
    call.segment_count = 1;
    call.panels = panels.data();
    call.panel_count = static_cast<int64_t>(panels.size());
    call.a_scales = reinterpret_cast<const float*>(scales_.data());
    if (lane_elements == 1) kernels_.gemm_f32(call);
    if (lane_elements == 2) kernels_.gemm_bf16(call);
    if (lane_elements == 4) kernels_.gemm_int8(call);
  }

#ifdef HEADROOM_BENCH_ONEDNN
  void onednn() {
    dnnl_sgemm('N', 'N', shape_.rows, shape_.out, shape_.in, 1.0F,
               reinterpret_cast<const float*>(a_.data()), shape_.in + panel_width,
               reinterpret_cast<const float*>(b_.data()), shape_.out, 0.0F,
               reinterpret_cast<float*>(c_.data()), shape_.out);
  }
#endif

 private:
  const Kernels& kernels_;
  GemmShape shape_;
  AlignedBuffer a_;
  AlignedBuffer b_;
  AlignedBuffer c_;
  AlignedBuffer scales_;
};

bool one_openmp_thread() {
  const char* threads = std::getenv("OMP_NUM_THREADS");
  return threads != nullptr && std::string_view(threads) == "1";
}

}  // namespace

Table measure_products(const Kernels& kernels, const std::vector<GemmShape>& shapes, int rounds) {
  const double peak = measured_peak(kernels.isa, Precision::fp32);
  const double peak_bf16 = measured_peak(kernels.isa, Precision::bf16);
  const double peak_int8 = measured_peak(kernels.isa, Precision::int8);
  const auto with_share = [](double rate, double of) {
    return of > 0 ? fmt::format("{:.0f} ({:.0f} %)", rate, 100 * rate / of)
                  : fmt::format("{:.0f}", rate);
  };
  Table table{{"rows x in x out", fmt::format("fp32 (peak {:.0f})", peak),
               fmt::format("bf16 (peak {:.0f})", peak_bf16),
               fmt::format("int8 (peak {:.0f})", peak_int8), "oneDNN sgemm"},
              {}};
  for (const GemmShape& shape : shapes) {
    Contest contest(kernels, shape);
    const double flops = 2e-9 * static_cast<double>(shape.rows * shape.in * shape.out);
    const int repeats = std::max(1, static_cast<int>(0.05 / flops));
    std::vector<double> fp32;
    std::vector<double> bf16;
    std::vector<double> int8;
    std::vector<double> onednn;
    for (int round = 0; round < rounds; ++round) {
      fp32.push_back(flops / seconds([&] { contest.ours(1); }, repeats));
      bf16.push_back(flops / seconds([&] { contest.ours(2); }, repeats));
      int8.push_back(flops / seconds([&] { contest.ours(4); }, repeats));
#ifdef HEADROOM_BENCH_ONEDNN
      if (one_openmp_thread()) {
        onednn.push_back(flops / seconds([&] { contest.onednn(); }, repeats));
      }
#endif
    }
    table.rows.push_back({fmt::format("{} x {} x {}", shape.rows, shape.in, shape.out),
                          with_share(quantile(fp32, 0.5), peak),
                          with_share(quantile(bf16, 0.5), peak_bf16),
                          with_share(quantile(int8, 0.5), peak_int8),
                          onednn.empty() ? "-" : with_share(quantile(onednn, 0.5), peak)});
  }
  if (!one_openmp_thread()) table.header.back() = "oneDNN (set OMP_NUM_THREADS=1)";
  return table;
}

}  // namespace headroom
