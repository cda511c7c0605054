// What the summary of an experiment is: results.json, README.md and the plots beside them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace headroom::experiments {

struct Figure {
  std::string file;
  std::string svg;  // empty: the records do not hold what it shows
};

struct Page {
  Json results;      // means and intervals of every arm and budget
  std::string text;  // Markdown
  std::vector<Figure> figures;

  const std::string& svg(std::string_view file) const;  // empty where there is no such figure
};

// "![title](file)" with the space below it; nothing where the figure is empty.
std::string image(std::string_view title, const Figure& figure);

// Says below the title that the setting was chosen when test results were known, and which.
void flag_afterwards(Page& page, std::string_view why);

void write_page(const std::filesystem::path& folder, const Page& page);

}  // namespace headroom::experiments
