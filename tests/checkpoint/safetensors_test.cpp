#include "checkpoint/tensors/safetensors.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/random.h"
#include "checkpoint/tensors/convert.h"
#include "checkpoint/tensors/safetensors_writer.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::TemporaryFolder;

struct OwnedTensor {
  TensorView view;
  std::vector<std::byte> bytes;
};

OwnedTensor floats(std::string name, DType dtype, std::vector<int64_t> shape,
                   const std::vector<float>& values) {
  OwnedTensor tensor{{std::move(name), dtype, std::move(shape), {}}, encode_f32(dtype, values)};
  tensor.view.bytes = tensor.bytes;
  return tensor;
}

TEST(Safetensors, FloatsOfEachWidthAreReadBack) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1, -2, 0.5, 0, 4, 8};
  const auto f32 = floats("f32", DType::f32, {2, 3}, values);
  const auto f16 = floats("f16", DType::f16, {6}, values);
  const auto bf16 = floats("bf16", DType::bf16, {3, 2}, values);
  write_safetensors(folder.path() / "m", std::vector{f32.view, f16.view, bf16.view});

  const SafetensorsFile file(folder.path() / "m");
  for (const std::string name : {"f32", "f16", "bf16"}) EXPECT_EQ(file.read_f32(name), values);
  EXPECT_EQ(file.names(), (std::vector<std::string>{"bf16", "f16", "f32"}));
  EXPECT_EQ(file.shape("bf16"), (std::vector<int64_t>{3, 2}));
}

// Any types, shapes (scalars and empty tensors included), names and bytes.
TEST(Safetensors, RandomTensorsComeBackBitForBit) {
  const TemporaryFolder folder;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random({seed});
    std::vector<std::vector<std::byte>> storage;
    std::vector<TensorView> tensors;
    for (uint64_t i = 0; i < random.below(20); ++i) {
      TensorView tensor;
      tensor.name = "tensor \"" + std::to_string(i) + "\" \xc3\xa9\n";
      tensor.dtype = static_cast<DType>(random.below(static_cast<uint64_t>(DType::u64) + 1));
      for (uint64_t dim = random.below(max_tensor_dims); dim > 0; --dim) {
        tensor.shape.push_back(static_cast<int64_t>(random.below(4)));
      }
      tensor.shape.push_back(8);  // packed types end on a byte
      storage.emplace_back(*tensor_byte_count(tensor.dtype, tensor.shape));
      for (std::byte& byte : storage.back()) byte = static_cast<std::byte>(random.next());
      tensor.bytes = storage.back();
      tensors.push_back(tensor);
    }
    const SafetensorsMetadata metadata = {{"seed", std::to_string(seed)}, {"\xe2\x82\xac", "\t"}};
    write_safetensors(folder.path() / "m", tensors, metadata);

    const SafetensorsFile file(folder.path() / "m");
    EXPECT_EQ(file.metadata(), metadata);
    ASSERT_EQ(file.names().size(), tensors.size());
    for (const TensorView& tensor : tensors) {
      EXPECT_EQ(file.at(tensor.name).dtype, tensor.dtype);
      EXPECT_EQ(file.shape(tensor.name), tensor.shape);
      const auto bytes = file.bytes(tensor.name);
      EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), tensor.bytes.begin(), tensor.bytes.end()));
    }
  }
}

TEST(Safetensors, AFileMayHoldNothing) {
  const TemporaryFolder folder;
  const SafetensorsFile file(folder.write("m", std::string("\2\0\0\0\0\0\0\0{}", 10)));
  EXPECT_TRUE(file.names().empty());
  EXPECT_TRUE(file.metadata().empty());
  EXPECT_EQ(file.find("a"), nullptr);
}

TEST(Safetensors, TensorsMayBeListedInAnyOrderAndTheHeaderPadded) {
  const SafetensorsHeader header =
      parse_safetensors_header(R"({"late":{"shape":[1],"dtype":"U8","data_offsets":[1,2]},)"
                               R"( "early":{"data_offsets":[0,1],"dtype":"BOOL","shape":[]}}    )",
                               2, "test");
  ASSERT_EQ(header.tensors.size(), 2U);
  EXPECT_EQ(header.tensors[0].name, "early");
  EXPECT_EQ(header.tensors[1].name, "late");
}

TEST(Safetensors, EmptyTensorsShareAnOffset) {
  const SafetensorsHeader header =
      parse_safetensors_header(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                               R"("b":{"dtype":"F32","shape":[0,7],"data_offsets":[4,4]},)"
                               R"("c":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})",
                               4, "test");
  EXPECT_EQ(header.tensors.size(), 3U);
}

TEST(Safetensors, AHundredThousandTensorsAreAccepted) {
  std::string text = "{";
  for (int i = 0; i < 100'000; ++i) {
    text += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
            R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  EXPECT_EQ(parse_safetensors_header(text + "}", 0, "test").tensors.size(), 100'000U);
}

TEST(Safetensors, AbsentTensorIsNamed) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "m", {});
  const SafetensorsFile file(folder.path() / "m");
  expect_error(ErrorCode::bad_model, "has no tensor \"bert.pooler\"",
               [&] { file.at("bert.pooler"); });
  expect_error(ErrorCode::bad_model, "has no tensor", [&] { file.bytes("bert.pooler"); });
}

