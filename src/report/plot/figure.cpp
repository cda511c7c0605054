#include "report/plot/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headroom::report {
namespace {

constexpr double title_size = 17;
constexpr double title_line_height = 22;
constexpr double subtitle_line_height = 17;
constexpr double space_below_heading = 16;

struct SeriesColour {
  std::string_view light;  // on a white page
  std::string_view dark;   // on a dark page
};

// Okabe and Ito's colours, darkened on white and lightened on black where they had less than 3:1
// contrast with the page, and extended to ten.
constexpr std::array<SeriesColour, 10> palette = {{{"#0072b2", "#4ba3e3"},
                                                   {"#d55e00", "#f0803c"},
                                                   {"#00896a", "#2fc39a"},
                                                   {"#c0508f", "#e38fbf"},
                                                   {"#a87900", "#e8b93a"},
                                                   {"#3d96c9", "#8fd0f5"},
                                                   {"#3a3a3a", "#d8d8d8"},
                                                   {"#5b46b8", "#a596f5"},
                                                   {"#8a2d3b", "#e0727f"},
                                                   {"#6b8000", "#b5cc3a"}}};

// Every selector begins with .headroom: figures may be pasted into a page that has its own style.
constexpr std::string_view light_style = R"(
.headroom{font-family:system-ui,sans-serif}
.headroom text{font-size:12px;fill:#1f2328;font-variant-numeric:tabular-nums}
.headroom .paper{fill:#ffffff}
.headroom .title{font-size:17px;font-weight:600}
.headroom .panel-title{font-weight:600}
.headroom .subtitle,.headroom .tick{fill:#59636e}
.headroom .middle{text-anchor:middle}
.headroom .end{text-anchor:end}
.headroom .grid{stroke:#e7eaee;stroke-width:1}
.headroom .axis{stroke:#8c959f;stroke-width:1}
.headroom .reference{stroke:#6e7781;stroke-width:1.3;fill:none}
.headroom .curve{stroke:currentColor;stroke-width:1.7;fill:none;stroke-linejoin:round}
.headroom .interval{stroke:currentColor;stroke-width:1;fill:none;opacity:.75}
.headroom .band{fill:currentColor;opacity:.15}
.headroom .filled{fill:currentColor;stroke:#ffffff;stroke-width:.9}
.headroom .hollow{fill:#ffffff;stroke:currentColor;stroke-width:1.6}
.headroom .missing{fill:#eef0f3;stroke:#c4cad1;stroke-dasharray:2 2}
.headroom .in-cell{font-size:11px;text-anchor:middle}
)";

constexpr std::string_view dark_style = R"(.headroom text{fill:#e6edf3}
.headroom .paper{fill:#0d1117}
.headroom .subtitle,.headroom .tick{fill:#9aa4af}
.headroom .grid{stroke:#222933}
.headroom .axis{stroke:#6e7681}
.headroom .reference{stroke:#9198a1}
.headroom .band{opacity:.22}
.headroom .filled{stroke:#0d1117}
.headroom .hollow{fill:#0d1117}
.headroom .missing{fill:#1c222b;stroke:#444c56}
)";

std::string style_sheet(std::string_view dark_pages) {
  std::string light(light_style);
  std::string dark(dark_style);
  for (size_t i = 0; i < palette.size(); ++i) {
    light += fmt::format(".headroom .{}{{color:{}}}\n", series_class(i), palette[i].light);
    dark += fmt::format(".headroom .{}{{color:{}}}\n", series_class(i), palette[i].dark);
  }
  return fmt::format("{}@media {}{{\n{}}}\n", light, dark_pages, dark);
}

// Widths in ems of the widest of Segoe UI, SF, Roboto, Helvetica and DejaVu Sans, by class.
double glyph_width(char c) {
  constexpr std::string_view narrow = "iljtfrI.,:;|!'()[]{} -/";
  constexpr std::string_view wide = "mwMW@%";
  const auto byte = static_cast<unsigned char>(c);
  if ((byte & 0xc0) == 0x80) return 0;  // counted with the first byte of its character
  if (byte >= 0xe0) return 1;           // CJK and symbols
  if (narrow.find(c) != std::string_view::npos) return 0.39;
  if (wide.find(c) != std::string_view::npos) return 0.98;
  return c >= 'A' && c <= 'Z' ? 0.73 : 0.64;
}

std::vector<std::string> wrapped(std::string_view text, double size, double width) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool fits =
        !lines.empty() && estimated_width(fmt::format("{} {}", lines.back(), word), size) <= width;
    if (fits) {
      lines.back() += fmt::format(" {}", word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

}  // namespace

double estimated_width(std::string_view text, double size) {
  double ems = 0;
  for (const char c : text) ems += glyph_width(c);
  return ems * size;
}

Heading lay_out_heading(std::string_view title, std::string_view subtitle, double width) {
  const double room = width - 2 * figure_margin;
  Heading heading{wrapped(title, title_size, room), wrapped(subtitle, text_size, room), 0};
  heading.height = title_line_height * static_cast<double>(heading.title.size()) +
                   subtitle_line_height * static_cast<double>(heading.subtitle.size());
  if (heading.height > 0) heading.height += space_below_heading;
  return heading;
}

SvgWriter begin_figure(std::string_view name, double width, double height, const Heading& heading) {
  SvgWriter svg;
  svg.open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "headroom"},
                   {"width", width},
                   {"height", height},
                   {"viewBox", fmt::format("0 0 {} {}", svg_number(width), svg_number(height))},
                   {"role", "img"},
                   {"aria-label", name}});
  svg.open("style");
  svg.raw(style_sheet("(prefers-color-scheme:dark)"));
  svg.close();
  svg.leaf("rect", {{"class", "paper"}, {"width", width}, {"height", height}});
  double y = figure_margin - 6;  // baselines: the first line's capitals touch the margin
  for (const std::string& line : heading.title) {
    svg.text("text", {{"class", "title"}, {"x", figure_margin}, {"y", y += title_line_height}},
             line);
  }
  for (const std::string& line : heading.subtitle) {
    svg.text("text",
             {{"class", "subtitle"}, {"x", figure_margin}, {"y", y += subtitle_line_height}}, line);
  }
  return svg;
}

std::string figure_style() {
  return style_sheet("screen and (prefers-color-scheme:dark)");
}

std::string without_style(std::string figure) {
  constexpr std::string_view end = "</style>\n";
  const size_t from = figure.find("<style>");
  const size_t to = figure.find(end);
  if (from != std::string::npos && to != std::string::npos) {
    figure.erase(from, to + end.size() - from);
  }
  return figure;
}

void draw_upwards(SvgWriter& svg, double x, double y, std::string_view text) {
  svg.text("text",
           {{"class", "middle"},
            {"x", x},
            {"y", y},
            {"transform", fmt::format("rotate(-90 {} {})", svg_number(x), svg_number(y))}},
           text);
}

std::string series_class(size_t index) {
  return fmt::format("series-{}", index % palette.size());
}

}  // namespace headroom::report
