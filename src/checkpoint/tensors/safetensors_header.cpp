#include "checkpoint/tensors/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace headroom {
namespace {

constexpr std::string_view metadata_key = "__metadata__";

// A name or number as a message may show it: escaped, and short however long it is in the file.
std::string shown_text(std::string_view text) {
  constexpr size_t most = 80;
  return Json(std::string(text.substr(0, most)))
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

// What the JSON library complained about, without the file content it appends.
std::string complaint_of(const std::exception& problem) {
  const std::string_view text = problem.what();
  return std::string(text.substr(0, std::min<size_t>(text.find("; last read"), 160)));
}

// Builds the header from parse events instead of a JSON tree. Events carry only the few shapes that
// a header may have, so nesting has no depth to exhaust, each limit holds before memory is spent,
// and 100 MB of hostile keys cost linear time (inserting n keys into base/json.h's ordered objects
// costs n^2).
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  explicit HeaderReader(std::string_view origin) : origin_(origin) {}

  SafetensorsHeader take() { return std::move(header_); }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::bad_model, "read safetensors", fmt::format("{}: {}", origin_, message));
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool value) override { unexpected(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    unexpected(fmt::format("the negative number {}", value));
  }
  bool number_float(number_float_t /*value*/, const string_t& text) override {
    unexpected(fmt::format("the number {}", text.substr(0, 40)));
  }
  bool binary(binary_t& /*value*/) override { unexpected("binary"); }

  bool number_unsigned(number_unsigned_t value) override {
    const bool in_array = state_ == State::shape || state_ == State::offsets;
    if (!in_array || value > static_cast<uint64_t>(INT64_MAX)) {
      unexpected(fmt::format("the number {}", value));
    }
    state_ == State::shape ? add_dim(value) : add_offset(value);
    return true;
  }

  bool string(string_t& value) override {
    if (state_ == State::metadata) {
      header_.metadata[key_] = std::move(value);
    } else if (state_ == State::tensor && key_ == "dtype") {
      dtype_ = dtype_from_name(value);
      if (!dtype_) fail_tensor(fmt::format("unknown dtype {}", shown_text(value)));
    } else {
      unexpected("a string");
    }
    return true;
  }

  bool key(string_t& value) override {
    if (state_ == State::metadata && metadata_keys_.size() == max_safetensors_metadata) {
      fail(fmt::format("{} has more than {} keys", metadata_key, max_safetensors_metadata));
    }
    if (!keys_in_place().insert(value).second) {
      const std::string again = fmt::format("key {} appears twice", shown_text(value));
      state_ == State::tensor ? fail_tensor(again) : fail(again);
    }
    if (state_ == State::tensor && value != "dtype" && value != "shape" &&
        value != "data_offsets") {
      fail_tensor(fmt::format("unknown key {}", shown_text(value)));
    }
    key_ = std::move(value);
    return true;
  }

  bool start_object(size_t /*elements*/) override {
    if (state_ == State::outside) {
      state_ = State::top;
    } else if (state_ == State::top && key_ == metadata_key) {
      state_ = State::metadata;
    } else if (state_ == State::top) {
      start_tensor();
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool end_object() override {
    if (state_ == State::tensor) finish_tensor();
    state_ = state_ == State::top ? State::outside : State::top;
    return true;
  }

  bool start_array(size_t /*elements*/) override {
    if (state_ != State::tensor || key_ == "dtype") unexpected("an array");
    state_ = key_ == "shape" ? State::shape : State::offsets;
    return true;
  }

  bool end_array() override {
    state_ = State::tensor;
    return true;
  }

  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& problem) override {
    fail(fmt::format("header is not valid JSON ({})", complaint_of(problem)));
  }

 private:
  enum class State { outside, top, metadata, tensor, shape, offsets };
  using Keys = std::unordered_set<std::string>;

  Keys& keys_in_place() {
    if (state_ == State::metadata) return metadata_keys_;
    return state_ == State::tensor ? tensor_keys_ : top_keys_;
  }

  [[noreturn]] void fail_tensor(const std::string& message) const {
    fail(fmt::format("tensor {}: {}", shown_text(tensor_.name), message));
  }

  [[noreturn]] void unexpected(const std::string& what) const {
    switch (state_) {
      case State::metadata:
        fail(fmt::format("{} value of {} is {}, expected a string", metadata_key, shown_text(key_),
                         what));
      case State::tensor:
        fail_tensor(fmt::format("{} is {}, expected {}", key_, what,
                                key_ == "dtype" ? "a string" : "an array"));
      case State::shape:
      case State::offsets:
        fail_tensor(fmt::format("{} holds {}, expected whole numbers below 2^63", key_, what));
      case State::top:
        fail(fmt::format("{} is {}, expected an object", shown_text(key_), what));
      case State::outside:
        break;
    }
    fail(fmt::format("header is {}, expected an object", what));
  }

  void add_dim(uint64_t dim) {
    if (tensor_.shape.size() == max_tensor_dims) {
      fail_tensor(fmt::format("shape has more than {} dimensions", max_tensor_dims));
    }
    tensor_.shape.push_back(static_cast<int64_t>(dim));
  }

  void add_offset(uint64_t offset) {
    if (offsets_.size() == 2) fail_tensor("data_offsets has more than two numbers");
    offsets_.push_back(offset);
  }

  void start_tensor() {
    if (header_.tensors.size() == max_safetensors_tensors) {
      fail(fmt::format("header lists more than {} tensors", max_safetensors_tensors));
    }
    state_ = State::tensor;
    tensor_ = TensorInfo();
    tensor_.name = key_;
    tensor_keys_.clear();
    dtype_.reset();
    offsets_.clear();
  }

  void finish_tensor() {
    for (const char* required : {"dtype", "shape", "data_offsets"}) {
      if (!tensor_keys_.contains(required)) fail_tensor(fmt::format("{} is missing", required));
    }
    if (offsets_.size() != 2) {
      fail_tensor(fmt::format("data_offsets has length {}, expected two numbers", offsets_.size()));
    }
    tensor_.dtype = *dtype_;
    tensor_.begin = offsets_[0];
    tensor_.end = offsets_[1];
    if (tensor_.begin > tensor_.end) {
      fail_tensor(fmt::format("begins at byte {} after its end at {}", tensor_.begin, tensor_.end));
    }
    const auto needed = tensor_byte_count(tensor_.dtype, tensor_.shape);
    const std::string what =
        fmt::format("shape {} of {}", shape_text(tensor_.shape), dtype_name(tensor_.dtype));
    if (!needed) fail_tensor(what + " is no whole number of bytes that fits 64 bits");
    if (*needed != tensor_.end - tensor_.begin) {
      fail_tensor(fmt::format("{} needs {} bytes but data_offsets span {}", what, *needed,
                              tensor_.end - tensor_.begin));
    }
    header_.tensors.push_back(std::move(tensor_));
  }

  std::string_view origin_;
  SafetensorsHeader header_;
  State state_ = State::outside;
  std::string key_;  // the last key read
  Keys top_keys_;
  Keys metadata_keys_;
  Keys tensor_keys_;
  TensorInfo tensor_;  // the one being read, with what cannot be stored in it yet:
  std::optional<DType> dtype_;
  std::vector<uint64_t> offsets_;
};

// Sorts by offset and checks that the tensors cover the data section: no overlap, no hole.
void check_coverage(SafetensorsHeader& header, uint64_t data_size, const HeaderReader& reader) {
  const auto by_offset = [](const TensorInfo& tensor) {
    return std::tie(tensor.begin, tensor.end, tensor.name);
  };
  std::sort(header.tensors.begin(), header.tensors.end(),
            [&](const auto& a, const auto& b) { return by_offset(a) < by_offset(b); });
  uint64_t covered = 0;
  for (const TensorInfo& tensor : header.tensors) {
    const std::string name = shown_text(tensor.name);
    if (tensor.end > data_size) {
      reader.fail(
          fmt::format("tensor {} ends at byte {} but the data has only {}: "
                      "an incomplete download?",
                      name, tensor.end, data_size));
    }
    if (tensor.begin < covered) {
      reader.fail(fmt::format("tensor {} begins at byte {}, inside another that ends at {}", name,
                              tensor.begin, covered));
    }
    if (tensor.begin > covered) {
      reader.fail(fmt::format("bytes {} to {}, before tensor {}, belong to no tensor", covered,
                              tensor.begin, name));
    }
    covered = tensor.end;
  }
  if (covered < data_size) {
    reader.fail(
        fmt::format("the last {} bytes of the file belong to no tensor: "
                    "was something appended?",
                    data_size - covered));
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view text, uint64_t data_size,
                                           std::string_view origin) {
  HeaderReader reader(origin);
  if (!text.starts_with('{')) reader.fail("header does not start with '{'");
  // The JSON library takes a NUL for the end of its input and would ignore what follows.
  if (text.find('\0') != std::string_view::npos) {
    reader.fail("header is not valid JSON (it holds a NUL byte)");
  }
  if (text[text.find_last_not_of(' ')] != '}') {
    reader.fail("header does not end with '}' and spaces");
  }
  Json::sax_parse(text.begin(), text.end(), &reader);
  SafetensorsHeader header = reader.take();
  check_coverage(header, data_size, reader);
  return header;
}

std::string safetensors_header_text(const SafetensorsHeader& header) {
  std::string text = "{";
  const auto comma = [&] { return text.size() > 1 ? "," : ""; };
  if (!header.metadata.empty()) {
    text += fmt::format("\"{}\":{}", metadata_key, nlohmann::json(header.metadata).dump());
  }
  for (const TensorInfo& tensor : header.tensors) {
    text += fmt::format(R"({}{}:{{"dtype":"{}","shape":{},"data_offsets":[{},{}]}})", comma(),
                        nlohmann::json(tensor.name).dump(), dtype_name(tensor.dtype),
                        nlohmann::json(tensor.shape).dump(), tensor.begin, tensor.end);
  }
  text += '}';
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace headroom
