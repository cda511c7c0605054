#include "report/html_parts.h"

#include <fmt/format.h>

#include "report/plot/figure.h"
#include "report/plot/markup.h"

namespace headroom::report {

std::string paragraph(std::string_view text) {
  MarkupWriter html;
  html.text("p", {}, text);
  return html.finish();
}

std::string html_table(const Table& table) {
  if (table.rows.empty()) return "";
  const std::vector<bool> numeric = numeric_columns(table);
  MarkupWriter html;
  html.open("div", {{"class", "wide"}});
  html.open("table");
  const auto add_row = [&](std::string_view tag, const std::vector<std::string>& cells) {
    html.open("tr");
    for (size_t i = 0; i < cells.size(); ++i) {
      html.text(tag, {{"class", numeric[i] ? "number" : "words"}}, cells[i]);
    }
    html.close();
  };
  html.open("thead");
  add_row("th", table.header);
  html.close();
  html.open("tbody");
  for (const auto& row : table.rows) add_row("td", row);
  return html.finish();
}

std::string html_figure(const std::string& svg, std::string_view caption) {
  if (svg.empty()) return "";
  MarkupWriter html;
  html.open("figure");
  html.open("div", {{"class", "wide"}});
  html.raw(without_style(svg));
  html.close();
  html.text("figcaption", {}, caption);
  return html.finish();
}

std::string html_figure(LinePlot plot, std::string_view caption) {
  if (plot.series.empty()) return "";
  plot.legend_below = true;
  return html_figure(draw(plot), caption);
}

std::string key_numbers(const std::vector<KeyNumber>& numbers) {
  if (numbers.empty()) return "";
  MarkupWriter html;
  html.open("dl", {{"class", "key-numbers"}});
  for (const KeyNumber& number : numbers) {
    html.open("div");
    html.text("dt", {}, number.about);
    html.text("dd", {}, number.value);
    html.close();
  }
  return html.finish();
}

std::string command_list(const std::vector<Command>& commands) {
  MarkupWriter html;
  for (const Command& command : commands) {
    if (!command.about.empty()) html.text("p", {{"class", "about"}}, command.about);
    html.text("pre", {{"class", "wide"}}, command.line);
  }
  return html.finish();
}

std::string megabytes(double bytes) {
  return fmt::format("{:.1f} MB", bytes / 1e6);
}

std::string with_commas(int64_t count) {
  const std::string digits = fmt::format("{}", count);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    const size_t left = digits.size() - i;
    if (!text.empty() && text != "-" && left % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string shortened_text(std::string_view text, size_t most) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (begins && ++characters > most) return fmt::format("{}…", text.substr(0, i));
  }
  return std::string(text);
}

}  // namespace headroom::report
