// headroom._engine: the public C++ API column by column; python/headroom/model.py gives it its
// Python face. Texts and numbers are copied out of Python's objects before a call, and the
// interpreter is let go during it, so any number of Python threads may use one model at a time.
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/precision.h"
#include "base/version.h"
#include "engine/tags/entities.h"
#include "headroom/headroom.h"

namespace headroom {
namespace {

namespace py = pybind11;

template <typename Value>
using Column = py::array_t<Value, py::array::c_style | py::array::forcecast>;

// How much each text may cost, as fractions or as milliseconds; automatic instead of the fractions.
struct Spending {
  Column<double> amounts;
  bool is_latency = false;
  bool automatic = false;

  std::vector<Budget> budgets() const {
    std::vector<Budget> all;
    all.reserve(static_cast<size_t>(amounts.size()));
    for (py::ssize_t i = 0; i < amounts.size(); ++i) {
      const double amount = amounts.at(i);
      Budget budget = is_latency ? Budget{1.0, amount} : Budget{amount};
      budget.automatic = automatic;
      all.push_back(budget);
    }
    return all;
  }
};

template <typename Value, typename Read>
py::array_t<Value> column(const std::vector<Answer>& answers, Read read) {
  py::array_t<Value> values(static_cast<py::ssize_t>(answers.size()));
  std::transform(answers.begin(), answers.end(), values.mutable_data(), read);
  return values;
}

py::array_t<double> score_rows(const std::vector<Answer>& answers, size_t labels) {
  py::array_t<double> scores({answers.size(), labels});
  double* row = scores.mutable_data();
  for (const Answer& answer : answers) row = std::copy_n(answer.scores.begin(), labels, row);
  return scores;
}

// In the order of Columns in _engine.pyi.
py::tuple columns_of(const std::vector<Answer>& answers, size_t labels) {
  py::object predicted = py::none();
  if (!answers.empty() && answers.front().predicted_milliseconds) {
    predicted = column<double>(answers, [](const Answer& a) { return *a.predicted_milliseconds; });
  }
  py::object rungs = py::none();
  if (!answers.empty() && !answers.front().rungs.empty()) {
    py::list all;
    for (const Answer& answer : answers) all.append(py::cast(answer.rungs));
    rungs = all;
  }
  return py::make_tuple(
      column<int64_t>(answers, [](const Answer& a) { return static_cast<int64_t>(a.label); }),
      score_rows(answers, labels),
      column<double>(answers, [](const Answer& a) { return a.budget; }),
      column<double>(answers, [](const Answer& a) { return a.active_heads; }),
      column<int64_t>(answers, [](const Answer& a) { return a.tokens; }), predicted,
      answers.empty() ? 0.0 : answers.front().milliseconds, rungs);
}

void require_task(const Model& model, const char* operation,
                  std::initializer_list<std::string_view> tasks) {
  if (std::find(tasks.begin(), tasks.end(), model.task()) != tasks.end()) return;
  throw Error(ErrorCode::usage, operation, "this is a model of task " + std::string(model.task()));
}

void require_labels(const Model& model) {
  require_task(model, "classify", {"classify", "pair", "synthetic", "multilabel"});
}

// `run` without the interpreter; what it refers to must not belong to Python.
template <typename Run>
std::vector<Answer> without_python(const Run& run) {
  const py::gil_scoped_release other_threads_may_run;
  return run();
}

std::vector<Text> texts_of(const std::vector<std::string>& texts,
                           const std::optional<std::vector<std::string>>& pairs) {
  std::vector<Text> inputs;
  inputs.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    inputs.push_back(
        {texts[i], pairs ? std::optional<std::string_view>(pairs->at(i)) : std::nullopt});
  }
  return inputs;
}

py::tuple classify_texts(const Model& model, const std::vector<std::string>& texts,
                         const std::optional<std::vector<std::string>>& pairs,
                         const Column<double>& amounts, bool is_latency, bool automatic) {
  require_labels(model);
  const std::vector<Text> inputs = texts_of(texts, pairs);
  const std::vector<Budget> budgets = Spending{amounts, is_latency, automatic}.budgets();
  return columns_of(without_python([&] { return model.answer(inputs, budgets); }),
                    model.labels().size());
}

// Labels at or above their thresholds, a list a text, of the answers that classify_texts() gives.
std::vector<std::vector<size_t>> label_sets(const Model& model,
                                            const std::vector<std::string>& texts,
                                            const Column<double>& amounts, bool is_latency) {
  require_task(model, "label", {"multilabel"});
  const std::vector<Text> inputs = texts_of(texts, std::nullopt);
  const std::vector<Budget> budgets = Spending{amounts, is_latency}.budgets();
  std::vector<std::vector<size_t>> sets;
  for (Answer& answer : without_python([&] { return model.answer(inputs, budgets); })) {
    sets.push_back(std::move(answer.labels));
  }
  return sets;
}

py::array_t<float> embed_texts(const Model& model, const std::vector<std::string>& texts,
                               std::optional<int64_t> dimensions,
                               const std::optional<std::string>& prompt,
                               const Column<double>& amounts, bool is_latency) {
  require_task(model, "embed", {"embed"});
  AnswerOptions options;
  options.dimensions = dimensions;
  options.prompt = prompt;
  const std::vector<Text> inputs = texts_of(texts, std::nullopt);
  const std::vector<Budget> budgets = Spending{amounts, is_latency}.budgets();
  const std::vector<Answer> answers =
      without_python([&] { return model.answer(inputs, budgets, options); });
  const size_t width = answers.empty() ? 0 : answers.front().embedding.size();
  py::array_t<float> rows({answers.size(), width});
  float* row = rows.mutable_data();
  for (const Answer& answer : answers) row = std::copy_n(answer.embedding.begin(), width, row);
  return rows;
}

// Sigmoids and logits of a ranker, or numbers twice.
py::tuple scores_of(const std::vector<Answer>& answers) {
  return py::make_tuple(column<double>(answers, [](const Answer& a) { return a.score; }),
                        column<double>(answers, [](const Answer& a) { return a.logit; }));
}

py::tuple score_texts(const Model& model, const std::vector<std::string>& texts,
                      const std::optional<std::vector<std::string>>& pairs,
                      const Column<double>& amounts, bool is_latency) {
  require_task(model, "score", {"regress", "rerank"});
  const std::vector<Text> inputs = texts_of(texts, pairs);
  const std::vector<Budget> budgets = Spending{amounts, is_latency}.budgets();
  return scores_of(without_python([&] { return model.answer(inputs, budgets); }));
}

py::tuple rank_passages(const Model& model, const std::string& query,
                        const std::vector<std::string>& passages, double amount, bool is_latency,
                        bool automatic) {
  const std::vector<std::string_view> texts(passages.begin(), passages.end());
  Budget budget = is_latency ? Budget{1.0, amount} : Budget{amount};
  budget.automatic = automatic;
  const std::vector<Answer> answers =
      without_python([&] { return model.rerank(query, texts, budget); });
  return scores_of(answers) +
         py::make_tuple(column<double>(answers, [](const Answer& a) { return a.budget; }));
}

// (text, label, score, start, end) of every entity, a list a text.
py::list tag_texts(const Model& model, const std::vector<std::string>& texts,
                   const std::string& aggregation, const Column<double>& amounts, bool is_latency) {
  require_task(model, "tag", {"tag"});
  AnswerOptions options;
  options.aggregation = aggregation_table.parse(aggregation, ErrorCode::usage, "tag");
  const std::vector<Text> inputs = texts_of(texts, std::nullopt);
  const std::vector<Budget> budgets = Spending{amounts, is_latency}.budgets();
  py::list all;
  for (const Answer& answer :
       without_python([&] { return model.answer(inputs, budgets, options); })) {
    py::list entities;
    for (const Entity& each : answer.entities) {
      entities.append(py::make_tuple(each.text, each.label, each.score, each.start, each.end));
    }
    all.append(entities);
  }
  return all;
}

py::tuple classify_tokens(const Model& model, const Column<int32_t>& ids,
                          const std::optional<Column<int32_t>>& types,
                          const Column<int64_t>& lengths, const Column<double>& amounts,
                          bool is_latency, bool automatic) {
  std::vector<Tokens> inputs;
  inputs.reserve(static_cast<size_t>(lengths.size()));
  py::ssize_t begin = 0;
  for (py::ssize_t i = 0; i < lengths.size(); ++i) {
    const py::ssize_t end = begin + lengths.at(i);
    Tokens tokens{{ids.data() + begin, ids.data() + end}};
    if (types) tokens.types.assign(types->data() + begin, types->data() + end);
    inputs.push_back(std::move(tokens));
    begin = end;
  }
  const std::vector<Budget> budgets = Spending{amounts, is_latency, automatic}.budgets();
  require_labels(model);
  return columns_of(without_python([&] { return model.classify(inputs, budgets); }),
                    model.labels().size());
}

Model load(const std::filesystem::path& directory, const std::string& precision, int threads) {
  LoadOptions options{.threads = threads};  // of "auto"
  if (precision != "auto") {
    options.precision = precision_table.parse(precision, ErrorCode::usage, "load model");
  }
  const py::gil_scoped_release other_threads_may_run;
  return Model::load(directory, options);
}

std::pair<double, double> work(const Model& model, double budget, int64_t tokens) {
  const Work amount = model.work({budget}, tokens);
  return {amount.attention, amount.model};
}

void raise_in_python(std::exception_ptr problem) {
  try {
    std::rethrow_exception(std::move(problem));
  } catch (const Error& error) {
    const py::object type = py::module_::import("headroom.errors").attr("Error");
    const py::object raised =
        type(py::str(std::string(error_name(error.code()))), error.operation(), error.message());
    PyErr_SetObject(type.ptr(), raised.ptr());
  }
}

}  // namespace

