// The data SPEC of the command line.
#include "data/catalog/spec.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

const Target data_spec("data_spec", [](std::string_view input) {
  accepts({ErrorCode::usage},
          [&] { require(!parse_data_spec(input).sources.empty(), "a SPEC has a source"); });
});

}  // namespace
}  // namespace headroom::fuzz
