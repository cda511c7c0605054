// Images, running text and translations: what is read, what is refused.
#include <gtest/gtest.h>

#include "data/encoded.h"
#include "data/formats/images.h"
#include "data/formats/plain_text.h"
#include "idx_bytes.h"
#include "support.h"
#include "text/plain_tokenizer.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {
using testing::big_endian;
using testing::expect_error;
using testing::TemporaryFolder;

class Idx : public ::testing::Test {
 protected:
  // Two images of 2 x 2 pixels.
  std::string images_ =
      big_endian({2051, 2, 2, 2}) + std::string("\x00\x01\x02\x03\x04\x05\x06\xff", 8);
  std::string labels_ = big_endian({2049, 2}) + std::string("\x07\x00", 2);
  TemporaryFolder folder_;

  ImageDataset load(uint64_t max_memory = 0) const {
    const auto images = folder_.write("images", images_);
    const auto labels = folder_.write("labels", labels_);
    return load_images("idx:" + images.string() + "," + labels.string(), "", max_memory);
  }
  void expect_refused(std::string_view why) const {
    expect_error(ErrorCode::bad_data, why, [&] { load(); });
  }
};

TEST_F(Idx, ReadsImagesAndLabels) {
  const ImageDataset images = load();
  EXPECT_EQ(images.format, (ImageFormat{2, 1, 0}));
  EXPECT_EQ(images.pixels, (std::vector<uint8_t>{0, 1, 2, 3, 4, 5, 6, 255}));
  EXPECT_EQ(images.labels, (std::vector<int32_t>{7, 0}));
  EXPECT_EQ(images.names.size(), 10U);
  EXPECT_EQ(pick_images(images, {1}).pixels, (std::vector<uint8_t>{4, 5, 6, 255}));
}

TEST_F(Idx, RefusesOtherMagicNumbers) {
  std::swap(images_, labels_);
  expect_refused("starts with 2049, not with 2051 as an idx file of images does");
}

TEST_F(Idx, RefusesAFileThatEndsEarly) {
  images_.pop_back();
  expect_refused("images: ends 1 bytes early");
}

TEST_F(Idx, RefusesAFileThatEndsInItsHeader) {
  labels_.resize(6);
  expect_refused("labels: ends inside its header");
}

TEST_F(Idx, RefusesAFileThatGoesOn) {
  labels_ += '\0';
  expect_refused("goes on after");
}

TEST_F(Idx, RefusesAnotherNumberOfLabels) {
  labels_ = big_endian({2049, 1}) + '\0';
  expect_refused("has 1 labels for the 2 images");
}

TEST_F(Idx, RefusesLabelsThatAreNoDigit) {
  labels_.back() = 10;
  expect_refused("image 2 has the label 10");
}

TEST_F(Idx, RefusesImagesThatAreNotSquare) {
  images_ = big_endian({2051, 2, 2, 3}) + std::string(12, '\0');
  expect_refused("images of 2 x 3, not square");
}

TEST_F(Idx, RefusesAnAbsurdSizeBeforeAskingForMemory) {
  images_ = big_endian({2051, 0xffffffff, 28, 28});
  expect_refused("says 4294967295 images");
}

TEST_F(Idx, AsksForNoMemoryThatOnlyItsHeaderPromises) {
  images_ = big_endian({2051, 10'000'000, 4096, 4096});
  labels_ = big_endian({2049, 10'000'000});
  expect_refused("images: ends 167772160000000 bytes early");
}

TEST_F(Idx, MayNotTakeMoreMemoryThanItWasGiven) {
  EXPECT_EQ(load(8).size(), 2);
  expect_error(ErrorCode::runtime, "images: the images take more than 7 bytes (--max-memory)",
               [&] { load(7); });
}

TEST(Cifar, ReadsEveryImage) {
  const TemporaryFolder folder;
  std::string bytes;
  for (const char label : {3, 9}) bytes += label + std::string(3072, label);
  const auto file = folder.write("batch.bin", bytes);
  const ImageDataset images = load_images("cifar:" + file.string(), "");
  EXPECT_EQ(images.format, (ImageFormat{32, 3, 0}));
  EXPECT_EQ(images.labels, (std::vector<int32_t>{3, 9}));
  EXPECT_EQ(images.pixels.size(), 6144U);
  EXPECT_EQ(images.pixels.back(), 9);
}

TEST(Cifar, RefusesAnImageCutShort) {
  const TemporaryFolder folder;
  const auto file = folder.write("batch.bin", std::string(3000, '\0'));
  expect_error(ErrorCode::bad_data, "ends 73 bytes early",
               [&] { load_images("cifar:" + file.string(), ""); });
}

