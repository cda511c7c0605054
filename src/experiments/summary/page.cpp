#include "experiments/summary/page.h"

#include <fmt/format.h>

#include "base/files/file.h"

namespace headroom::experiments {

const std::string& Page::svg(std::string_view file) const {
  static const std::string none;
  for (const Figure& figure : figures) {
    if (figure.file == file) return figure.svg;
  }
  return none;
}

std::string image(std::string_view title, const Figure& figure) {
  return figure.svg.empty() ? "" : fmt::format("![{}]({})\n\n", title, figure.file);
}

void flag_afterwards(Page& page, std::string_view why) {
  const size_t title = page.text.find("\n\n");
  if (title == std::string::npos) return;
  page.text.insert(title + 2, fmt::format("† Chosen when test results were known: {}.\n\n", why));
}

void write_page(const std::filesystem::path& folder, const Page& page) {
  write_file_atomically(folder / "results.json", page.results.dump(1) + "\n");
  write_file_atomically(folder / "README.md", page.text);
  for (const Figure& figure : page.figures) {
    if (!figure.svg.empty()) write_file_atomically(folder / figure.file, figure.svg);
  }
}

}  // namespace headroom::experiments
