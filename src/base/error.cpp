#include "base/error.h"

#include "base/enum_table.h"

namespace headroom {
namespace {

constexpr auto error_table =
    enum_table<ErrorCode>("error", {{ErrorCode::runtime, "runtime"},
                                    {ErrorCode::usage, "usage"},
                                    {ErrorCode::bad_data, "bad_data"},
                                    {ErrorCode::bad_model, "bad_model"},
                                    {ErrorCode::target_unreachable, "target_unreachable"},
                                    {ErrorCode::interrupted, "interrupted"}});

}  // namespace

std::string_view error_name(ErrorCode code) {
  return error_table.name(code);
}

// 1 to 5 in the order of the codes, and what shells make of Ctrl-C.
int exit_code(ErrorCode code) {
  return code == ErrorCode::interrupted ? 130 : static_cast<int>(code) + 1;
}

}  // namespace headroom
