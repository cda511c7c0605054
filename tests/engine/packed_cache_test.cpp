#include "engine/packed_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/files/file.h"
#include "checkpoint/tensors/checksum.h"
#include "engine/model.h"
#include "engine/random_model.h"
#include "engine/worker.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using testing::RandomCheckpoint;
using testing::small_shape;

std::vector<float> outputs_of(const std::shared_ptr<const EngineModel>& model) {
  const Tokens text{{2, 7, 9, 11, 5, 3}};
  const double budget = model->config().stored ? 1 : 0.5;
  std::vector<float> outputs(model->encoder().outputs_of(text));
  Worker(model).outputs(std::span(&text, 1), model->plan(budget), outputs);
  return outputs;
}

class PackedCache : public ::testing::Test {
 protected:
  fs::path cache() const { return folder_.path() / "cache"; }

  std::shared_ptr<const EngineModel> load(const fs::path& checkpoint,
                                          Precision precision = Precision::int8,
                                          std::optional<Isa> isa = {}) const {
    EngineOptions options{precision, isa};
    options.packed_cache = cache();
    return EngineModel::load(checkpoint, options);
  }
  std::shared_ptr<const EngineModel> load() const { return load(model_.path()); }

  // The only file in the cache.
  fs::path file() const {
    EXPECT_EQ(files(), 1);
    return fs::directory_iterator(cache())->path();
  }
  std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(cache()), fs::directory_iterator());
  }
  void change_byte(uint64_t offset) const {
    std::string content = read_file(file(), ErrorCode::runtime);
    content.at(offset) = static_cast<char>(content.at(offset) ^ 1);
    write_file_atomically(file(), content);
  }

  // Loads, and says why the file that is there was not used; the next load uses a new one.
  void expect_packed_again(const std::string& why) const {
    const auto again = load();
    EXPECT_NE(again->packed_note().find(why), std::string::npos) << again->packed_note();
    EXPECT_EQ(outputs_of(again), expected_);
    EXPECT_EQ(load()->packed_note(), "");
  }

  testing::TemporaryFolder folder_;
  RandomCheckpoint model_{small_shape()};
  std::vector<float> expected_ = outputs_of(EngineModel::load(model_.path(), {Precision::int8}));
};

TEST_F(PackedCache, GivesTheBitsOfPackingInEveryPrecision) {
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    const std::vector<float> packed = outputs_of(EngineModel::load(model_.path(), {precision}));
    EXPECT_EQ(outputs_of(load(model_.path(), precision)), packed);  // writes
    const auto mapped = load(model_.path(), precision);
    EXPECT_TRUE(mapped->weights().memory.is_packed());
    EXPECT_EQ(mapped->packed_note(), "");
    EXPECT_EQ(outputs_of(mapped), packed);
  }
  EXPECT_EQ(files(), 3);
}

TEST_F(PackedCache, GivesTheBitsOfPackingForEveryNetwork) {
  std::vector<ModelShape> shapes = testing::family_shapes(small_shape());
  for (const AttentionKind kind :
       {AttentionKind::optimized, AttentionKind::efficient, AttentionKind::super}) {
    shapes.push_back(small_shape());
    shapes.back().attention = kind;
  }
  shapes.push_back(small_shape());
  shapes.back().controller = 8;
  for (const ModelShape& shape : shapes) {
    const RandomCheckpoint checkpoint(shape);
    const std::vector<float> packed = outputs_of(EngineModel::load(checkpoint.path(), {}));
    load(checkpoint.path(), Precision::fp32);
    const auto mapped = load(checkpoint.path(), Precision::fp32);
    EXPECT_TRUE(mapped->weights().memory.is_packed()) << shape.family;
    EXPECT_EQ(outputs_of(mapped), packed) << shape.family;
  }
}

TEST_F(PackedCache, HasAFileForEveryInstructionSet) {
  load(model_.path(), Precision::int8, Isa::portable);
  load();
  EXPECT_EQ(files(), chosen_isa() == Isa::portable ? 1 : 2);
}

TEST_F(PackedCache, ReplacesADamagedFile) {
  load();
  change_byte(fs::file_size(file()) - 100);
  expect_packed_again("is damaged");
}

TEST_F(PackedCache, ReplacesATruncatedFile) {
  load();
  for (const uintmax_t size : {uintmax_t{0}, uintmax_t{4096}, fs::file_size(file()) - 64}) {
    fs::resize_file(file(), size);
    expect_packed_again(size > 4096 ? "its header says" : "less than a header");
  }
}

