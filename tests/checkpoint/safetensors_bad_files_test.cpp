// Hand-made files that each break one rule of the format. All must be refused, with the reason.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/tensors/safetensors.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::TemporaryFolder;

// The header length as the file claims it, then whatever follows.
std::string with_length(uint64_t length, std::string_view rest = "") {
  const auto bytes = std::bit_cast<std::array<char, 8>>(length);
  return std::string(bytes.begin(), bytes.end()).append(rest);
}

std::string with_header(std::string_view header, size_t data_bytes = 0) {
  return with_length(header.size(), header) + std::string(data_bytes, 'x');
}

// One tensor "a" with these fields, over eight bytes of data.
std::string with_fields(std::string_view fields) {
  return with_header(std::string(R"({"a":{)").append(fields).append("}}"), 8);
}

std::string with_shape(std::string_view shape) {
  return with_fields(R"("dtype":"F32","data_offsets":[0,8],"shape":)" + std::string(shape));
}

std::string with_offsets(std::string_view offsets) {
  return with_fields(R"("dtype":"F32","shape":[2],"data_offsets":)" + std::string(offsets));
}

// Byte tensors "a" and "b", four bytes each, at the given offsets.
std::string with_two(std::string_view a, std::string_view b, size_t data_bytes) {
  std::string header = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)";
  header.append(a).append(R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)");
  return with_header(header.append(b).append("}}"), data_bytes);
}

std::string with_metadata(std::string_view metadata) {
  return with_header(std::string(R"({"__metadata__":)").append(metadata).append("}"));
}

// As many keys as fit into eight million bytes, which no file of weights has.
std::string many_keys() {
  std::string keys;
  for (int i = 0; keys.size() < 8'000'000; ++i) keys += "\"" + std::to_string(i) + "\":\"\",";
  return keys;
}

