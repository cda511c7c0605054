// The tasks, and all that follows from a task alone, in one table: a new task begins with a line
// here.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/enum_table.h"

namespace headroom {

enum class Task {
  classify,
  pair,
  image,
  lm,
  translate,
  synthetic,
  multilabel,
  regress,
  rerank,
  tag,
  embed,
  masked_lm,
  encoder,
};

// What a row is: a text (or two) with a label, an image with a label, a stretch of running text of
// which every token but the first is to be predicted, or a sentence with its translation.
enum class RowForm { text, image, stream, translation };

// What a model says about a row.
enum class OutputForm {
  label,   // one of several classes
  labels,  // any number of several labels
  score,   // a number
  tags,    // a label for every word
  vector,  // an embedding
  tokens,  // text that it generates
  states,  // nothing yet: an encoder to start from
};

struct TaskTraits {
  Task task{};
  std::string_view name;  // as --task and config.json spell it
  std::string_view help;
  RowForm rows{};
  OutputForm output{};
  bool pairs = false;             // a row is always two texts
  bool trained = false;           // by `train`; the others are imported, or to start from
  std::string_view architecture;  // of ours; empty: the model family's class for it
};

inline constexpr TaskTraits all_tasks[] = {
    {Task::classify, "classify", "labels of texts", RowForm::text, OutputForm::label, false, true,
     ""},
    {Task::pair, "pair", "labels of pairs of texts", RowForm::text, OutputForm::label, true, true,
     ""},
    {Task::image, "image", "labels of images", RowForm::image, OutputForm::label, false, true,
     "HeadroomForImageClassification"},
    {Task::lm, "lm", "text that goes on", RowForm::stream, OutputForm::tokens, false, true,
     "HeadroomForCausalLM"},
    {Task::translate, "translate", "translations of sentences", RowForm::translation,
     OutputForm::tokens, false, true, "HeadroomForTranslation"},
    {Task::synthetic, "synthetic", "the marked-token task", RowForm::text, OutputForm::label, false,
     true, ""},
    {Task::multilabel, "multilabel", "any number of labels of texts", RowForm::text,
     OutputForm::labels, false, true, ""},
    {Task::regress, "regress", "a number for texts", RowForm::text, OutputForm::score, false, true,
     ""},
    {Task::rerank, "rerank", "how well passages answer queries", RowForm::text, OutputForm::score,
     true, true, ""},
    {Task::tag, "tag", "labels of the words of texts", RowForm::text, OutputForm::tags, false, true,
     ""},
    {Task::embed, "embed", "vectors of texts", RowForm::text, OutputForm::vector, false, true, ""},
    {Task::masked_lm, "masked-lm", "hidden tokens", RowForm::stream, OutputForm::states, false,
     false, ""},
    {Task::encoder, "encoder", "rows of vectors", RowForm::text, OutputForm::states, false, false,
     ""},
};

constexpr const TaskTraits& traits(Task task) {
  return all_tasks[static_cast<size_t>(task)];
}
constexpr std::string_view task_name(Task task) {
  return traits(task).name;
}
// Texts in, one label out.
constexpr bool classifies_text(Task task) {
  return traits(task).rows == RowForm::text && traits(task).output == OutputForm::label;
}
// Texts in, an answer out: what the native engine and the server are for.
constexpr bool answers_text(Task task) {
  return traits(task).rows == RowForm::text && traits(task).output != OutputForm::states;
}
// Texts in, an answer about each as a whole out: which part of a long one is read may be chosen.
constexpr bool answers_whole_text(Task task) {
  return task == Task::classify || task == Task::multilabel || task == Task::regress;
}
// Whether its outputs have names (id2label with at least two).
constexpr bool names_labels(Task task) {
  const OutputForm output = traits(task).output;
  return output == OutputForm::label || output == OutputForm::labels || output == OutputForm::tags;
}

template <size_t N>
constexpr EnumTable<Task, N> first_tasks() {
  EnumTable<Task, N> table{"task", {}};
  for (size_t i = 0; i < N; ++i) {
    table.entries[i] = {all_tasks[i].task, all_tasks[i].name, all_tasks[i].help};
  }
  return table;
}

inline constexpr auto task_table = first_tasks<std::size(all_tasks)>();
inline constexpr auto trained_task_table = first_tasks<11>();  // what --task may name
constexpr const auto& table_of(Task) {
  return trained_task_table;
}

static_assert([] {
  size_t trained = 0;
  for (size_t i = 0; i < std::size(all_tasks); ++i) {
    if (all_tasks[i].task != static_cast<Task>(i)) return false;  // traits() counts on the order
    if (all_tasks[i].trained) ++trained;
  }
  return trained == trained_task_table.entries.size();
}());

}  // namespace headroom