// NOLINTNEXTLINE: the macro's own names
PYBIND11_MODULE(_engine, module) {
  module.doc() = "The compiled half of headroom; use the package headroom instead.";
  module.attr("__version__") = headroom::version();
  py::register_exception_translator(raise_in_python);
  py::class_<Model>(module, "Model", "A loaded checkpoint.")
      .def(py::init(&load), py::arg("directory"), py::arg("precision"), py::arg("threads"))
      .def("classify_texts", &classify_texts, py::arg("texts"), py::arg("pairs"),
           py::arg("amounts"), py::arg("is_latency"), py::arg("automatic"),
           "Columns of answers, a row a text.")
      .def("classify_tokens", &classify_tokens, py::arg("ids"), py::arg("types"),
           py::arg("lengths"), py::arg("amounts"), py::arg("is_latency"), py::arg("automatic"),
           "Columns of answers; ids and types hold one input after the other.")
      .def("label_sets", &label_sets, py::arg("texts"), py::arg("amounts"), py::arg("is_latency"),
           "Labels at or above their thresholds.")
      .def("embed_texts", &embed_texts, py::arg("texts"), py::arg("dimensions"), py::arg("prompt"),
           py::arg("amounts"), py::arg("is_latency"), "Vectors, a row a text.")
      .def("score_texts", &score_texts, py::arg("texts"), py::arg("pairs"), py::arg("amounts"),
           py::arg("is_latency"), "Scores, and the logits behind them.")
      .def("rank_passages", &rank_passages, py::arg("query"), py::arg("passages"),
           py::arg("amount"), py::arg("is_latency"), py::arg("automatic"),
           "Scores of passages, their logits and the budgets that they took.")
      .def("tag_texts", &tag_texts, py::arg("texts"), py::arg("aggregation"), py::arg("amounts"),
           py::arg("is_latency"), "Entities, a list a text.")
      .def("work", &work, py::arg("budget"), py::arg("tokens"),
           "Multiply-adds of attention and of the whole model.")
      .def_property_readonly("task", &Model::task)
      .def_property_readonly("labels", &Model::labels)
      .def_property_readonly("longest_input", &Model::longest_input)
      .def_property_readonly(
          "precision", [](const Model& model) { return precision_table.name(model.precision()); })
      .def_property_readonly("instruction_set", &Model::instruction_set);
}

}  // namespace headroom
