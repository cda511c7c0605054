// A clause of the Open Inference Protocol (V2) and what checks it, for tables that name them all:
// https://github.com/kserve/open-inference-protocol, inference_rest.md, open_inference_rest.yaml
// and inference_grpc.md, with what the older document of KServe (required_api.md) says besides.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>

namespace headroom::testing {

template <typename Peer>
struct Clause {
  std::string name;  // of the test
  std::string says;  // section and content
  void (*check)(Peer& peer);
};

template <typename Peer>
std::ostream& operator<<(std::ostream& stream, const Clause<Peer>& clause) {
  return stream << clause.says;
}

template <typename Peer>
std::string clause_name(const ::testing::TestParamInfo<Clause<Peer>>& info) {
  return info.param.name;
}

// "Tensor Data Types": what a datatype may be.
inline bool is_datatype(const std::string& name) {
  static const std::set<std::string> known = {"BOOL", "UINT8", "UINT16", "UINT32", "UINT64",
                                              "INT8", "INT16", "INT32",  "INT64",  "FP16",
                                              "FP32", "FP64",  "BYTES"};
  return known.contains(name);
}

}  // namespace headroom::testing
