// Rows of separated values with quotes, as RFC 4180 and Anki write them. No header, no types.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ringside
{

struct CsvRow
{
    std::int64_t line = 1; // of the text, where the row begins
    std::vector<std::string> cells;
    bool open = false; // a quote that never closed
};
// Lines end with LF or CR LF, or with CR where there is no LF. Empty rows are left out. A quoted cell may
// hold separators, line ends and doubled quotes.
std::vector<CsvRow> csv_rows(std::string_view text, char separator);
// Quoted only where it has to be.
std::string csv_cell(std::string_view text, char separator);

} // namespace ringside
