// Rows of bars on common scales: a name, a bar in one or two columns, and figures behind them. What has no
// room goes in this order: keys and titles, columns from the right, rows from the bottom but the chosen one.
#pragma once

#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/controls.h"

namespace ringside
{

struct BarCell
{
    std::vector<BarPart> parts = {};
    std::vector<BarPart> below = {}; // thin, below the others: what was predicted of them
    std::string figure = {};
    bool tick = false; // behind the figure
};

struct BarColumn
{
    std::string title = {};
    std::string note = {}; // beside the title, where there is room
    double most = 1;
    float share = 1;             // of the bars' width; 0: figures only
    double limit = 0;            // what is beyond is hatched, its figure warns; 0: none
    std::string limit_name = {}; // above a line through all rows at the limit
    std::string part = {};       // name that lessons call its figures by
};

struct BarRow
{
    std::string name;
    std::vector<BarCell> cells; // a column each
    std::string key = {};       // pressed instead of the row
    std::string id = {};        // the row is pressed under it; none: it is not
    std::string part = {};      // name that lessons call it by
    bool chosen = false;
};

struct BarRows
{
    std::vector<BarColumn> columns;
    std::vector<BarRow> rows;
    float pitch = 38;  // at most [design px]
    bool reads = true; // as a stacked bar's
};

struct DrawnRows
{
    std::optional<std::size_t> pressed;
    std::optional<std::size_t> hovered;
    std::optional<std::size_t> column;         // of the hovered row, under the mouse
    std::vector<std::vector<StackedBar>> bars; // [row][column]; nothing where there was no room
    float bottom = 0;                          // of the last row [px]
};

DrawnRows draw_bar_rows(const Painter& painter, Rect area, const BarRows& rows);

} // namespace ringside
