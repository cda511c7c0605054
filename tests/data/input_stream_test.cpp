#include "data/input/input_stream.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <stdexcept>

#include "archives.h"
#include "data/input/line_reader.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::gzip;
using testing::TemporaryFolder;

std::string read_everything(const std::filesystem::path& path) {
  InputStream input(path);
  std::string content;
  for (auto block = input.peek(); !block.empty(); block = input.peek()) {
    content.append(block);
    input.consume(block.size());
  }
  return content;
}

// Compresses badly, and is longer than any block.
std::string long_noise() {
  std::string noise;
  uint32_t state = 1;
  for (int i = 0; i < 1'000'000; ++i) {
    state = state * 1664525U + 1013904223U;
    noise.push_back(static_cast<char>(state >> 24U));
  }
  return noise;
}

std::vector<std::string> lines_of(std::string_view content) {
  const TemporaryFolder folder;
  InputStream input(folder.write("lines", content));
  LineReader reader(input);
  std::vector<std::string> lines;
  std::string line;
  while (reader.next(line)) lines.push_back(line);
  return lines;
}

TEST(InputStream, PlainAndGzipFilesReadAlike) {
  const TemporaryFolder folder;
  const std::string noise = long_noise();
  EXPECT_EQ(read_everything(folder.write("plain", noise)), noise);
  EXPECT_EQ(read_everything(folder.write("packed", gzip(noise))), noise);
  EXPECT_EQ(read_everything(folder.write("empty.gz", gzip(""))), "");
  EXPECT_EQ(read_everything(folder.write("empty", "")), "");
  EXPECT_EQ(read_everything(folder.write("x", "x")), "x");
}

TEST(InputStream, GzipMembersAreJoined) {
  const TemporaryFolder folder;
  const auto file = folder.write("two.gz", gzip("one ") + gzip("two") + std::string(700, '\0'));
  EXPECT_EQ(read_everything(file), "one two");
}

TEST(InputStream, TruncatedGzipIsRefusedNamingTheFile) {
  const TemporaryFolder folder;
  const std::string whole = gzip(long_noise());
  for (const size_t kept : {size_t{5}, whole.size() / 2, whole.size() - 1}) {
    const auto file = folder.write("cut.gz", whole.substr(0, kept));
    expect_error(ErrorCode::bad_data, "cut.gz: the gzip data ends early",
                 [&] { read_everything(file); });
  }
}

TEST(InputStream, DamagedGzipIsRefusedNamingTheFile) {
  const TemporaryFolder folder;
  std::string flipped = gzip(long_noise());
  flipped[flipped.size() / 2] ^= 0x55;
  const auto damaged = folder.write("damaged.gz", flipped);
  expect_error(ErrorCode::bad_data, "damaged.gz: the gzip data is damaged",
               [&] { read_everything(damaged); });
  const auto followed = folder.write("followed.gz", gzip("one") + "junk");
  expect_error(ErrorCode::bad_data, "followed.gz: the gzip data is damaged",
               [&] { read_everything(followed); });
}

TEST(InputStream, MissingFilesAndDirectoriesAreRefused) {
  const TemporaryFolder folder;
  expect_error(ErrorCode::usage, "No such file", [] { InputStream("/nonexistent/a.csv"); });
  expect_error(ErrorCode::bad_data, "is a directory", [&] { InputStream(folder.path()); });
}

// Standard input becomes a pipe that holds `content` for as long as this lives.
class StandardInput {
 public:
  explicit StandardInput(std::string_view content) : saved_(::dup(STDIN_FILENO)) {
    std::array<int, 2> ends = {};
    if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
    EXPECT_EQ(::write(ends[1], content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    ::close(ends[1]);
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
  }
  ~StandardInput() {
    ::dup2(saved_, STDIN_FILENO);
    ::close(saved_);
  }
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  int saved_;
};

TEST(InputStream, ADashIsStandardInput) {
  {
    const StandardInput input("plain");
    EXPECT_EQ(read_everything("-"), "plain");
  }
  const StandardInput input(gzip("packed").substr(0, 15));
  expect_error(ErrorCode::bad_data, "standard input: the gzip data ends early",
               [] { read_everything("-"); });
}

TEST(InputStream, PeekGathersAcrossBlocks) {
  const TemporaryFolder folder;
  InputStream input(folder.write("packed", gzip(long_noise())));
  input.consume(input.peek().size() - 1);
  EXPECT_GE(input.peek(3).size(), 3U);
}

TEST(LineReader, EndsOfLinesAreRemoved) {
  EXPECT_EQ(lines_of("a\nb\r\n\nc"), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(lines_of("\xEF\xBB\xBF"
                     "a\n"),
            std::vector<std::string>{"a"})
      << "byte-order mark";
  EXPECT_TRUE(lines_of("").empty());
  EXPECT_EQ(lines_of("\n"), std::vector<std::string>{""});
}

TEST(LineReader, LinesLongerThanABlockAreWhole) {
  const std::string line(600'000, 'x');
  EXPECT_EQ(lines_of(line + "\n" + line), (std::vector<std::string>{line, line}));
}

TEST(LineReader, LinesAboveTheLimitAreRefusedWithTheirNumber) {
  const TemporaryFolder folder;
  InputStream input(folder.write("long", "ok\n123456\n"));
  LineReader reader(input, 5);
  std::string line;
  ASSERT_TRUE(reader.next(line));
  expect_error(ErrorCode::bad_data, "line 2 is longer than 5 bytes", [&] { reader.next(line); });
}

}  // namespace
}  // namespace headroom
