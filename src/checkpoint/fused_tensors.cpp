#include "checkpoint/fused_tensors.h"

#include <map>
#include <string>

#include "families/families.h"

namespace headroom {
namespace {

struct FusedNames {
  std::string whole;
  std::vector<std::string> parts;
};

std::vector<FusedNames> fused_names(const ModelShape& shape) {
  const ModelSchema& schema = schema_of(shape);
  std::vector<FusedNames> all;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    for (const FusedModules& fused : schema.fused) {
      const Module module = {fused.roles.front(), Stack::encoder, layer};
      FusedNames& names = all.emplace_back();
      names.whole = schema.name_of(fused.name, module) + ".weight";
      for (const Role role : fused.roles) {
        names.parts.push_back(schema.name_of({role, Stack::encoder, layer}) + ".weight");
      }
    }
  }
  return all;
}

}  // namespace

FusedTensors::FusedTensors(const std::vector<TensorView>& tensors, const ModelShape& shape) {
  const std::vector<FusedNames> all = fused_names(shape);
  std::map<std::string_view, const FusedNames*> first_parts;
  for (const FusedNames& names : all) first_parts[names.parts.front()] = &names;
  for (size_t i = 0; i < tensors.size(); ++i) {
    views_.push_back(tensors[i]);
    const auto found = first_parts.find(tensors[i].name);
    if (found == first_parts.end()) continue;
    TensorView& whole = views_.back();
    std::vector<std::byte>& rows = copies_.emplace_back();
    rows.assign(whole.bytes.begin(), whole.bytes.end());
    for (size_t part = 1; part < found->second->parts.size(); ++part) {
      const TensorView& next = tensors.at(++i);
      rows.insert(rows.end(), next.bytes.begin(), next.bytes.end());
      whole.shape[0] += next.shape[0];
    }
    whole.name = found->second->whole;
    whole.bytes = rows;
  }
}

void split_fused_tensors(SafetensorsFile& file, const ModelShape& shape) {
  for (const FusedNames& names : fused_names(shape)) {
    if (file.find(names.whole) != nullptr) file.split_rows(names.whole, names.parts);
  }
}

}  // namespace headroom