TEST_F(PackedCache, ReplacesWhatIsNoPackedFile) {
  load();
  change_byte(0);
  expect_packed_again("is not a file of packed weights");
}

TEST_F(PackedCache, ReplacesAFileOfAnotherFormat) {
  load();
  change_byte(8);
  expect_packed_again("has format");
}

TEST_F(PackedCache, ReplacesAFileOfAnotherVersionOrConfig) {
  load();
  change_byte(16);
  expect_packed_again("was packed by another version or for another config.json");
}

TEST_F(PackedCache, NoticesWeightsThatWereWrittenTo) {
  load();
  const fs::path weights = model_.path() / "model.safetensors";
  const auto modified = fs::last_write_time(weights);
  { std::ofstream(weights, std::ios::app) << ""; }
  fs::last_write_time(weights, modified);  // which somebody may set back, but not when it was done
  expect_packed_again("was packed before model.safetensors was last changed");
}

TEST_F(PackedCache, NeverHidesDamagedWeights) {
  load();
  const fs::path weights = model_.path() / "model.safetensors";
  std::string content = read_file(weights, ErrorCode::runtime);
  content.back() = static_cast<char>(content.back() ^ 1);
  write_file_atomically(weights, content);
  EXPECT_THROW(load(), Error);
}

TEST_F(PackedCache, DoesNotFollowALink) {
  load();
  const fs::path name = file();
  fs::rename(name, folder_.path() / "elsewhere");
  fs::create_symlink(folder_.path() / "elsewhere", name);
  expect_packed_again("cannot be opened");
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(name)));
}

TEST_F(PackedCache, RefusesAFolderThatOthersMayWriteTo) {
  fs::create_directory(cache());
  ASSERT_EQ(::chmod(cache().c_str(), 0777), 0);
  try {
    load();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.message().find("others may write"), std::string::npos) << error.message();
  }
}

TEST_F(PackedCache, DoesNotUseAFileThatOthersMayWriteTo) {
  load();
  ASSERT_EQ(::chmod(file().c_str(), 0666), 0);
  expect_packed_again("can be written by others");
}

TEST_F(PackedCache, RefusesWhatIsNoFolder) {
  std::ofstream(cache()) << "a file";
  EXPECT_THROW(load(), Error);
}

// A process of another user: root may write anywhere.
template <typename Work>
int status_without_root(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::seteuid(nobody) != 0) ::_exit(99);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(PackedCache, GoesOnInAFolderThatCannotBeWritten) {
  fs::create_directory(cache());
  ASSERT_EQ(::chmod(cache().c_str(), 0555), 0);
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0755), 0);
  ASSERT_EQ(::chmod(model_.path().parent_path().c_str(), 0755), 0);
  EXPECT_EQ(status_without_root([&] {
              const auto model = load();
              const bool told =
                  model->packed_note().find("packed weights are not kept") != std::string::npos;
              return told && outputs_of(model) == expected_ ? 0 : 1;
            }),
            0);
  EXPECT_EQ(files(), 0);
}

TEST_F(PackedCache, IsSharedByProcesses) {
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {  // all of them find it empty, or see what another has finished
    const pid_t child = ::fork();
    if (child == 0) ::_exit(outputs_of(load()) == expected_ ? 0 : 1);
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), 1);
  EXPECT_EQ(outputs_of(load()), expected_);
}

// What is packed of numbers that are exact on every machine. Another checksum means another layout
// or content: raise packed_format, or files that others have packed will be misread.
TEST_F(PackedCache, HasTheLayoutOfItsFormat) {
  const RandomCheckpoint exact(small_shape(), 1, [](testing::Tensors& tensors) {
    int64_t next = 0;
    for (auto& [name, values] : tensors) {
      for (float& value : values) value = static_cast<float>((next++ * 7919) % 255 - 127) / 128;
    }
  });
  std::vector<uint64_t> checksums;
  for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
    Xxh64 hash;
    const auto model = EngineModel::load(exact.path(), {precision, Isa::portable});
    for (const auto piece : model->weights().memory.pieces()) hash.update(piece);
    checksums.push_back(hash.digest());
  }
  EXPECT_EQ(packed_format, 1U);
  EXPECT_EQ(checksums, (std::vector<uint64_t>{6434490090983185043U, 16498465105084325332U,
                                              3857303326735875862U}));
}

}  // namespace
}  // namespace headroom
