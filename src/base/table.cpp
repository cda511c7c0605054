#include "base/table.h"

#include <algorithm>
#include <string_view>

namespace headroom {
namespace {

size_t width_of(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

bool looks_numeric(std::string_view text) {
  return !text.empty() && text.find_first_of("0123456789") != std::string_view::npos &&
         text.find_first_not_of("0123456789.,+-x%±/() kMGe") == std::string_view::npos;
}

}  // namespace

std::vector<bool> numeric_columns(const Table& table) {
  std::vector<bool> numeric(table.header.size(), !table.rows.empty());
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < numeric.size(); ++i) {
      const bool blank = row[i].empty() || row[i] == "-";
      numeric[i] = numeric[i] && (blank || looks_numeric(row[i]));
    }
  }
  return numeric;
}

std::string aligned_text(const Table& table) {
  std::vector<size_t> widths;
  for (const auto& cell : table.header) widths.push_back(width_of(cell));
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  const std::vector<bool> right = numeric_columns(table);
  std::string out;
  const auto add_row = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string padding(widths[i] - width_of(row[i]), ' ');
      if (i > 0) line += "  ";
      line += right[i] ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add_row(table.header);
  for (const auto& row : table.rows) add_row(row);
  return out;
}

std::string markdown(const Table& table) {
  const std::vector<bool> right = numeric_columns(table);
  std::string out = "|";
  for (const auto& cell : table.header) out += " " + cell + " |";
  out += "\n|";
  for (const bool is_right : right) out += is_right ? " ---: |" : " --- |";
  out += "\n";
  for (const auto& row : table.rows) {
    out += "|";
    for (const auto& cell : row) out += " " + cell + " |";
    out += "\n";
  }
  return out;
}

}  // namespace headroom
