#include "engine_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine_peak.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double smallest_share = 0.004;  // that has a line of its own

// Calls of one kernel on one shape. Not a product: `out` is 0.
struct Part {
  std::string_view kernel;
  int64_t rows = 0;
  int64_t in = 0;
  int64_t out = 0;
  int64_t per_unit = 1;
  int64_t calls = 0;
  double seconds = 0;

  double flops() const { return 2.0 * static_cast<double>(calls * rows * in * out); }
};

bool alike(const Part& a, const Part& b) {
  return a.kernel == b.kernel && a.rows == b.rows && a.in == b.in && a.out == b.out &&
         a.per_unit == b.per_unit;
}

// Kernels are plain functions, so what they write to is at hand for all of them.
struct Record {
  const Kernels* kernels = nullptr;
  std::vector<Part> parts;
};
Record record;

void note(const Part& called, Clock::time_point started) {
  const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
  auto part = std::ranges::find_if(record.parts, [&](const Part& p) { return alike(p, called); });
  if (part == record.parts.end()) part = record.parts.insert(part, called);
  ++part->calls;
  part->seconds += seconds;
}

Part product_of(const GemmCall& call, int64_t per_unit) {
  Part part{"product", call.rows, 0, call.panel_count * panel_width, per_unit};
  if (call.finish == GemmFinish::gelu) part.kernel = "product, GELU";
  if (call.finish == GemmFinish::scale_rows) part.kernel = "product, rows scaled";
  if (call.start == GemmStart::accumulate) part.kernel = "product, added";
  for (int64_t s = 0; s < call.segment_count; ++s) part.in += call.segments[s].length * per_unit;
  return part;
}

// The kernels of `record` with a clock around each.
Kernels timed_kernels() {
  Kernels timed = *record.kernels;
  timed.gemm_f32 = [](const GemmCall& call) {
    const auto started = Clock::now();
    record.kernels->gemm_f32(call);
    note(product_of(call, 1), started);
  };
  timed.gemm_bf16 = [](const GemmCall& call) {
    const auto started = Clock::now();
    record.kernels->gemm_bf16(call);
    note(product_of(call, 2), started);
  };
  timed.gemm_int8 = [](const GemmCall& call) {
    const auto started = Clock::now();
    record.kernels->gemm_int8(call);
    note(product_of(call, 4), started);
  };
  timed.softmax = [](const SoftmaxCall& call) {
    const auto started = Clock::now();
    record.kernels->softmax(call);
    note({"softmax", call.count, call.length}, started);
  };
  timed.embed = [](const EmbedCall& call) {
    const auto started = Clock::now();
    record.kernels->embed(call);
    note({"embed", call.tokens, call.width}, started);
  };
  timed.tanh = [](float* x, int64_t count) {
    const auto started = Clock::now();
    record.kernels->tanh(x, count);
    note({"tanh", 1, count}, started);
  };
  timed.layer_norm = [](const LayerNormCall& call) {
    const auto started = Clock::now();
    record.kernels->layer_norm(call);
    note({"layer norm", call.rows, call.width}, started);
  };
  timed.quantise = [](const QuantiseCall& call) {
    const auto started = Clock::now();
    record.kernels->quantise(call);
    note({"to bytes", call.rows, call.width}, started);
  };
  timed.transpose = [](const float* in, int64_t stride, int64_t rows, int64_t columns, float* out) {
    const auto started = Clock::now();
    record.kernels->transpose(in, stride, rows, columns, out);
    note({"turn keys", rows, columns}, started);
  };
  if (record.kernels->attend_head == nullptr) return timed;
  timed.attend_head = [](const HeadAttentionCall& call) {
    const auto started = Clock::now();
    record.kernels->attend_head(call);
    note({"head of attention", call.query_count, call.tokens}, started);
  };
  return timed;
}

struct Pass {
  double seconds = 0;
  std::vector<Part> parts;
};

