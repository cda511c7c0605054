// Rung zero alone, taught by labels instead of a model: how its training's settings do on several
// data sets, on validation rows, by which they were chosen, and on test rows. Writes rung-zero.md
// and rung-zero.json.
//   bench-rung-zero --model CHECKPOINT --data agnews,imdb --data-dir DIR --out docs/results
// The checkpoint lends its tokenizer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json.h"
#include "base/measure/machine.h"
#include "base/table.h"
#include "bench_program.h"
#include "budget/ladder/confidence.h"
#include "data/load.h"
#include "data/split.h"
#include "engine/session.h"
#include "tune/ngram_trainer.h"
#include "tune/temperature.h"

namespace headroom {
namespace {

struct Options {
  std::string model = "models/news-mini";
  std::vector<std::string> data = {"agnews",    "imdb",         "yelp", "dbpedia",
                                   "banking77", "newsgroups20", "sick"};
  std::string data_dir = "data";
  std::string out = "docs/results";
  std::string commit = "unknown";
  std::vector<double> rates = {1, 0.5, 0.25, 0.1};
  std::vector<double> dropouts = {0, 0.3};
  std::vector<int> epochs = {10, 40};
};

struct Rows {
  std::vector<Tokens> inputs;
  std::vector<int32_t> labels;
};

struct Set {
  std::string name;
  int64_t labels = 0;
  Rows train, validation, test;
};

Rows pick(const Rows& rows, const std::vector<int32_t>& chosen) {
  Rows picked;
  for (const int32_t row : chosen) {
    picked.inputs.push_back(rows.inputs[static_cast<size_t>(row)]);
    picked.labels.push_back(rows.labels[static_cast<size_t>(row)]);
  }
  return picked;
}

Rows read_rows(const EngineModel& model, const TextDataset& data) {
  Rows rows{{}, data.row_labels()};
  for (const TextRow& row : data.rows) {
    Text text{row.text};
    if (data.pairs) text.pair = row.text_pair;
    rows.inputs.push_back(tokenise(model, text));
  }
  return rows;
}

Set read_set(const EngineModel& model, const std::string& name, const std::string& data_dir) {
  const TextDataset train = load_text_dataset(name, data_dir);
  const TextDataset test = load_text_dataset(name + ":test", data_dir, &train.labels);
  const Rows all = read_rows(model, train);
  const auto set_aside = std::clamp<int64_t>(static_cast<int64_t>(all.inputs.size()) / 10, 1, 2000);
  const SplitIndices split = split_stratified(all.labels, set_aside, 1);
  return {name, static_cast<int64_t>(train.labels.size()), pick(all, split.train),
          pick(all, split.validation), read_rows(model, test)};
}

std::vector<Scores> one_hot(const Rows& rows, int64_t labels) {
  std::vector<Scores> targets;
  for (const int32_t label : rows.labels) {
    targets.emplace_back(static_cast<size_t>(labels));
    targets.back()[static_cast<size_t>(label)] = 1;
  }
  return targets;
}

std::vector<Scores> scores_of(const NgramBag& bag, const Rows& rows) {
  std::vector<Scores> scores;
  for (const Tokens& input : rows.inputs) scores.push_back(bag.scores(input.ids, input.types));
  return scores;
}

double accuracy(const std::vector<Scores>& scores, const Rows& rows) {
  size_t right = 0;
  for (size_t row = 0; row < scores.size(); ++row) {
    right += best_label(scores[row]) == static_cast<size_t>(rows.labels[row]) ? 1 : 0;
  }
  return static_cast<double>(right) / static_cast<double>(scores.size());
}

// Mean nats a row at a temperature.
double cross_entropy(std::vector<Scores> scores, const Rows& rows, double temperature) {
  double sum = 0;
  for (size_t row = 0; row < scores.size(); ++row) {
    apply_temperature(scores[row], temperature);
    sum -= std::log(std::max(scores[row][static_cast<size_t>(rows.labels[row])], 1e-12));
  }
  return sum / static_cast<double>(scores.size());
}

Json measure(const Set& set, const EngineModel& model, const NgramTraining& settings) {
  SilentProgress silent;
  const NgramBag bag =
      train_ngram_bag(set.train.inputs, one_hot(set.train, set.labels),
                      model.config().shape.vocabulary, set.labels, settings, silent);
  const std::vector<Scores> validated = scores_of(bag, set.validation);
  const std::vector<Scores> tested = scores_of(bag, set.test);
  const double temperature = fit_temperature(validated, one_hot(set.validation, set.labels));
  return {{"data", set.name},
          {"rate", settings.rate},
          {"dropout", settings.dropout},
          {"epochs", settings.epochs},
          {"default", settings.epochs == 0},
          {"validation_accuracy", accuracy(validated, set.validation)},
          {"validation_loss", cross_entropy(validated, set.validation, temperature)},
          {"test_accuracy", accuracy(tested, set.test)},
          {"test_loss", cross_entropy(tested, set.test, temperature)}};
}

// A line for each set: what `tune` does, what it did before, and the best of the grid.
std::string page_of(const Json& results) {
  std::string page = fmt::format(
      "# Rung zero alone\n\nMade by `bench-rung-zero` on {}, {}, commit {}; "
      "[rung-zero.json](rung-zero.json) has every run. Taught by labels, with the "
      "tokens of {}; losses in nats a row, at the temperature that validation rows "
      "want. *Before*: rate 1, 10 epochs, no dropout. *Now*: what `tune` does when "
      "not told otherwise. *Best*: the settings of {} with the least validation "
      "loss.\n\n",
      results["machine"]["cpu"].get<std::string>(), results["date"].get<std::string>(),
      results["commit"].get<std::string>(), results["model"].get<std::string>(),
      results["tried"].get<int>());
  Table table{{"data", "rows", "labels", "test accuracy before", "now", "best", "test loss before",
               "now", "best", "best: rate, dropout, epochs"},
              {}};
  const auto percent = [](const Json& run) {
    return fmt::format("{:.2f}", 100 * run["test_accuracy"].get<double>());
  };
  const auto loss = [](const Json& run) {
    return fmt::format("{:.3f}", run["test_loss"].get<double>());
  };
  for (const Json& set : results["sets"]) {
    const Json& runs = set["runs"];
    const auto before = std::find_if(runs.begin(), runs.end(), [](const Json& run) {
      return run["rate"] == 1.0 && run["dropout"] == 0.0 && run["epochs"] == 10;
    });
    const auto best = std::min_element(runs.begin(), runs.end(), [](const Json& a, const Json& b) {
      return a["validation_loss"].get<double>() < b["validation_loss"].get<double>();
    });
    const Json& now = runs.back();
    const auto or_dash = [&](const auto& cell) {
      return before == runs.end() ? std::string("-") : cell(*before);
    };
    table.rows.push_back(
        {set["data"].get<std::string>(), fmt::format("{}", set["train_rows"].get<int64_t>()),
         fmt::format("{}", set["labels"].get<int64_t>()), or_dash(percent), percent(now),
         percent(*best), or_dash(loss), loss(now), loss(*best),
         (*best)["default"].get<bool>()
             ? std::string("as now")
             : fmt::format("{}, {}, {}", (*best)["rate"].get<double>(),
                           (*best)["dropout"].get<double>(), (*best)["epochs"].get<int>())});
  }
  return page + markdown(table);
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app("Tries settings of rung zero's training on several data sets.", "bench-rung-zero");
  app.add_option("--model", options.model, "checkpoint whose tokenizer is used");
  app.add_option("--data", options.data, "known data sets, comma-separated")->delimiter(',');
  app.add_option("--data-dir", options.data_dir, "where they are")->envname("HEADROOM_DATA");
  app.add_option("--out", options.out, "folder to write into");
  app.add_option("--rates", options.rates, "to try")->delimiter(',');
  app.add_option("--dropouts", options.dropouts, "to try")->delimiter(',');
  app.add_option("--epochs", options.epochs, "to try")->delimiter(',');
  app.add_option("--commit", options.commit, "told in the results");
  CLI11_PARSE(app, argc, argv);
  const auto model = EngineModel::load(options.model);
  std::vector<NgramTraining> tried;
  for (const double rate : options.rates) {
    for (const double dropout : options.dropouts) {
      for (const int epochs : options.epochs) {
        tried.push_back({.epochs = epochs, .rate = rate, .dropout = dropout});
      }
    }
  }
  tried.emplace_back();  // last: what `tune` does
  Json results = {{"date", today()},
                  {"commit", options.commit},
                  {"machine", describe_machine()},
                  {"model", folder_name(options.model)},
                  {"tried", tried.size()},
                  {"sets", Json::array()}};
  for (const std::string& name : options.data) {
    const Set set = read_set(*model, name, options.data_dir);
    Json runs = Json::array();
    for (const NgramTraining& settings : tried) {
      runs.push_back(measure(set, *model, settings));
      fmt::print(stderr, "{}\n", runs.back().dump());
    }
    results["sets"].push_back({{"data", name},
                               {"labels", set.labels},
                               {"train_rows", set.train.inputs.size()},
                               {"validation_rows", set.validation.inputs.size()},
                               {"test_rows", set.test.inputs.size()},
                               {"runs", std::move(runs)}});
  }
  const std::filesystem::path out = options.out;
  write_file_atomically(out / "rung-zero.json", results.dump(1) + "\n");
  const std::string page = page_of(results);
  write_file_atomically(out / "rung-zero.md", page);
  fmt::print("{}", page);
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-rung-zero", [&] { return headroom::main_of(argc, argv); });
}
