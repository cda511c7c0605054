// How the texts of a task become ids: a checkpoint's vocabulary, or one built from them.
#pragma once

#include <functional>
#include <string_view>

#include "train/rows/task_data.h"

namespace headroom {
inline namespace train {

using TakeText = std::function<void(std::string_view text)>;
using EachText = std::function<void(const TakeText& take)>;

// Sets tokenizer, lower_case and vocabulary. `fixed`, of a checkpoint to start from, needs no
// texts.
void set_coding(TaskData& data, const TextCoding* fixed, const TaskRequest& request,
                const EachText& each_text);

}  // namespace train
}  // namespace headroom
