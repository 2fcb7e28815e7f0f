// Rows under headings, described once and printed as text, Markdown or CSV.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace ringside
{

class TextTable
{
public:
    struct Column
    {
        std::string heading;
        int width = -1; // in text, characters; below 0: aligned on the left
    };

    explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

    // A shorter row ends with a cell as wide as it is.
    template <class... Cells>
    void add(const Cells&... cells)
    {
        rows_.push_back({fmt::format("{}", cells)...});
    }
    void add_row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    // Makes every column as wide as its words.
    void fit();

    std::string text(std::string_view between = "", bool headings = true, std::string_view indent = "") const;
    std::string markdown() const;
    std::string csv() const;

private:
    std::string line(const std::vector<std::string>& cells, std::string_view between) const;
    std::vector<std::string> headings() const;

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace ringside
