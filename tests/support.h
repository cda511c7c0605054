// Helpers shared by tests: a folder that cleans up after itself, and "this throws that error".
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/error.h"

namespace headroom::testing {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "headroom-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(std::string_view name, std::string_view content) const {
    auto file = path_ / name;
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

 private:
  std::filesystem::path path_;
};

// Runs `action` and expects an Error of `code` whose text holds `fragment`.
template <typename Action>
void expect_error(ErrorCode code, std::string_view fragment, Action action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error_name(error.code()), error_name(code)) << error.what();
    EXPECT_NE(std::string_view(error.what()).find(fragment), std::string_view::npos)
        << "message: " << error.what() << "\nexpected it to hold: " << fragment;
    return;
  }
  ADD_FAILURE() << "no error, expected " << error_name(code) << " with: " << fragment;
}

}  // namespace headroom::testing
