#include "data/input/tar_reader.h"

#include <gtest/gtest.h>

#include "archives.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::tar_end;
using testing::tar_entry;
using testing::tar_header;
using testing::TemporaryFolder;

struct Found {
  std::string name;
  TarEntryKind kind;
  std::string content;
  bool operator==(const Found&) const = default;
};

std::vector<Found> walk(const std::string& archive) {
  const TemporaryFolder folder;
  InputStream input(folder.write("a.tar", archive));
  TarReader reader(input);
  std::vector<Found> found;
  TarEntry entry;
  while (reader.next(entry)) found.push_back({entry.name, entry.kind, reader.read_content()});
  return found;
}

void expect_refused(const std::string& archive, std::string_view fragment) {
  expect_error(ErrorCode::bad_data, fragment, [&] { walk(archive); });
}

// A pax record carries its own length, digits included.
std::string pax_record(const std::string& text) {
  size_t length = text.size() + 2;
  while (std::to_string(length).size() + 2 + text.size() != length) ++length;
  return std::to_string(length) + " " + text + "\n";
}

TEST(TarReader, FilesAndFoldersComeInOrder) {
  const std::string archive = tar_entry("d/", "", '5') + tar_entry("d/a", "hello") +
                              tar_entry("d/b", std::string(513, 'x')) +
                              tar_entry("d/link", "", '2') + tar_end();
  EXPECT_EQ(walk(archive), (std::vector<Found>{{"d/", TarEntryKind::directory, ""},
                                               {"d/a", TarEntryKind::file, "hello"},
                                               {"d/b", TarEntryKind::file, std::string(513, 'x')},
                                               {"d/link", TarEntryKind::other, ""}}));
}

TEST(TarReader, ContentThatIsNotReadIsSkipped) {
  const TemporaryFolder folder;
  InputStream input(folder.write(
      "a.tar", tar_entry("big", std::string(300'000, 'x')) + tar_entry("small", "y") + tar_end()));
  TarReader reader(input);
  TarEntry entry;
  ASSERT_TRUE(reader.next(entry));
  EXPECT_EQ(entry.size, 300'000U);
  ASSERT_TRUE(reader.next(entry));
  EXPECT_EQ(reader.read_content(), "y");
  EXPECT_FALSE(reader.next(entry));
}

TEST(TarReader, LongNamesOfEveryDialectAreWhole) {
  const std::string longest(150, 'n');
  EXPECT_EQ(walk(tar_entry("name", "x", '0', "some/prefix") + tar_end())[0].name,
            "some/prefix/name");
  EXPECT_EQ(walk(tar_entry("././@LongLink", longest + '\0', 'L') + tar_entry("n", "x") + tar_end()),
            (std::vector<Found>{{longest, TarEntryKind::file, "x"}}));
  const std::string pax = pax_record("mtime=1.5") + pax_record("path=" + longest);
  EXPECT_EQ(
      walk(tar_entry("PaxHeader", pax, 'x') + tar_entry("n", "x") + tar_entry("m", "y") +
           tar_end()),
      (std::vector<Found>{{longest, TarEntryKind::file, "x"}, {"m", TarEntryKind::file, "y"}}));
}

TEST(TarReader, OddNamesAreReportedAsTheyAre) {
  EXPECT_EQ(walk(tar_entry("../../etc/passwd", "x") + tar_end())[0].name, "../../etc/passwd");
}

TEST(TarReader, AnArchiveCutBetweenEntriesIsRefused) {
  expect_refused(tar_entry("a", "x"), "a.tar: tar archive: ends without its end marker");
}

TEST(TarReader, TruncatedArchivesAreRefusedNamingTheEntry) {
  const std::string archive = tar_entry("a", "x") + tar_entry("d/b", std::string(2000, 'x'));
  expect_refused(archive.substr(0, archive.size() - 1000),
                 "a.tar: tar entry d/b: the archive ends in the middle of it");
  expect_refused(archive.substr(0, 1024 + 100), "a header is cut off");
  expect_refused("", "a header is cut off");
}

TEST(TarReader, ABadChecksumIsRefused) {
  std::string archive = tar_entry("a", "x") + tar_end();
  archive[0] = 'b';
  expect_refused(archive, "a.tar: tar archive: a header's checksum is wrong");
  expect_refused(std::string(512, 'x'), "checksum is wrong");
}

TEST(TarReader, AbsurdSizesAreRefused) {
  const uint64_t half_gib = uint64_t{1} << 29U;
  expect_refused(tar_header("a", half_gib) + tar_end(), "more than the limit of");
  expect_refused(tar_entry("p", pax_record("size=99999999999999999999"), 'x') +
                     tar_entry("a", "x") + tar_end(),
                 "pax size is not a number");
  expect_refused(
      tar_entry("p", pax_record("size=9999999999999999999"), 'x') + tar_entry("a", "x") + tar_end(),
      "claims to be 9999999999999999999 bytes");
}

TEST(TarReader, MalformedPaxRecordsAreRefused) {
  expect_refused(tar_entry("p", "999 path=a\n", 'x') + tar_entry("a", "x") + tar_end(),
                 "pax header is malformed");
  expect_refused(tar_entry("p", "path=a\n", 'x') + tar_entry("a", "x") + tar_end(),
                 "pax header is malformed");
}

}  // namespace
}  // namespace headroom
