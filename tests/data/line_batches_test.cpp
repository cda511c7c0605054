#include "data/input/line_batches.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "archives.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::gzip;
using testing::TemporaryFolder;

using Lines = std::vector<std::string>;

Lines texts_of(const std::vector<InputLine>& batch) {
  Lines texts;
  for (const InputLine& line : batch) texts.push_back(line.text);
  return texts;
}

Lines rest_of(InputStream& input, uint64_t end = LineRange().end) {
  LineBatches batches(input, end, {});
  Lines texts;
  for (std::vector<InputLine> batch; batches.next(batch);) {
    for (const std::string& text : texts_of(batch)) texts.push_back(text);
  }
  return texts;
}

// A pipe that is written to while it is read, under a name that InputStream opens.
class OpenPipe {
 public:
  OpenPipe() { EXPECT_EQ(::pipe(ends_.data()), 0); }
  ~OpenPipe() {
    ::close(ends_[0]);
    end();
  }
  OpenPipe(const OpenPipe&) = delete;
  OpenPipe& operator=(const OpenPipe&) = delete;

  std::string name() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end() {
    if (ends_[1] >= 0) ::close(ends_[1]);
    ends_[1] = -1;
  }

 private:
  std::array<int, 2> ends_ = {-1, -1};
};

TEST(LineBatches, AFileGivesFullBatchesWithTheirPlaces) {
  const TemporaryFolder folder;
  InputStream input(folder.write("lines", "a\nbb\r\n\nc"));
  LineBatches batches(input, LineRange().end, {3, 100});
  std::vector<InputLine> batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch), (Lines{"a", "bb", ""}));
  EXPECT_EQ(batch[2].begin, 6U);
  EXPECT_EQ(batch[2].number, 3);
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch), Lines{"c"});
  EXPECT_FALSE(batches.next(batch));
}

TEST(LineBatches, EndWithTheLineThatReachesTheBytes) {
  const TemporaryFolder folder;
  InputStream input(folder.write("lines", "aaa\nbbb\nccc\n"));
  LineBatches batches(input, LineRange().end, {100, 4});
  std::vector<InputLine> batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch), (Lines{"aaa", "bbb"}));
}

TEST(LineBatches, HoldWhatHasArrivedAndWaitForNoMore) {
  OpenPipe pipe;
  pipe.write("a\nb\nhalf of c");
  InputStream input(pipe.name());
  LineBatches batches(input, LineRange().end, {});
  std::vector<InputLine> batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch), (Lines{"a", "b"}));
  pipe.write(" and the rest\nd\n");
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch), (Lines{"half of c and the rest", "d"}));
  pipe.write("\n");
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch), Lines{""});
  pipe.end();
  EXPECT_FALSE(batches.next(batch));
}

TEST(LineBatches, LinesBeforeADamagedPlaceAreHandedOver) {
  const TemporaryFolder folder;
  std::string packed = gzip("a\nb\n") + gzip("c\n");
  packed.resize(packed.size() - 4);
  InputStream input(folder.write("cut.gz", packed));
  LineBatches batches(input, LineRange().end, {});
  std::vector<InputLine> batch;
  ASSERT_TRUE(batches.next(batch));
  EXPECT_EQ(texts_of(batch).front(), "a");
  expect_error(ErrorCode::bad_data, "the gzip data ends early", [&] {
    while (batches.next(batch)) {
    }
  });
}

TEST(LineBatches, ReadingBeginsAtAnyLineOfPlainAndPackedFiles) {
  const TemporaryFolder folder;
  const std::string content = "first\nsecond\nthird";
  for (const auto& file : {folder.write("plain", content), folder.write("packed", gzip(content))}) {
    InputStream input(file);
    start_at_line(input, 6);
    EXPECT_EQ(rest_of(input), (Lines{"second", "third"}));
    InputStream inside(file);
    expect_error(ErrorCode::usage, "no line", [&] { start_at_line(inside, 8); });
    InputStream behind(file);
    expect_error(ErrorCode::usage, "ends before byte 20", [&] { start_at_line(behind, 20); });
  }
}

TEST(LineBatches, ShardsOfAnyNumberAreTheWholeInOrder) {
  const TemporaryFolder folder;
  const std::string content = "a long first line\nb\n\nc\n\n\nanother long line\nd";
  const auto file = folder.write("lines", content);
  InputStream whole(file);
  const Lines expected = rest_of(whole);
  for (uint64_t count = 1; count <= content.size() + 2; ++count) {
    Lines joined;
    for (uint64_t index = 1; index <= count; ++index) {
      const LineRange range = shard_range(content.size(), index, count);
      InputStream input(file);
      start_within(input, range.begin);
      for (const std::string& text : rest_of(input, range.end)) joined.push_back(text);
    }
    EXPECT_EQ(joined, expected) << count << " shards";
  }
}

}  // namespace
}  // namespace headroom
