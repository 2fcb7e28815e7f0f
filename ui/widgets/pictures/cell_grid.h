// Cells in rows and columns: where each lies, on whole pixels, and which one is pointed at.
#pragma once

#include "ui/draw/painter.h"

#include <cstdint>
#include <optional>

namespace ringside
{

struct GridCell
{
    std::int64_t row = 0;
    std::int64_t column = 0;
};

struct CellGrid
{
    Rect area;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    float gap = 1; // [px] between cells

    float x(std::int64_t column) const
    {
        return area.x + std::round(area.w * static_cast<float>(column) / static_cast<float>(columns));
    }
    float y(std::int64_t row) const
    {
        return area.y + std::round(area.h * static_cast<float>(row) / static_cast<float>(rows));
    }
    Rect cell(std::int64_t row, std::int64_t column) const
    {
        return {x(column), y(row), x(column + 1) - x(column) - gap, y(row + 1) - y(row) - gap};
    }
    // Lists the cells as marks, every so manyth of small ones. Nothing is pointed at while a mouse button is
    // down.
    std::optional<GridCell> pointed(const Painter& painter) const
    {
        constexpr float kApart = 6; // [design px] of two marks
        const auto every = [&](float length, std::int64_t n) {
            return std::max<std::int64_t>(1,
                                          std::lround(painter.px(kApart) * static_cast<float>(n) / length));
        };
        for (std::int64_t row = 0; row < rows; row += every(area.h, rows))
        {
            for (std::int64_t column = 0; column < columns; column += every(area.w, columns))
            {
                painter.mark(cell(row, column));
            }
        }
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (!area.contains(mouse) || ImGui::IsMouseDown(0))
        {
            return std::nullopt;
        }
        const auto index = [](float share, std::int64_t n)
        { return std::min(n - 1, static_cast<std::int64_t>(share * static_cast<float>(n))); };
        return GridCell{index((mouse.y - area.y) / area.h, rows),
                        index((mouse.x - area.x) / area.w, columns)};
    }
};

} // namespace ringside
