// The tasks, and all that follows from a task alone, in one table: a new task begins with a line
// here.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/enum_table.h"

namespace headroom {

enum class Task { classify, pair, image, lm, translate, synthetic, masked_lm, encoder };

// What a row is: a text (or two) with a label, an image with a label, a stretch of running text of
// which every token but the first is to be predicted, or a sentence with its translation.
enum class RowForm { text, image, stream, translation };

struct TaskTraits {
  Task task{};
  std::string_view name;  // as --task and config.json spell it
  std::string_view help;
  RowForm rows{};
  bool labels = false;            // rows have labels, the model a classifier
  bool trained = false;           // by `train`; the others are encoders to start from
  std::string_view architecture;  // of ours; empty: the model family's class for it
};

inline constexpr TaskTraits all_tasks[] = {
    {Task::classify, "classify", "labels of texts", RowForm::text, true, true, ""},
    {Task::pair, "pair", "labels of pairs of texts", RowForm::text, true, true, ""},
    {Task::image, "image", "labels of images", RowForm::image, true, true,
     "HeadroomForImageClassification"},
    {Task::lm, "lm", "text that goes on", RowForm::stream, false, true, "HeadroomForCausalLM"},
    {Task::translate, "translate", "translations of sentences", RowForm::translation, false, true,
     "HeadroomForTranslation"},
    {Task::synthetic, "synthetic", "the marked-token task", RowForm::text, true, true, ""},
    {Task::masked_lm, "masked-lm", "hidden tokens", RowForm::stream, false, false, ""},
    {Task::encoder, "encoder", "rows of vectors", RowForm::text, false, false, ""},
};

constexpr const TaskTraits& traits(Task task) {
  return all_tasks[static_cast<size_t>(task)];
}
constexpr std::string_view task_name(Task task) {
  return traits(task).name;
}
// Texts in, labels out: what the native engine, the server and the exporters are for.
constexpr bool classifies_text(Task task) {
  return traits(task).rows == RowForm::text && traits(task).labels;
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
inline constexpr auto trained_task_table = first_tasks<6>();  // what --task may name
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
