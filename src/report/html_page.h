// A report as one HTML file that asks for nothing: no script, no font, no picture from elsewhere,
// and a policy inside that makes the browser refuse any. Opens from disk, prints, has a dark form.
#pragma once

#include <string>
#include <vector>

namespace headroom::report {

struct Section {
  std::string id;  // what links to it say, after the number of its chapter
  std::string title;
  std::string body;  // HTML; without any the section is left out
};

struct Chapter {
  std::string title;
  std::string lead;  // one or two sentences
  std::vector<Section> sections;
};

struct Page {
  std::string title;
  std::string made;  // by what and when, at the end
  std::vector<Chapter> chapters;
  std::string command = {};  // that made it
};

std::string write_html(const Page& page);

}  // namespace headroom::report
