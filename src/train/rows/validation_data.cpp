#include "train/rows/validation_data.h"

#include <vector>

#include "base/error.h"
#include "base/join.h"
#include "data/catalog/catalog.h"
#include "data/catalog/spec.h"

namespace headroom {
inline namespace train {
namespace {

// "conll2003:validation" of "conll2003"; empty where a source has no such part.
std::string official_parts(const TaskRequest& request) {
  std::vector<std::string> parts;
  for (const DataSource& source : parse_data_spec(request.data).sources) {
    const CatalogEntry* entry =
        source.kind == SourceKind::named ? find_entry(source.name) : nullptr;
    if (entry == nullptr || source.part != DataPart::train) return "";
    if (!find_part(*entry, request.data_dir, DataPart::validation)) return "";
    parts.push_back(entry->name + ":validation");
  }
  return join(parts, "+");
}

}  // namespace

std::string validation_spec(const TaskRequest& request) {
  if (request.validation_data == set_aside) return "";
  if (!request.validation_data.empty()) {
    if (request.validation_rows == 0) return request.validation_data;
    throw Error(ErrorCode::usage, "train",
                "--validation-rows sets rows of --data aside, which --validation-data makes "
                "unnecessary: leave one of them out");
  }
  const bool texts = answers_text(request.task) && !request.data.empty();
  return texts && request.validation_rows == 0 ? official_parts(request) : "";
}

}  // namespace train
}  // namespace headroom
