#include "checkpoint/tensors/safetensors_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"
#include "checkpoint/tensors/safetensors.h"
#include "full_disk.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::FullDisk;
using testing::TemporaryFolder;

const std::vector<std::byte> eight(8, std::byte{42});

std::string content(const std::filesystem::path& path) {
  return read_file(path, ErrorCode::bad_model);
}

size_t entries_in(const std::filesystem::path& folder) {
  const auto entries = std::filesystem::directory_iterator(folder);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

TEST(SafetensorsWriter, LaysTensorsOutByAlignmentThenName) {
  const TemporaryFolder folder;
  const std::span<const std::byte> bytes = eight;
  write_safetensors(folder.path() / "m",
                    std::vector<TensorView>{{"mask", DType::boolean, {3}, bytes.first(3)},
                                            {"zeta", DType::f32, {1}, bytes.first(4)},
                                            {"half", DType::f16, {3}, bytes.first(6)},
                                            {"alpha", DType::f32, {2}, bytes},
                                            {"ids", DType::i64, {1}, bytes}});
  const SafetensorsFile file(folder.path() / "m");
  std::vector<std::string> order;
  for (const TensorInfo& tensor : file.tensors()) {
    order.push_back(tensor.name);
    EXPECT_EQ(tensor.begin % std::max(1, dtype_bits(tensor.dtype) / 8), 0U) << tensor.name;
  }
  EXPECT_EQ(order, (std::vector<std::string>{"ids", "alpha", "zeta", "half", "mask"}));
}

TEST(SafetensorsWriter, TheBytesAreExactlyThese) {
  const TemporaryFolder folder;
  write_safetensors(folder.path() / "m", std::vector<TensorView>{{"w", DType::f32, {2}, eight}},
                    {{"format", "pt"}});
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  EXPECT_EQ(content(folder.path() / "m"), std::string("\x58\0\0\0\0\0\0\0", 8) + header +
                                              std::string(0x58 - header.size(), ' ') +
                                              std::string(8, '\x2a'));
}

TEST(SafetensorsWriter, TheOrderOfTheInputDoesNotMatter) {
  const TemporaryFolder folder;
  const TensorView a = {"a", DType::f32, {2}, eight};
  const TensorView b = {"b", DType::i64, {1}, eight};
  write_safetensors(folder.path() / "ab", std::vector{a, b}, {{"x", "1"}, {"y", "2"}});
  write_safetensors(folder.path() / "ba", std::vector{b, a}, {{"y", "2"}, {"x", "1"}});
  EXPECT_EQ(content(folder.path() / "ab"), content(folder.path() / "ba"));
}

struct BadInput {
  std::vector<TensorView> tensors;
  SafetensorsMetadata metadata;
  std::string complaint;
};

TEST(SafetensorsWriter, InputThatNoReaderWouldAcceptIsRefusedBeforeWriting) {
  const TemporaryFolder folder;
  const TensorView good = {"w", DType::f32, {2}, eight};
  const std::vector<BadInput> inputs = {
      {{{"w", DType::f32, {3}, eight}}, {}, "needs 12 bytes but data_offsets span 8"},
      {{{"w", DType::f32, {-2}, eight}}, {}, "holds the negative number -2"},
      {{{"w", DType::f32, {2, 1, 1, 1, 1, 1, 1, 1, 1}, eight}}, {}, "more than 8 dimensions"},
      {{{"__metadata__", DType::f32, {2}, eight}}, {}, "cannot be called __metadata__"},
      {{{"\xff", DType::f32, {2}, eight}}, {}, "not UTF-8"},
      {{good, good}, {}, "\"w\" appears twice"},
      {{good, {"w", DType::i64, {1}, eight}}, {}, "\"w\" appears twice"},
      {{good}, {{"k", "\xff"}}, "not UTF-8"},
      {{good}, {{"k", std::string(max_safetensors_header, 'v')}}, "more than the limit"},
  };
  for (const BadInput& input : inputs) {
    expect_error(ErrorCode::runtime, input.complaint,
                 [&] { write_safetensors(folder.path() / "m", input.tensors, input.metadata); });
  }
  EXPECT_EQ(entries_in(folder.path()), 0U);
}

TEST(SafetensorsWriter, AFullDiskLeavesTheFormerFileAndNoTemporary) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "m";
  write_safetensors(path, std::vector<TensorView>{{"w", DType::f32, {2}, eight}});
  const std::string former = content(path);
  const std::vector<std::byte> large(100'000);
  for (const uint64_t room : {0, 4, 50, 4096}) {  // full in the length, the header and the data
    const FullDisk full(room);
    expect_error(ErrorCode::runtime, path.string(), [&] {
      write_safetensors(path, std::vector<TensorView>{{"w", DType::u8, {100'000}, large}});
    });
  }
  EXPECT_EQ(content(path), former);
  EXPECT_EQ(entries_in(folder.path()), 1U);
}

TEST(SafetensorsWriter, AFailedRenameLeavesTheTargetAndNoTemporary) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "taken");
  folder.write("taken/keep", "old");
  expect_error(ErrorCode::runtime, "taken",
               [&] { write_safetensors(folder.path() / "taken", {}); });
  EXPECT_EQ(content(folder.path() / "taken/keep"), "old");
  EXPECT_EQ(entries_in(folder.path()), 1U);
}

TEST(SafetensorsWriter, AParentThatIsNoFolderIsARuntimeError) {
  const TemporaryFolder folder;
  const auto parent = folder.write("file", "old");
  expect_error(ErrorCode::runtime, "Not a directory", [&] { write_safetensors(parent / "m", {}); });
  expect_error(ErrorCode::runtime, "No such file",
               [&] { write_safetensors(folder.path() / "absent/m", {}); });
  EXPECT_EQ(content(parent), "old");
}

TEST(SafetensorsWriter, ThreadsWritingTheSameFileLeaveOneOfTheirs) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "m";
  const auto save = [&](std::byte fill) {
    const std::vector<std::byte> bytes(50'000, fill);
    for (int i = 0; i < 5; ++i) {
      write_safetensors(path, std::vector<TensorView>{{"w", DType::u8, {50'000}, bytes}});
    }
  };
  std::thread other([&] { save(std::byte{1}); });
  save(std::byte{2});
  other.join();
  const SafetensorsFile file(path);
  const auto bytes = file.bytes("w");
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), bytes[0]), 50'000);
  EXPECT_EQ(entries_in(folder.path()), 1U);
}

}  // namespace
}  // namespace headroom
