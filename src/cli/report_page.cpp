#include "cli/report_page.h"

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/measure/machine.h"
#include "base/version.h"
#include "cli/app.h"

namespace headroom {
namespace {

// Titles and the sections that have something to show.
Json list_chapters(const std::vector<report::Chapter>& chapters) {
  Json list = Json::array();
  for (const report::Chapter& chapter : chapters) {
    Json sections = Json::array();
    for (const report::Section& section : chapter.sections) {
      if (!section.body.empty()) sections.push_back(section.id);
    }
    list.push_back({{"title", chapter.title}, {"sections", sections}});
  }
  return list;
}

}  // namespace

void write_report(const std::string& out, const std::vector<report::Chapter>& chapters,
                  const std::string& command, bool json) {
  report::Page page;
  page.title = chapters.size() == 1 ? chapters[0].title : "headroom report";
  page.made =
      fmt::format("Made by headroom {} on {}. One file; it asks for nothing from elsewhere.",
                  version(), today());
  page.chapters = chapters;
  page.command = command;
  const std::string html = write_html(page);
  write_file_atomically(out, html);
  tell_report(out, html.size(), list_chapters(chapters), json);
}

void tell_report(const std::string& out, size_t bytes, const Json& chapters, bool json) {
  if (json) {
    print_json_line({{"out", out}, {"bytes", bytes}, {"chapters", chapters}});
  } else {
    fmt::print("{}: {:.0f} kB\n", out, static_cast<double>(bytes) / 1e3);
  }
}

Json to_json(const std::vector<report::Chapter>& chapters) {
  Json list = Json::array();
  for (const report::Chapter& chapter : chapters) {
    Json sections = Json::array();
    for (const report::Section& section : chapter.sections) {
      sections.push_back({{"id", section.id}, {"title", section.title}, {"body", section.body}});
    }
    list.push_back({{"title", chapter.title}, {"lead", chapter.lead}, {"sections", sections}});
  }
  return list;
}

std::vector<report::Chapter> parse_chapters(const Json& chapters, const std::string& origin) {
  std::vector<report::Chapter> parsed;
  for (const Json& json : chapters) {
    const JsonFields fields(json, ErrorCode::bad_data, origin);
    report::Chapter chapter{fields.text("title"), fields.text("lead"), {}};
    for (const Json& part : fields.array("sections")) {
      const JsonFields section(part, ErrorCode::bad_data, origin);
      chapter.sections.push_back({section.text("id"), section.text("title"), section.text("body")});
    }
    parsed.push_back(chapter);
  }
  return parsed;
}

}  // namespace headroom