TEST(Safetensors, UnexpectedShapeShowsBoth) {
  const TemporaryFolder folder;
  const auto tensor = floats("w", DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  write_safetensors(folder.path() / "m", std::vector{tensor.view});
  const SafetensorsFile file(folder.path() / "m");
  EXPECT_NO_THROW(file.expect_shape("w", {2, 3}));
  expect_error(ErrorCode::bad_model, "has shape [2, 3], expected [3, 2]", [&] {
    file.expect_shape("w", {3, 2});
  });
}

TEST(Safetensors, WholeNumbersAreNotReadAsFloats) {
  const TemporaryFolder folder;
  const std::vector<std::byte> bytes(8);
  write_safetensors(folder.path() / "m", std::vector{TensorView{"ids", DType::i64, {1}, bytes}});
  expect_error(ErrorCode::bad_model, "\"ids\" holds I64, expected F32, F16 or BF16",
               [&] { SafetensorsFile(folder.path() / "m").read_f32("ids"); });
}

TEST(Safetensors, WhatIsNoRegularFileIsRefused) {
  const TemporaryFolder folder;
  const auto pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  expect_error(ErrorCode::bad_model, "No such file",
               [] { SafetensorsFile file("/nonexistent/m"); });
  expect_error(ErrorCode::bad_model, "not a regular file",
               [&] { SafetensorsFile f(folder.path()); });
  expect_error(ErrorCode::bad_model, "not a regular file", [&] { SafetensorsFile f(pipe); });
}

TEST(Safetensors, AFileShortenedAfterOpeningIsRefusedNotTouched) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "m";
  const auto tensor = floats("w", DType::f32, {10'000}, std::vector<float>(10'000, 1.0F));
  write_safetensors(path, std::vector{tensor.view});
  const SafetensorsFile file(path);
  std::filesystem::resize_file(path, 100);
  expect_error(ErrorCode::bad_model, "and is 100 now", [&] { file.read_f32("w"); });
}

TEST(Safetensors, AFileReplacedByRenameKeepsItsFormerContent) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "m";
  const auto old_tensor = floats("w", DType::f32, {2}, {1, 2});
  const auto new_tensor = floats("w", DType::f32, {2}, {3, 4});
  write_safetensors(path, std::vector{old_tensor.view});
  const SafetensorsFile file(path);
  write_safetensors(path, std::vector{new_tensor.view});
  EXPECT_EQ(file.read_f32("w"), (std::vector<float>{1, 2}));
  EXPECT_EQ(SafetensorsFile(path).read_f32("w"), (std::vector<float>{3, 4}));
}

TEST(Safetensors, SparseFileFarLargerThanMemoryOpens) {
  const TemporaryFolder folder;
  constexpr uint64_t size = 1ULL << 40;
  const std::string header =
      R"({"w":{"dtype":"F32","shape":[268435456,1024],"data_offsets":[0,1099511627776]}})";
  const char length = static_cast<char>(header.size());
  const auto path = folder.write("m", std::string(1, length) + std::string(7, '\0') + header);
  std::error_code refused;
  std::filesystem::resize_file(path, 8 + header.size() + size, refused);
  if (refused) GTEST_SKIP() << "this file system has no files of a terabyte";
  EXPECT_EQ(SafetensorsFile(path).bytes("w").size(), size);
}

TEST(Safetensors, MovedFileStaysReadable) {
  const TemporaryFolder folder;
  const auto tensor = floats("w", DType::f32, {1}, {7});
  write_safetensors(folder.path() / "m", std::vector{tensor.view});
  SafetensorsFile file(folder.path() / "m");
  const SafetensorsFile moved = std::move(file);
  EXPECT_EQ(moved.read_f32("w"), std::vector<float>{7});
}

// A file that Transformers saved. Written again from what was read, it must come out byte for byte:
// that pins order, padding and JSON spelling to the reference implementation's.
TEST(Safetensors, AHuggingFaceFileIsReadAndReproducedExactly) {
  const std::filesystem::path path =
      HEADROOM_SOURCE_DIR "/../shared/hf/bert-random-tiny/model.safetensors";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const SafetensorsFile file(path);
  file.expect_shape("bert.embeddings.word_embeddings.weight", {30522, 32});
  file.expect_shape("classifier.weight", {4, 32});
  EXPECT_EQ(file.metadata(), (SafetensorsMetadata{{"format", "pt"}}));
  for (const float value : file.read_f32("bert.embeddings.LayerNorm.weight")) {
    EXPECT_TRUE(std::isfinite(value));
  }

  std::vector<TensorView> tensors;
  for (const std::string& name : file.names()) {
    tensors.push_back({name, file.at(name).dtype, file.shape(name), file.bytes(name)});
  }
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "copy", tensors, file.metadata());
  EXPECT_TRUE(read_file(folder.path() / "copy", ErrorCode::bad_model) ==
              read_file(path, ErrorCode::bad_model));
}

}  // namespace
}  // namespace headroom
