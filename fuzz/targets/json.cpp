// Every JSON that we read: what is accepted is what the library would make of it, within the
// limits.
#include "base/json.h"

#include "base/json_builder.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

constexpr JsonLimits limits{.keys = 8, .values = 64};

template <typename AnyJson>
size_t count_values(const AnyJson& json) {
  size_t values = 1;
  if (json.is_structured()) {
    for (const AnyJson& child : json) values += count_values(child);
  }
  return values;
}

const Target json("json", [](std::string_view input) {
  accepts({ErrorCode::bad_data}, [&] {
    const Json value = parse_json(input, ErrorCode::bad_data, "x", limits);
    require(count_values(value) <= limits.values, "containers count as values");
    require(value == Json::parse(input), "it is the value that the library makes");
    require(parse_json(value.dump(), ErrorCode::bad_data, "x", limits) == value,
            "what was read can be written and read again");
  });
  accepts({ErrorCode::bad_model}, [&] {
    const SortedJson value = parse_sorted_json(input, ErrorCode::bad_model, "x");
    require(value == SortedJson::parse(input), "sorted, it is the library's value too");
  });
  JsonBuilder<Json> builder(ErrorCode::bad_data, "parse x", {});
  try {
    Json::sax_parse(input.begin(), input.end(), &builder);
  } catch (const Error&) {
  } catch (const Json::exception&) {
  }
  require(builder.operations() <= 16 * input.size() + 16, "parsing is linear in the text");
});

}  // namespace
}  // namespace headroom::fuzz
