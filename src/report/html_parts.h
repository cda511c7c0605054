// Pieces of a report's page, each a string of HTML that is complete in itself. Texts come as they
// are: what could be markup in them is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "report/plot/line_plot.h"

namespace headroom::report {

std::string paragraph(std::string_view text);

// Numbers are aligned right. Wider than the page, it scrolls by itself. Empty without rows.
std::string html_table(const Table& table);

// A figure of ours with what one should see in it; `svg` empty: nothing.
std::string html_figure(const std::string& svg, std::string_view caption);
// A plot with its legend below, which fits a narrow page; without series: nothing.
std::string html_figure(LinePlot plot, std::string_view caption);

struct KeyNumber {
  std::string value;  // "92.4 %"
  std::string about;  // "accuracy at budget 1"
};
std::string key_numbers(const std::vector<KeyNumber>& numbers);

struct Command {
  std::string line;
  std::string about;  // what it does; may be empty
};
std::string command_list(const std::vector<Command>& commands);

// "3.4 MB"
std::string megabytes(double bytes);
// "1,234,567"
std::string with_commas(int64_t count);

// The first `most` characters, with "…" where something was cut off.
std::string shortened_text(std::string_view text, size_t most);

}  // namespace headroom::report
