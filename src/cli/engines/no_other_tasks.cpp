// headroom itself runs text classifiers only: for other models main.cpp starts headroom-train,
// unless --engine native was asked for.
#include <fmt/format.h>

#include "base/error.h"
#include "cli/engines/other_tasks.h"

namespace headroom {

void predict_other_task(Task task, const OtherTaskRequest& /*request*/, bool /*json*/) {
  throw Error(ErrorCode::usage, "predict",
              fmt::format("the native engine has no task {}: leave --engine out, or say torch",
                          task_name(task)));
}

}  // namespace headroom
