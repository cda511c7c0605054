// headroom-reference: reads what scripts/reference collects from --help-json and writes
// docs/cli-reference.md, man/ and completions/ under the folder that is its argument.
#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <iterator>

#include "base/files/file.h"
#include "cli/reference/reference.h"

namespace headroom {
namespace {

void write_all_texts(const Reference& reference, const std::filesystem::path& root) {
  for (const char* folder : {"docs", "man", "completions"}) {
    std::filesystem::create_directories(root / folder);
  }
  write_file_atomically(root / "docs/cli-reference.md", reference_page(reference));
  write_file_atomically(root / "man/headroom.1", man_page(reference));
  for (const VerbEntry& verb : reference.verbs) {
    write_file_atomically(root / "man" / fmt::format("headroom-{}.1", verb.name),
                          man_page(reference, verb));
  }
  write_file_atomically(root / "completions/headroom.bash", bash_completion(reference));
  write_file_atomically(root / "completions/_headroom", zsh_completion(reference));
  write_file_atomically(root / "completions/headroom.fish", fish_completion(reference));
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: headroom-reference FOLDER <json-lines\n");
    return 2;
  }
  try {
    const std::string input(std::istreambuf_iterator<char>(std::cin), {});
    headroom::write_all_texts(headroom::read_reference(input), argv[1]);
    return 0;
  } catch (const std::exception& problem) {
    fmt::print(stderr, "headroom-reference: {}\n", problem.what());
    return 1;
  }
}