TEST(Images, AreRefusedWhereTheSpecIsText) {
  expect_error(ErrorCode::usage, "holds no images", [] { load_images("csv:a.csv", ""); });
  expect_error(ErrorCode::usage, "agnews is for --task classify",
               [] { load_images("agnews", "."); });
}

TEST(Images, AreCutIntoPatchesThatFit) {
  ImageDataset images{"", {4, 1, 0}, std::vector<uint8_t>(32), {0, 1}, {}};
  const EncodedDataset rows = encode_images(images, 2);
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.length(0), 5) << "four patches and the class token";
  expect_error(ErrorCode::usage, "--patch 3 does not divide the side of 4",
               [&] { encode_images(images, 3); });
}

TEST(PlainText, IsReadAsItIs) {
  const TemporaryFolder folder;
  const auto file = folder.write("text", "one\n\ntwo ");
  EXPECT_EQ(load_plain_text("text:" + file.string(), ""), "one\n\ntwo ");
  expect_error(ErrorCode::bad_data, "holds no text",
               [&] { load_plain_text("text:" + folder.write("none", "").string(), ""); });
  expect_error(ErrorCode::bad_data, "UTF-8",
               [&] { load_plain_text("text:" + folder.write("bad", "\xff").string(), ""); });
}

TEST(PlainText, MayNotTakeMoreMemoryThanItWasGiven) {
  const TemporaryFolder folder;
  const std::string spec = "text:" + folder.write("text", "four").string();
  EXPECT_EQ(load_plain_text(spec, "", 4), "four");
  expect_error(ErrorCode::runtime, "the texts take more than 3 bytes (--max-memory)",
               [&] { load_plain_text(spec, "", 3); });
}

TEST(PlainText, ShakespeareIsSplitAfterNineTenths) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "tinyshakespeare");
  folder.write("tinyshakespeare/input.txt", "\u00e412345678\u00fc");
  EXPECT_EQ(load_plain_text("shakespeare", folder.path()), "\u00e412345678");
  EXPECT_EQ(load_plain_text("shakespeare:test", folder.path()), "\u00fc");
}

TEST(PlainText, BecomesRowsWhoseAnswersAreTheNextInputs) {
  const EncodedDataset rows = encode_stream({1, 2, 3, 4, 5, 6, 7, 8}, 3);
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.length(0), 3);
  const auto second = rows.row(1);
  EXPECT_EQ(std::vector<int32_t>(second.begin(), second.end()), (std::vector<int32_t>{4, 5, 6, 7}));
}

TEST(Parallel, PairsLineByLine) {
  const TemporaryFolder folder;
  const auto source = folder.write("a.en", "one\ntwo\n");
  const auto target = folder.write("a.de", "eins\nzwei\n");
  const auto pairs = load_parallel("parallel:" + source.string() + "," + target.string(), "");
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[1].source, "two");
  EXPECT_EQ(pairs[1].target, "zwei");
}

TEST(Parallel, RefusesFilesOfDifferentLength) {
  const TemporaryFolder folder;
  const auto source = folder.write("a.en", "one\ntwo\n");
  const auto target = folder.write("a.de", "eins\n");
  expect_error(ErrorCode::bad_data, "a.de: has fewer lines",
               [&] { load_parallel("parallel:" + source.string() + "," + target.string(), ""); });
}

TEST(Parallel, MayNotTakeMoreMemoryThanItWasGiven) {
  const TemporaryFolder folder;
  const auto source = folder.write("a.en", "one\ntwo\n");
  const auto target = folder.write("a.de", "eins\nzwei\n");
  const std::string spec = "parallel:" + source.string() + "," + target.string();
  EXPECT_EQ(load_parallel(spec, "", 2 * sizeof(SentencePair)).size(), 2U);
  expect_error(ErrorCode::runtime, "a.en line 2: the sentences take more than",
               [&] { load_parallel(spec, "", sizeof(SentencePair)); });
}

TEST(Parallel, BecomesSourceAndTargetWithTheirMarks) {
  const WordTokenizer tokenizer(Vocabulary::with_words({"one", "eins", "zwei"}));
  const EncodedDataset rows = encode_translations({{"one", "eins zwei"}}, tokenizer, 10);
  const auto source = rows.row(0);
  const auto target = rows.target(0);
  EXPECT_EQ(std::vector<int32_t>(source.begin(), source.end()),
            (std::vector<int32_t>{5, built_sep_id}));
  EXPECT_EQ(std::vector<int32_t>(target.begin(), target.end()),
            (std::vector<int32_t>{built_cls_id, 6, 7, built_sep_id}));
  EXPECT_EQ(rows.references, std::vector<std::string>{"eins zwei"});
}

}  // namespace
}  // namespace headroom