std::vector<Pass> timed_passes(const EngineModel& model, int64_t tokens, int passes) {
  const ModelShape& shape = model.config().shape;
  Random random{1};
  std::vector<int32_t> ids;
  for (int64_t t = 0; t < tokens; ++t) {
    ids.push_back(static_cast<int32_t>(random.below(static_cast<uint64_t>(shape.vocabulary))));
  }
  const Sequence sequence{ids, {}};
  std::vector<float> logits(static_cast<size_t>(shape.labels));
  record.kernels = &model.kernels();
  const Kernels kernels = timed_kernels();
  const Encoder encoder(model.weights(), kernels);
  const Plan plan = model.plan(1.0);
  Arena arena;
  std::vector<Pass> all;
  for (int i = -2; i < passes; ++i) {
    for (Part& part : record.parts) part.calls = 0, part.seconds = 0;
    const auto started = Clock::now();
    encoder.run({&sequence, 1}, plan, logits, arena);
    const double seconds = std::chrono::duration<double>(Clock::now() - started).count();
    if (i >= 0) all.push_back({seconds, record.parts});
  }
  record = {};
  return all;
}

// The mean of a tenth of the passes around `quantile`.
Pass typical_pass(std::vector<Pass> passes, double quantile) {
  std::ranges::sort(passes, {}, &Pass::seconds);
  const auto count = static_cast<double>(passes.size());
  const auto first = static_cast<size_t>(std::max(0.0, std::floor((quantile - 0.05) * count)));
  const size_t end = std::min(passes.size(), first + std::max<size_t>(1, passes.size() / 10));
  Pass mean = passes[first];
  for (size_t i = first + 1; i < end; ++i) {
    mean.seconds += passes[i].seconds;
    for (size_t p = 0; p < mean.parts.size(); ++p) {
      mean.parts[p].seconds += passes[i].parts[p].seconds;
    }
  }
  const auto taken = static_cast<double>(end - first);
  mean.seconds /= taken;
  for (Part& part : mean.parts) part.seconds /= taken;
  return mean;
}

Precision precision_of(const Part& part) {
  if (part.per_unit == 1) return Precision::fp32;
  return part.per_unit == 2 ? Precision::bf16 : Precision::int8;
}

}  // namespace

Table measure_parts(const EngineModel& model, int64_t tokens, int passes, double quantile) {
  Pass pass = typical_pass(timed_passes(model, tokens, passes), quantile);
  std::ranges::sort(pass.parts, std::greater{}, &Part::seconds);
  double peaks[5] = {};  // by numbers in a unit
  for (const Part& part : pass.parts) {
    double& peak = peaks[part.per_unit];
    if (peak == 0) peak = measured_peak(model.kernels().isa, precision_of(part));
  }
  Table table{{"kernel", "shape", "calls", "us", "share", "GFLOP/s", "of the peak"}, {}};
  const auto share = [&](double seconds) {
    return fmt::format("{:.1f} %", 100 * seconds / pass.seconds);
  };
  double inside = 0;
  double small = 0;
  for (const Part& part : pass.parts) {
    inside += part.seconds;
    if (part.seconds < smallest_share * pass.seconds) {
      small += part.seconds;
      continue;
    }
    std::vector<std::string> row = {std::string(part.kernel),
                                    fmt::format("{} x {}", part.rows, part.in),
                                    fmt::format("{}", part.calls),
                                    fmt::format("{:.1f}", 1e6 * part.seconds), share(part.seconds)};
    if (part.out > 0) {
      const Precision precision = precision_of(part);
      const double rate = part.flops() / part.seconds * 1e-9;
      const double peak = peaks[part.per_unit];
      row[0] += fmt::format(", {}", precision_name(precision));
      row[1] += fmt::format(" x {}", part.out);
      row.push_back(fmt::format("{:.0f}", rate));
      row.push_back(peak > 0 ? fmt::format("{:.0f} %", 100 * rate / peak) : "");
    }
    row.resize(table.header.size());
    table.rows.push_back(std::move(row));
  }
  const auto add_row = [&](const char* name, double seconds) {
    table.rows.push_back(
        {name, "", "", fmt::format("{:.1f}", 1e6 * seconds), share(seconds), "", ""});
  };
  add_row("smaller parts", small);
  add_row("outside kernels", pass.seconds - inside);
  add_row("all", pass.seconds);
  return table;
}

}  // namespace headroom
