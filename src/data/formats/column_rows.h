// Rows of CSV and TSV files.
#pragma once

#include <filesystem>
#include <string>

#include "data/formats/column_layout.h"
#include "data/formats/delimited.h"
#include "data/rows.h"

namespace headroom {

// Reads every record; returns which column was what, for people. Throws ErrorCode::bad_data naming
// file and line, ErrorCode::usage for a column that the file does not have.
std::string read_column_rows(const std::filesystem::path& path, DelimitedFormat format,
                             const ColumnChoice& columns, const RowSink& sink,
                             RowUse use = RowUse::learn);

}  // namespace headroom
