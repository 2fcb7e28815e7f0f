#include "app/commands/console/table.h"

#include "core/base/ranges.h"
#include "core/base/text/csv.h"

#include <algorithm>
#include <cstdlib>

namespace ringside
{

namespace
{

// Bytes that begin a character of UTF-8.
std::size_t characters_in(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

std::vector<std::string> TextTable::headings() const
{
    return list_of<std::string>(columns_, &Column::heading);
}

std::string TextTable::line(const std::vector<std::string>& cells, std::string_view between) const
{
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i)
    {
        const bool short_end = i + 1 == cells.size() && cells.size() < columns_.size();
        const int width = short_end ? 0 : std::abs(columns_[i].width);
        out += i == 0 ? "" : between;
        out += columns_[i].width < 0 ? fmt::format("{:<{}}", cells[i], width)
                                     : fmt::format("{:>{}}", cells[i], width);
    }
    return out + "\n";
}

void TextTable::fit()
{
    for (std::size_t i = 0; i < columns_.size(); ++i)
    {
        std::size_t widest = characters_in(columns_[i].heading);
        for (const auto& row : rows_)
        {
            widest = std::max(widest, i < row.size() ? characters_in(row[i]) : 0);
        }
        const auto width = static_cast<int>(widest);
        columns_[i].width = columns_[i].width < 0 ? -width : width;
    }
}

std::string TextTable::text(std::string_view between, bool headings, std::string_view indent) const
{
    std::string out;
    if (headings)
    {
        out = line(this->headings(), between);
        out.erase(out.find_last_not_of(" \n") + 1) += "\n";
    }
    for (const auto& row : rows_)
    {
        out += std::string(indent) + line(row, between);
    }
    return out;
}

std::string TextTable::markdown() const
{
    std::string out = fmt::format("| {} |\n|", fmt::join(headings(), " | "));
    for (const Column& column : columns_)
    {
        out += column.width < 0 ? "---|" : "---:|";
    }
    out += "\n";
    for (const auto& row : rows_)
    {
        out += fmt::format("| {} |\n", fmt::join(row, " | "));
    }
    return out;
}

std::string TextTable::csv() const
{
    std::string out;
    const auto add = [&out](const std::vector<std::string>& cells)
    {
        for (std::size_t i = 0; i < cells.size(); ++i)
        {
            out += (i == 0 ? "" : ",") + csv_cell(cells[i], ',');
        }
        out += "\n";
    };
    add(headings());
    for (const auto& row : rows_)
    {
        add(row);
    }
    return out;
}

} // namespace ringside
