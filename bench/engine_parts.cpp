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
#include "engine_random.h"

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
  Precision precision = Precision::fp32;
  int64_t calls = 0;
  double seconds = 0;

  double flops() const { return 2.0 * static_cast<double>(calls * rows * in * out); }
};

bool alike(const Part& a, const Part& b) {
  return a.kernel == b.kernel && a.rows == b.rows && a.in == b.in && a.out == b.out &&
         a.precision == b.precision;
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

template <Precision precision>
Part product_of(const GemmCall& call) {
  Part part{"product", call.rows, 0, call.panel_count * panel_width, precision};
  if (call.epilogue == GemmEpilogue::gelu) part.kernel = "product, GELU";
  if (call.epilogue == GemmEpilogue::scale_rows) part.kernel = "product, rows scaled";
  if (call.start == GemmStart::accumulate) part.kernel = "product, added";
  for (int64_t s = 0; s < call.segment_count; ++s) {
    part.in += call.segments[s].length * elements_per_lane(precision);
  }
  return part;
}

// A kernel of `record`, and a note of what `part_of` says that it was.
template <auto kernel, auto part_of, class... Arguments>
void run_timed(Arguments... arguments) {
  const auto started = Clock::now();
  (record.kernels->*kernel)(arguments...);
  note(part_of(arguments...), started);
}

Part heads_of(const HeadAttentionCall& call) {
  return {"heads of attention", call.query_count, call.tokens};
}

// The kernels of `record` with a clock around each.
Kernels timed_kernels() {
  Kernels timed = *record.kernels;
  timed.gemm_f32 = run_timed<&Kernels::gemm_f32, product_of<Precision::fp32>>;
  timed.gemm_bf16 = run_timed<&Kernels::gemm_bf16, product_of<Precision::bf16>>;
  timed.gemm_int8 = run_timed<&Kernels::gemm_int8, product_of<Precision::int8>>;
  timed.softmax = run_timed<&Kernels::softmax, [](const SoftmaxCall& call) {
    return Part{"softmax", call.rows, call.length};
  }>;
  timed.embed = run_timed<&Kernels::embed, [](const EmbedCall& call) {
    return Part{"embed", call.tokens, call.width};
  }>;
  timed.tanh = run_timed<&Kernels::tanh, [](const float*, int64_t count) {
    return Part{"tanh", 1, count};
  }>;
  timed.layer_norm = run_timed<&Kernels::layer_norm, [](const LayerNormCall& call) {
    return Part{"layer norm", call.rows, call.width};
  }>;
  timed.quantise = run_timed<&Kernels::quantise, [](const QuantiseCall& call) {
    return Part{"to bytes", call.rows, call.width};
  }>;
  timed.transpose = run_timed<&Kernels::transpose, [](const float*, int64_t, int64_t rows,
                                                      int64_t columns, const float*) {
    return Part{"transpose keys", rows, columns};
  }>;
  if (record.kernels->attend_query != nullptr) {
    timed.attend_query = run_timed<&Kernels::attend_query, heads_of>;
  }
  if (record.kernels->attend_heads != nullptr) {
    timed.attend_heads = run_timed<&Kernels::attend_heads, heads_of>;
  }
  return timed;
}

struct Pass {
  double seconds = 0;
  std::vector<Part> parts;
};

std::vector<Pass> timed_passes(const EngineModel& model, int64_t tokens, int passes) {
  const ModelShape& shape = model.config().shape;
  Random random{1};
  const Tokens sequence{random_ids(random, shape, tokens)};
  std::vector<float> logits(static_cast<size_t>(shape.labels));
  record.kernels = &model.kernels();
  const Kernels kernels = timed_kernels();
  const Encoder encoder(model.weights(), kernels, model.head());
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

// The mean of a tenth of the passes, sorted by their time, around `quantile`.
Pass typical_pass(const std::vector<Pass>& passes, double quantile) {
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

struct Peaks {
  double of[3];  // GFLOP/s, by precision
};

Peaks measured_peaks(Isa isa) {
  return {measured_peak(isa, Precision::fp32), measured_peak(isa, Precision::bf16),
          measured_peak(isa, Precision::int8)};
}

Table table_of(Pass pass, const Peaks& peaks) {
  std::ranges::sort(pass.parts, std::greater{}, &Part::seconds);
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
      const double rate = part.flops() / part.seconds * 1e-9;
      const double peak = peaks.of[static_cast<size_t>(part.precision)];
      row[0] += fmt::format(", {}", precision_table.name(part.precision));
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

}  // namespace

std::vector<Table> measure_parts(const EngineModel& model, int64_t tokens, int passes,
                                 const std::vector<double>& quantiles) {
  std::vector<Pass> all = timed_passes(model, tokens, passes);
  std::ranges::sort(all, {}, &Pass::seconds);
  const Peaks peaks = measured_peaks(model.kernels().isa);
  std::vector<Table> tables;
  tables.reserve(quantiles.size());
  for (const double quantile : quantiles) {
    tables.push_back(table_of(typical_pass(all, quantile), peaks));
  }
  return tables;
}

}  // namespace headroom
