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

// What a call cannot do without.
struct Work {
  double flops = 0;                // of products
  double vector_instructions = 0;  // of 16 floats
  double weight_bytes = 0;
  double activation_bytes = 0;  // read or written, where there is no product
};

// Calls of one kernel on one shape. Not a product of matrices: `out` is 0.
struct Part {
  std::string_view kernel;
  int64_t rows = 0;
  int64_t in = 0;
  int64_t out = 0;
  Precision precision = Precision::fp32;
  Work work = {};  // of one call
  int64_t calls = 0;
  double seconds = 0;
};

// Instructions for a register of 16 floats: to finish sums (loads, bias, conversion, store), for
// GELU as coarse as bf16 wants it, and for softmax of scores.
constexpr double finish_instructions = 4;
constexpr double gelu_instructions = 12;
constexpr double softmax_instructions = 13;

double registers_of(int64_t rows, int64_t width) {
  return static_cast<double>(rows * width) / 16;
}

// A step that reads and writes `bytes` for each element.
Part part_of_rows(std::string_view kernel, int64_t rows, int64_t width, double bytes) {
  Part part{kernel, rows, width};
  part.work.activation_bytes = bytes * static_cast<double>(rows * width);
  return part;
}

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
  part.work.flops = 2.0 * static_cast<double>(part.rows * part.in * part.out);
  part.work.vector_instructions =
      registers_of(part.rows, part.out) *
      (finish_instructions + (call.epilogue == GemmEpilogue::gelu ? gelu_instructions : 0));
  if (call.panels[0].bias != nullptr) {  // attention's own products have none, and no weights
    part.work.weight_bytes =
        static_cast<double>(part.in * part.out) * 4 / elements_per_lane(precision);
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

template <Precision precision>
Part heads_of(const HeadAttentionCall& call) {
  Part part{"heads of attention", call.query_count, call.tokens, 0, precision};
  const int64_t scores = call.heads * call.query_count * call.tokens;
  part.work.flops = 4.0 * static_cast<double>(scores * call.width);
  part.work.vector_instructions = registers_of(scores, 1) * softmax_instructions;
  return part;
}

// The kernels of `record` with a clock around each.
Kernels timed_kernels() {
  Kernels timed = *record.kernels;
  timed.gemm_f32 = run_timed<&Kernels::gemm_f32, product_of<Precision::fp32>>;
  timed.gemm_bf16 = run_timed<&Kernels::gemm_bf16, product_of<Precision::bf16>>;
  timed.gemm_int8 = run_timed<&Kernels::gemm_int8, product_of<Precision::int8>>;
  timed.softmax = run_timed<&Kernels::softmax, [](const SoftmaxCall& call) {
    return part_of_rows("softmax", call.rows, call.length, 8);
  }>;
  timed.embed = run_timed<&Kernels::embed, [](const EmbedCall& call) {
    return part_of_rows("embed", call.tokens, call.width, 12);
  }>;
  timed.tanh = run_timed<&Kernels::tanh, [](const float*, int64_t count) {
    return Part{"tanh", 1, count};
  }>;
  timed.layer_norm = run_timed<&Kernels::layer_norm, [](const LayerNormCall& call) {
    return part_of_rows("layer norm", call.rows, call.width, call.bf16 != nullptr ? 10 : 8);
  }>;
  timed.quantise = run_timed<&Kernels::quantise, [](const QuantiseCall& call) {
    return part_of_rows("to bytes", call.rows, call.width, 5);
  }>;
  timed.transpose = run_timed<&Kernels::transpose, [](const float*, int64_t, int64_t rows,
                                                      int64_t columns, const float*) {
    return part_of_rows("transpose keys", rows, columns, 8);
  }>;
  if (record.kernels->attend_query != nullptr) {
    timed.attend_query = run_timed<&Kernels::attend_query, heads_of<Precision::bf16>>;
  }
  if (record.kernels->attend_heads_int8 != nullptr) {
    timed.attend_heads_int8 = run_timed<&Kernels::attend_heads_int8, heads_of<Precision::int8>>;
  }
  if (record.kernels->attend_heads != nullptr) {
    timed.attend_heads = run_timed<&Kernels::attend_heads, heads_of<Precision::bf16>>;
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

struct Rates {
  double products[3] = {};  // GFLOP/s, by precision
  double weights = 0;       // GB/s
  double activations = 0;   // GB/s
};

// Bytes of all layers' weights: what a text reads.
int64_t weight_bytes(const EngineModel& model) {
  const ModelShape& shape = model.config().shape;
  const int64_t each = 4 / elements_per_lane(model.weights().precision);
  return shape.layers * (4 * shape.width * shape.width + 2 * shape.width * shape.ffn) * each;
}

Rates measured_rates(const EngineModel& model) {
  Rates rates;
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    rates.products[static_cast<size_t>(precision)] = measured_peak(model.kernels().isa, precision);
  }
  rates.weights = measured_read_rate(weight_bytes(model));
  rates.activations = measured_read_rate(int64_t{512} << 10);  // L2
  return rates;
}

// The least that calls could take, and what is in the way.
struct Bound {
  std::string_view by;
  double seconds = 0;
};

Bound bound_of(const Part& part, const Rates& rates) {
  const auto calls = static_cast<double>(part.calls);
  const double peak = rates.products[static_cast<size_t>(part.precision)];
  // One of fp32 does 32 operations.
  const double instructions = rates.products[static_cast<size_t>(Precision::fp32)] / 32;
  const Bound bounds[] = {
      {"products", peak > 0 ? part.work.flops / peak : 0},
      {"vectors", instructions > 0 ? part.work.vector_instructions / instructions : 0},
      {"weights", part.work.weight_bytes / rates.weights},
      {"activations", part.work.activation_bytes / rates.activations}};
  const Bound& largest = *std::ranges::max_element(bounds, {}, &Bound::seconds);
  return {largest.seconds > 0 ? largest.by : "", calls * largest.seconds * 1e-9};
}

Json json_of(const Part& part, const Bound& bound) {
  return {{"kernel", part.kernel},
          {"rows", part.rows},
          {"in", part.in},
          {"out", part.out},
          {"calls", part.calls},
          {"us", 1e6 * part.seconds},
          {"least_us", 1e6 * bound.seconds},
          {"bound_by", bound.by}};
}

PartsOfPass parts_of(Pass pass, const Rates& rates) {
  std::ranges::sort(pass.parts, std::greater{}, &Part::seconds);
  Table table{{"kernel", "shape", "calls", "us", "share", "GFLOP/s", "least us", "bound by"}, {}};
  Json parts = Json::array();
  const auto share = [&](double seconds) {
    return fmt::format("{:.1f} %", 100 * seconds / pass.seconds);
  };
  double inside = 0;
  double small = 0;
  double least = 0;
  for (const Part& part : pass.parts) {
    inside += part.seconds;
    const Bound bound = bound_of(part, rates);
    least += bound.seconds;
    parts.push_back(json_of(part, bound));
    if (part.seconds < smallest_share * pass.seconds) {
      small += part.seconds;
      continue;
    }
    std::vector<std::string> row = {std::string(part.kernel),
                                    fmt::format("{} x {}", part.rows, part.in),
                                    fmt::format("{}", part.calls),
                                    fmt::format("{:.1f}", 1e6 * part.seconds), share(part.seconds)};
    if (part.out > 0) {
      row[0] += fmt::format(", {}", precision_table.name(part.precision));
      row[1] += fmt::format(" x {}", part.out);
    }
    const double flops = static_cast<double>(part.calls) * part.work.flops;
    row.push_back(flops > 0 ? fmt::format("{:.0f}", flops / part.seconds * 1e-9) : "");
    row.push_back(bound.seconds > 0 ? fmt::format("{:.1f}", 1e6 * bound.seconds) : "");
    row.emplace_back(bound.by);
    table.rows.push_back(std::move(row));
  }
  const auto add_row = [&](const char* name, double seconds) {
    table.rows.push_back(
        {name, "", "", fmt::format("{:.1f}", 1e6 * seconds), share(seconds), "", "", ""});
  };
  add_row("smaller parts", small);
  add_row("outside kernels", pass.seconds - inside);
  add_row("all", pass.seconds);
  table.rows.back()[6] = fmt::format("{:.1f}", 1e6 * least);
  return {table,
          {{"us", 1e6 * pass.seconds},
           {"least_us", 1e6 * least},
           {"fp32_gflops", rates.products[0]},
           {"bf16_gflops", rates.products[1]},
           {"int8_gops", rates.products[2]},
           {"weights_gb_s", rates.weights},
           {"activations_gb_s", rates.activations},
           {"parts", parts}}};
}

}  // namespace

std::vector<PartsOfPass> measure_parts(const EngineModel& model, int64_t tokens, int passes,
                                       const std::vector<double>& quantiles) {
  std::vector<Pass> all = timed_passes(model, tokens, passes);
  std::ranges::sort(all, {}, &Pass::seconds);
  const Rates rates = measured_rates(model);
  std::vector<PartsOfPass> found;
  found.reserve(quantiles.size());
  for (const double quantile : quantiles) {
    found.push_back(parts_of(typical_pass(all, quantile), rates));
  }
  return found;
}

}  // namespace headroom
