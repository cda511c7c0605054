// Rows of one source of a data SPEC, whatever its format, as they come.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "data/catalog/catalog.h"
#include "data/catalog/spec.h"
#include "data/label_list.h"
#include "data/rows.h"

namespace headroom {

// Throws ErrorCode::usage unless `source` holds rows for `task`, or for a task like it. Names of a
// set's class list go to `labels`. Returns which columns were read, where the source has columns.
std::string read_source(const DataSource& source, const std::filesystem::path& data_dir, Task task,
                        RowUse use, LabelList& labels, const RowSink& sink);

// What rows of a task are read for when a model learns from them: vectors need no label.
inline RowUse learning_use(Task task) {
  return task == Task::embed ? RowUse::vectors : RowUse::learn;
}

// Hands on the texts of every row, whose label, if there is one, does not matter: for a model of
// `task` to answer. Returns which columns were read, of each source that has columns.
std::vector<std::string> read_texts(const DataSpec& spec, const std::filesystem::path& data_dir,
                                    Task task, const RowSink& sink);

// A part of a known set that is for `task`; throws ErrorCode::usage for one of another task.
FoundPart part_for(const DataSource& source, const std::filesystem::path& data_dir, Task task);

// Throws ErrorCode::usage "SOURCE WHY".
[[noreturn]] void refuse_source(const DataSource& source, std::string_view why);

// Throws ErrorCode::bad_data about a source without rows.
[[noreturn]] void fail_empty(const DataSource& source);

}  // namespace headroom
