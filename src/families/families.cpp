#include "families/families.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "base/join.h"

namespace headroom {

extern const ModelSchema bert_family;
extern const ModelSchema distilbert_family;
extern const ModelSchema roberta_family, xlm_roberta_family, camembert_family;
extern const ModelSchema electra_family;
extern const ModelSchema mpnet_family;
extern const ModelSchema modernbert_family;
extern const ModelSchema deberta_family;

namespace {

constexpr std::array families = {&bert_family,        &distilbert_family, &roberta_family,
                                 &xlm_roberta_family, &camembert_family,  &electra_family,
                                 &mpnet_family,       &modernbert_family, &deberta_family};

}  // namespace

const ModelSchema* find_schema(std::string_view model_type) {
  const auto* found = std::find_if(families.begin(), families.end(), [&](const ModelSchema* each) {
    return each->model_type == model_type;
  });
  return found == families.end() ? nullptr : *found;
}

const ModelSchema& schema_of(const ModelShape& shape) {
  const ModelSchema* schema = find_schema(shape.family);
  if (schema == nullptr) throw std::logic_error(fmt::format("no family {}", shape.family));
  return *schema;
}

std::string known_families() {
  std::vector<std::string_view> names;
  for (const ModelSchema* each : families) names.push_back(each->model_type);
  return join(names, ", ");
}

}  // namespace headroom
