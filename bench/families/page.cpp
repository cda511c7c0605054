#include "families/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/table.h"

namespace headroom {
namespace {

std::string shown_ratio(const Json& ratio) {
  return fmt::format("{:.2f}", ratio.get<double>());
}

std::string equality_table(const Json& rows) {
  Table table{{"model", "class", "texts", "other tokens"}, {}};
  for (const auto& [engine, unused] : rows.at(0).at("difference").items()) {
    table.header.push_back(engine);
  }
  for (const Json& row : rows) {
    const int64_t other = row.at("texts_with_other_tokens").get<int64_t>() +
                          row.at("other_tokens_after_export").get<int64_t>();
    table.rows.push_back({row.at("model").get<std::string>(), row.at("class").get<std::string>(),
                          row.at("texts").dump(), std::to_string(other)});
    for (const Json& difference : row.at("difference")) {
      table.rows.back().push_back(fmt::format("{:.0e}", difference.get<double>()));
    }
  }
  return markdown(table);
}

std::string speed_table(const Json& rows) {
  Table table{{"family", "ONNX Runtime fp32, ms", "fp32, ms", "bf16, ms", "fp32 / theirs",
               "bf16 / theirs", "budget 0.5, fp32", "budget 0.5, bf16"},
              {}};
  for (const Json& row : rows) {
    table.rows.push_back({row.at("family").get<std::string>()});
    for (const char* engine : {"onnxruntime fp32", "fp32 at 1", "bf16 at 1"}) {
      table.rows.back().push_back(shown_ratio(row.at("ms").at(engine)));
    }
    for (const char* ratio : {"over_onnxruntime_fp32", "half_budget_over_whole"}) {
      for (const char* precision : {"fp32", "bf16"}) {
        table.rows.back().push_back(shown_ratio(row.at(ratio).at(precision)));
      }
    }
  }
  return markdown(table);
}

std::string tokenizer_table(const Json& rows) {
  Table table{{"tokenizer", "of", "million tokens/s", "slowest", "fastest"}, {}};
  for (const Json& row : rows) {
    const auto rate = [&](const char* which) {
      return fmt::format("{:.1f}", row.at("tokens_per_second").at(which).get<double>() / 1e6);
    };
    table.rows.push_back({row.at("kind").get<std::string>(), row.at("model").get<std::string>(),
                          rate("median"), rate("slowest"), rate("fastest")});
  }
  return markdown(table);
}

std::string training_table(const Json& rows) {
  std::map<std::string, std::map<std::string, std::vector<double>>> accuracies;
  for (const Json& row : rows) {
    for (const auto& [budget, accuracy] : row.at("accuracy").items()) {
      const bool dense = row.at("method") == "dense";
      accuracies[row.at("family")][dense ? "dense" : "nested at " + budget].push_back(accuracy);
    }
  }
  const std::vector<std::string> arms = {"dense", "nested at 1", "nested at 0.5", "nested at 0.25"};
  Table table{{"family", "seeds"}, {}};
  table.header.insert(table.header.end(), arms.begin(), arms.end());
  for (const auto& [family, by_arm] : accuracies) {
    table.rows.push_back({family, std::to_string(by_arm.at("dense").size())});
    for (const std::string& arm : arms) {
      const std::vector<double>& seeds = by_arm.at(arm);
      double sum = 0;
      for (const double accuracy : seeds) sum += accuracy;
      const auto [least, most] = std::minmax_element(seeds.begin(), seeds.end());
      table.rows.back().push_back(fmt::format("{:.1f} ({:.1f} to {:.1f})",
                                              100 * sum / static_cast<double>(seeds.size()),
                                              100 * *least, 100 * *most));
    }
  }
  return markdown(table);
}

// A section, if that part was ever measured.
std::string section(const Json& results, const char* part, const char* title,
                    const std::string& what, std::string (*table)(const Json& rows)) {
  if (!results.contains(part)) return "";
  const Json& found = results.at(part);
  return fmt::format("\n## {}\n\n{} Commit {}, {}.\n\n{}", title, what,
                     found.at("commit").get<std::string>(), found.at("date").get<std::string>(),
                     table(found.at("rows")));
}

}  // namespace

std::string families_page(const Json& results) {
  return fmt::format(
             "# Families\n\nDo imported models compute what Transformers computes, how fast are "
             "they, and do they train at every budget? Made by `make bench-families` on {}; "
             "[families.json](families.json) has every number.\n",
             results.at("machine").at("cpu").get<std::string>()) +
         section(results, "equality", "Equal to Transformers",
                 "Texts with other ids, types or offsets than Transformers gives (as imported, and "
                 "after export and import), and the largest difference of an fp32 output from "
                 "Transformers': in every instruction set of this CPU, in libtorch, after export "
                 "and import, and of the ONNX file in ONNX Runtime. Asked for: at most 1e-4.",
                 equality_table) +
         section(results, "speed", "Speed",
                 "Random weights, 6 layers of width 384, 12 heads, FFNs of 1536 neurons; one text "
                 "of 128 tokens, one thread. Times are those that the thread computed, and every "
                 "contestant runs in every round: ratios are medians over rounds, which other work "
                 "on the machine changes little. Asked for: fp32 at most 0.75 and bf16 at most "
                 "0.30 of ONNX Runtime's fp32 "
                 "(graph optimisation `all`); a budget of 0.5 in at most 0.56 of the time of "
                 "budget 1 (DeBERTa 0.60, whose position terms do not shrink with the FFN).",
                 speed_table) +
         section(results, "tokenizers", "Tokenizers",
                 "AG News's test rows on one core, medians over passes of the time computed. Asked "
                 "for: 5 million tokens "
                 "a second of byte-level BPE, 3 million of Unigram.",
                 tokenizer_table) +
         section(results, "training", "Training",
                 "Test accuracy on AG News in percent: mean over seeds, least and most. Models "
                 "start from random weights, have the shapes of tests/data/hf (3 or 4 layers of "
                 "width 32) and see 7,000 rows six times, then in nested training six times more. "
                 "Asked for: nested within a point of dense.",
                 training_table);
}

}  // namespace headroom