std::string repeat(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

struct BadFile {
  std::string name;
  std::string bytes;
  std::string complaint;
};

void PrintTo(const BadFile& file, std::ostream* out) {  // NOLINT: GoogleTest's name
  *out << file.name;
}

const std::string good_fields = R"("dtype":"F32","shape":[2],"data_offsets":[0,8])";

std::vector<BadFile> bad_files() {
  return {
      // The length and the header's place in the file.
      {"EmptyFile", "", "is 0 bytes, too short"},
      {"SevenBytes", "1234567", "is 7 bytes, too short for the 8-byte header length"},
      {"HeaderLengthZero", with_length(0), "does not start with '{'"},
      {"HeaderLengthTwoTo63", with_length(1ULL << 63, "{}"), "header is 9223372036854775808 bytes"},
      {"HeaderLengthAllOnes", with_length(~0ULL, "{}"), "header is 18446744073709551615 bytes"},
      {"HeaderLengthOverLimit", with_length(max_safetensors_header + 1, "{}"), "limit of 16777216"},
      {"HeaderLongerThanFile", with_length(3, "{}"),
       "header is 3 bytes but the file is only 10: an incomplete download?"},
      {"HeaderLengthLargeButUnderLimit", with_length(max_safetensors_header, "{}"),
       "an incomplete download?"},
      {"GitLfsPointer", "version https://git-lfs.github.com/spec/v1\n", "a Git LFS pointer"},
      {"ZippedPickle", std::string("PK\x03\x04\x00\x00\x08\x08\x00\x00", 10), "a PyTorch pickle?"},
      {"BarePickle", "\x80\x02}q\x01X\x05xxxxx", "a PyTorch pickle?"},
      {"WebPage", "<!DOCTYPE html><html></html>", "a web page"},
      {"HeaderLargerThanTheData", with_metadata("{" + many_keys() + R"("last":""})"),
       "bytes for 0 bytes of tensors"},

      // The header as JSON.
      {"NotJson", with_header("{hello}"), "not valid JSON"},
      {"JsonCutShort", with_header(R"({"__metadata__":{})"), "not valid JSON"},
      {"ArrayInsteadOfObject", with_header("[]"), "does not start with '{'"},
      {"StartsWithSpace", with_header(" {}"), "does not start with '{'"},
      {"StartsWithByteOrderMark", with_header("\xef\xbb\xbf{}"), "does not start with '{'"},
      {"OnlySpaces", with_header("        "), "does not start with '{'"},
      {"InvalidUtf8Name", with_header("{\"\xff\":{}}"), "not valid JSON"},
      {"OverlongUtf8Name", with_header("{\"\xc0\xaf\":{}}"), "not valid JSON"},
      {"SurrogateInName", with_header(R"({"\ud800":{}})"), "not valid JSON"},
      {"TrailingGarbage", with_header("{}garbage"), "does not end with '}' and spaces"},
      {"TrailingSecondObject", with_header("{}{}"), "not valid JSON"},
      {"PaddedWithNewline", with_header("{}\n"), "does not end with '}' and spaces"},
      {"PaddedWithNul", with_header(std::string("{}\0\0", 4)), "NUL byte"},
      {"HiddenBehindNul", with_header(std::string("{}\0{}", 5)), "NUL byte"},
      {"DeeplyNestedObjects", with_header(repeat(R"({"a":)", 100'000) + "}"), "unknown key \"a\""},
      {"DeeplyNestedArrays", with_header(R"({"a":)" + repeat("[", 100'000) + "}"),
       "\"a\" is an array, expected an object"},
      {"DeeplyNestedShape", with_shape(repeat("[", 100'000)), "shape holds an array"},

      // The fields of a tensor.
      {"DuplicateTensor",
       with_header(R"({"a":{)" + good_fields + R"(},"a":{)" + good_fields + "}}", 8),
       "key \"a\" appears twice"},
      {"DuplicateField", with_fields(good_fields + R"(,"shape":[2])"),
       "tensor \"a\": key \"shape\" appears twice"},
      {"TensorIsANumber", with_header(R"({"a":3})"), "\"a\" is the number 3, expected an object"},
      {"TensorIsNull", with_header(R"({"a":null})"), "\"a\" is null, expected an object"},
      {"TensorIsEmpty", with_header(R"({"a":{}})"), "tensor \"a\": dtype is missing"},
      {"MissingDtype", with_fields(R"("shape":[2],"data_offsets":[0,8])"), "dtype is missing"},
      {"MissingShape", with_fields(R"("dtype":"F32","data_offsets":[0,8])"), "shape is missing"},
      {"MissingOffsets", with_fields(R"("dtype":"F32","shape":[2])"), "data_offsets is missing"},
      {"ExtraKey", with_fields(good_fields + R"(,"strides":[1])"), "unknown key \"strides\""},
      {"UnknownDtype", with_fields(R"("dtype":"F33","shape":[2],"data_offsets":[0,8])"),
       "unknown dtype \"F33\""},
      {"LowerCaseDtype", with_fields(R"("dtype":"f32","shape":[2],"data_offsets":[0,8])"),
       "unknown dtype \"f32\""},
      {"DtypeIsANumber", with_fields(R"("dtype":32,"shape":[2],"data_offsets":[0,8])"),
       "dtype is the number 32, expected a string"},
      {"DtypeIsAnArray", with_fields(R"("dtype":["F32"],"shape":[2],"data_offsets":[0,8])"),
       "dtype is an array, expected a string"},

      // The shape.
      {"ShapeIsANumber", with_shape("2"), "shape is the number 2, expected an array"},
      {"ShapeIsAnObject", with_shape("{}"), "shape is an object, expected an array"},
      {"NegativeDim", with_shape("[-2]"), "shape holds the negative number -2"},
      {"TwoNegativeDims", with_shape("[-1,-2]"), "shape holds the negative number -1"},
      {"FractionalDim", with_shape("[2.5]"), "shape holds the number 2.5, expected whole numbers"},
      {"DimWithAnExponent", with_shape("[2e0]"),
       "shape holds the number 2e0, expected whole numbers"},
      {"TextDim", with_shape(R"(["2"])"), "shape holds a string"},
      {"BooleanDim", with_shape("[true]"), "shape holds true"},
      {"DimOfTwoTo63", with_shape("[9223372036854775808]"), "expected whole numbers below 2^63"},
      {"DimOfTwoTo64", with_shape("[18446744073709551616]"), "expected whole numbers below 2^63"},
      {"DimBeyondDouble", with_shape("[1e999]"), "not valid JSON"},
      {"DimProductOverflow", with_shape("[4294967296,4294967296,4294967296]"), "fits 64 bits"},
      {"DimProductWrapsToTheRightSize", with_shape("[2,4611686018427387905]"), "fits 64 bits"},
      {"OverflowHiddenByAZeroDim", with_shape("[4294967296,4294967296,0]"), "fits 64 bits"},
      {"TooManyDims", with_shape("[1,1,1,1,1,1,1,1,2]"), "more than 8 dimensions"},
      {"ShapeNeedsLess", with_shape("[1]"),
       "shape [1] of F32 needs 4 bytes but data_offsets span 8"},
      {"ShapeNeedsMore", with_shape("[3]"), "needs 12 bytes but data_offsets span 8"},
      {"ScalarWithTooManyBytes", with_shape("[]"), "shape [] of F32 needs 4 bytes"},
      {"PackedElementsEndInsideAByte",
       with_fields(R"("dtype":"F4","shape":[15],"data_offsets":[0,8])"), "fits 64 bits"},

      // The offsets.
      {"OffsetsNotAPair", with_offsets("[8]"), "data_offsets has length 1, expected two numbers"},
      {"OffsetsEmpty", with_offsets("[]"), "data_offsets has length 0"},
      {"ThreeOffsets", with_offsets("[0,8,8]"), "data_offsets has more than two numbers"},
      {"OffsetsAreText", with_offsets(R"("0,8")"), "data_offsets is a string, expected an array"},
      {"NegativeOffset", with_offsets("[-8,0]"), "data_offsets holds the negative number -8"},
      {"FractionalOffset", with_offsets("[0,8.0]"),
       "data_offsets holds the number 8.0, expected whole"},
      {"BeginAfterEnd", with_offsets("[8,0]"), "begins at byte 8 after its end at 0"},
      {"EndBeyondData", with_offsets("[8,16]"), "ends at byte 16 but the data has only 8"},
      {"EndAtTwoTo64", with_offsets("[18446744073709551607,18446744073709551615]"),
       "data_offsets holds the number 18446744073709551607, expected whole numbers below 2^63"},
      {"EndAtTwoTo63", with_offsets("[9223372036854775799,9223372036854775807]"),
       "ends at byte 9223372036854775807 but the data has only 8"},
      {"TruncatedData", with_header(R"({"a":{)" + good_fields + "}}", 7),
       "ends at byte 8 but the data has only 7: an incomplete download?"},
      {"NoDataAtAll", with_header(R"({"a":{)" + good_fields + "}}", 0), "the data has only 0"},
      {"Overlap", with_two("[0,4]", "[2,6]", 6),
       "tensor \"b\" begins at byte 2, inside another that ends at 4"},
      {"SameBytesTwice", with_two("[0,4]", "[0,4]", 4), "tensor \"b\" begins at byte 0, inside"},
      {"HoleBetween", with_two("[0,4]", "[8,12]", 12), "bytes 4 to 8, before tensor \"b\""},
      {"HoleAtStart", with_two("[4,8]", "[8,12]", 12), "bytes 0 to 4, before tensor \"a\""},
      {"EmptyTensorInsideAnother",
       with_header(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                   R"("z":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
                   4),
       "tensor \"z\" begins at byte 2, inside another"},
      {"TrailingBytes", with_two("[0,4]", "[4,8]", 9), "the last 1 bytes of the file"},
      {"DataWithoutTensors", with_header("{}", 8), "the last 8 bytes of the file"},

      // The metadata.
      {"MetadataNotAnObject", with_metadata("[]"), "\"__metadata__\" is an array"},
      {"MetadataIsText", with_metadata(R"("pt")"), "\"__metadata__\" is a string"},
      {"MetadataNumber", with_metadata(R"({"epoch":3})"),
       "__metadata__ value of \"epoch\" is the number 3, expected a string"},
      {"MetadataNull", with_metadata(R"({"format":null})"), "is null, expected a string"},
      {"MetadataNested", with_metadata(R"({"format":{"a":"b"}})"), "is an object"},
      {"MetadataDuplicateKey", with_metadata(R"({"a":"1","a":"2"})"), "key \"a\" appears twice"},
      {"MetadataTwice", with_header(R"({"__metadata__":{},"__metadata__":{}})"),
       "key \"__metadata__\" appears twice"},
  };
}

class BadSafetensors : public ::testing::TestWithParam<BadFile> {};

TEST_P(BadSafetensors, IsRefusedWithTheReason) {
  const TemporaryFolder folder;
  const auto path = folder.write("model.safetensors", GetParam().bytes);
  expect_error(ErrorCode::bad_model, GetParam().complaint, [&] { SafetensorsFile file(path); });
  expect_error(ErrorCode::bad_model, path.string(), [&] { SafetensorsFile file(path); });
}

INSTANTIATE_TEST_SUITE_P(Rules, BadSafetensors, ::testing::ValuesIn(bad_files()),
                         [](const auto& bad) { return bad.param.name; });

// The bad files above are this one with something changed: they fail for the change alone.
TEST(BadSafetensorsBase, TheUnchangedFileIsAccepted) {
  const TemporaryFolder folder;
  for (const std::string& bytes :
       {with_fields(good_fields), with_shape("[2]"), with_offsets("[0,8]"),
        with_two("[0,4]", "[4,8]", 8), with_metadata(R"({"format":"pt"})")}) {
    EXPECT_NO_THROW(SafetensorsFile(folder.write("good", bytes)));
  }
}

TEST(BadSafetensorsBase, EveryShorterFileIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = with_two("[0,4]", "[4,8]", 8);
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto path = folder.write("cut", std::string_view(whole).substr(0, length));
    expect_error(ErrorCode::bad_model, "cut", [&] { SafetensorsFile file(path); });
  }
}

TEST(BadSafetensorsBase, AnyChangedByteIsAcceptedOrRefusedButNeverCrashes) {
  const std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  for (size_t at = 0; at < header.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = header;
      changed[at] = static_cast<char>(byte);
      try {
        const SafetensorsHeader parsed = parse_safetensors_header(changed, 8, "changed");
        ASSERT_EQ(parsed.tensors.size(), 1U);
        EXPECT_EQ(parsed.tensors[0].end, 8U);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::bad_model);
      }
    }
  }
}

// 8.3 million keys took 1.6 GB and 17 s when a header of 100 MB was parsed.
TEST(BadSafetensorsBase, KeysWithoutEndAreRefusedWhereTheirNumberPassesTheLimit) {
  const std::string metadata = R"({"__metadata__":{)" + many_keys() + R"("last":""}})";
  expect_error(ErrorCode::bad_model, "__metadata__ has more than 1000 keys",
               [&] { parse_safetensors_header(metadata, 8, "keys"); });
  std::string tensors = "{";
  for (size_t i = 0; i <= max_safetensors_tensors; ++i) {
    tensors += "\"" + std::to_string(i) + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
  }
  tensors.back() = '}';
  expect_error(ErrorCode::bad_model, "more than 100000 tensors",
               [&] { parse_safetensors_header(tensors, 0, "tensors"); });
}

TEST(BadSafetensorsBase, ALinkIsNotFollowed) {
  const TemporaryFolder folder;
  const auto target = folder.write("target", with_fields(good_fields));
  std::filesystem::create_symlink(target, folder.path() / "link");
  expect_error(ErrorCode::bad_model, "link: is a link",
               [&] { SafetensorsFile(folder.path() / "link"); });
}

TEST(BadSafetensorsBase, ALongNameIsCutInTheMessage) {
  const std::string header = "{\"" + std::string(1'000'000, 'n') + "\":3}";
  try {
    parse_safetensors_header(header, 0, "long");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_LT(std::string_view(error.what()).size(), 300U);
  }
}

}  // namespace
}  // namespace headroom
