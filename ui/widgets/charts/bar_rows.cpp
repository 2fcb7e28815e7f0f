#include "ui/widgets/charts/bar_rows.h"

#include "ui/widgets/charts/plot.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

class RowDrawing
{
public:
    RowDrawing(const Painter& painter, Rect area, const BarRows& rows)
        : p_(painter), rows_(rows), area_(area), line_(painter.height(Type::small) + painter.px(2))
    {
        const auto count = static_cast<float>(rows.rows.size());
        const bool titled = std::ranges::any_of(rows.columns, [](const auto& c) { return !c.title.empty(); });
        const float head = std::max(p_.px(26), line_);
        const bool limited =
            std::ranges::any_of(rows.columns, [](const auto& c) { return !c.limit_name.empty(); });
        heads_ = titled && area.h >= head + line_ * count ? area_.cut_top(head) : Rect{};
        limits_ = limited && area_.h >= line_ * (count + 1) ? area_.cut_top(line_) : Rect{};
        keyed_ = area_.h >= p_.px(26) * count;
        choose();
        pitch_ = std::min(p_.px(rows.pitch), area_.h / std::max(1.0F, static_cast<float>(shown_.size())));
        measure();
    }

    DrawnRows draw()
    {
        DrawnRows drawn;
        drawn.bars.resize(rows_.rows.size());
        const Rect all = area_;
        for (const std::size_t row : shown_)
        {
            draw_row(area_.cut_top(pitch_), row, drawn);
        }
        float x = area_.x + names_;
        for (std::size_t c = 0; c < widths_.size(); ++c)
        {
            const float w = widths_[c] + figures_[c];
            if (heads_.h > 0 && rows_.columns[c].share <= 0)
            {
                p_.text(x + w, heads_.middle(), Type::small_strong, p_.theme.text, rows_.columns[c].title,
                        Align::right);
            }
            else if (heads_.h > 0)
            {
                draw_chart_title(p_, {x, heads_.y, w, heads_.h}, rows_.columns[c].title,
                                 rows_.columns[c].note);
            }
            if (limits_.h > 0 && !rows_.columns[c].limit_name.empty())
            {
                draw_limit(rows_.columns[c], {x, all.y, widths_[c], area_.y - all.y}, w);
            }
            x += w + p_.px(kBetween);
        }
        drawn.bottom = area_.y;
        return drawn;
    }

private:
    static constexpr float kBetween = 20; // columns [design px]
    static constexpr float kLeast = 80;   // of a bar [design px]

    void choose()
    {
        const auto room = static_cast<std::size_t>(std::max(1.0F, area_.h / line_));
        for (std::size_t i = 0; i < rows_.rows.size(); ++i)
        {
            shown_.push_back(i);
        }
        while (shown_.size() > room)
        {
            shown_.erase(shown_.end() - (rows_.rows[shown_.back()].chosen ? 2 : 1));
        }
    }

    float figure_of(std::size_t column) const
    {
        // A column of figures only is as wide as its title, too.
        const BarColumn& c = rows_.columns[column];
        float widest = c.share > 0 ? 0 : p_.width(Type::small_strong, c.title);
        for (const BarRow& row : rows_.rows)
        {
            const BarCell& cell = row.cells[column];
            widest = std::max(widest, p_.width(Type::mono_small, cell.figure) + (cell.tick ? p_.px(22) : 0));
        }
        return widest + p_.px(12);
    }

    // The widths of the columns that have room.
    void measure()
    {
        bool keys = false;
        for (const BarRow& row : rows_.rows)
        {
            names_ = std::max(names_, p_.width(Type::small_strong, row.name));
            keys = keys || !row.key.empty();
        }
        keyed_ = keyed_ && keys;
        left_ = p_.px(keyed_ ? 34 : 0);
        names_ = std::min(names_ + left_ + p_.px(12), area_.w * 0.35F);
        for (std::size_t many = rows_.columns.size(); many > 0; --many)
        {
            float room = area_.w - names_ - p_.px(kBetween) * static_cast<float>(many - 1);
            float shares = 0;
            float bars = 0;
            figures_.clear();
            for (std::size_t c = 0; c < many; ++c)
            {
                figures_.push_back(figure_of(c));
                room -= figures_.back();
                shares += rows_.columns[c].share;
                bars += rows_.columns[c].share > 0 ? 1.0F : 0.0F;
            }
            if (room >= p_.px(kLeast) * bars || many == 1)
            {
                for (std::size_t c = 0; c < many; ++c)
                {
                    widths_.push_back(std::max(p_.px(20), room) * rows_.columns[c].share / shares);
                }
                return;
            }
        }
    }

    void draw_row(Rect r, std::size_t index, DrawnRows& drawn) const
    {
        const BarRow& row = rows_.rows[index];
        const Theme& t = p_.theme;
        bool lit = p_.points_in(r);
        if (!row.id.empty())
        {
            const Press pressed = press(p_, r, row.id.c_str(), 6);
            drawn.pressed = pressed.clicked ? std::optional(index) : drawn.pressed;
            lit = pressed.hovered;
            if (row.chosen || lit)
            {
                p_.fill({r.x - p_.px(6), r.y + 1, r.w + p_.px(12), r.h - 2},
                        row.chosen ? t.control : with_alpha(t.control, 0.5F), p_.px(6));
            }
        }
        if (!row.part.empty())
        {
            p_.part(row.part, r);
        }
        if (keyed_ && !row.key.empty())
        {
            p_.keycap(r.x + p_.px(4), r.middle(), row.key);
        }
        const Colour ink = row.chosen ? t.text : t.muted;
        p_.text_within(r.x + left_, r.middle(), names_ - left_ - p_.px(8),
                       row.chosen ? Type::small_strong : Type::small, ink, row.name);
        drawn.hovered = lit ? std::optional(index) : drawn.hovered;
        const float inset = std::max(1.0F, std::round(r.h * 0.16F));
        Rect rest{r.x + names_, r.y + inset, r.w - names_, r.h - 2 * inset};
        for (std::size_t c = 0; c < widths_.size(); ++c)
        {
            const float mouse = ImGui::GetIO().MousePos.x;
            drawn.column = lit && mouse >= rest.x ? std::optional(c) : drawn.column;
            const BarColumn& column = rows_.columns[c];
            drawn.bars[index].push_back(draw_cell(rest.cut_left(widths_[c]), row.cells[c], column));
            const Rect figure = rest.cut_left(figures_[c]);
            draw_figure(figure, row.cells[c], column.limit, row.id.empty() || row.chosen ? t.text : t.muted);
            if (!column.part.empty())
            {
                p_.part(column.part, figure);
            }
            rest.cut_left(p_.px(kBetween));
        }
    }

    StackedBar draw_cell(Rect bar, const BarCell& cell, const BarColumn& column) const
    {
        if (!cell.below.empty())
        {
            const Rect thin = bar.cut_bottom(std::max(2.0F, std::round(bar.h * 0.22F)));
            bar.h -= 1;
            draw_stacked_bar(p_, thin, cell.below, {.most = column.most, .up = false, .reads = rows_.reads});
        }
        StackedBar drawn =
            draw_stacked_bar(p_, bar, cell.parts,
                             {.most = column.most, .up = false, .limit = column.limit, .reads = rows_.reads});
        if (cell.parts.size() == 1)
        {
            name_behind(drawn.all, bar, cell.parts.front());
        }
        return drawn;
    }

    // Where a bar is too short for its name, the name stands behind it.
    void name_behind(Rect drawn, Rect bar, const BarPart& part) const
    {
        const float named = p_.width(Type::small, part.name);
        const float from = drawn.right() + p_.px(8);
        if (named + p_.px(4) > drawn.w && from + named <= bar.right() && bar.h >= p_.height(Type::small))
        {
            p_.text(from, bar.middle(), Type::small, p_.theme.muted, part.name);
        }
    }

    // A line through all rows, named above them.
    void draw_limit(const BarColumn& column, Rect bars, float room) const
    {
        const float x = std::round(bars.x + bars.w * static_cast<float>(column.limit / column.most));
        p_.line(x, limits_.bottom(), x, bars.bottom(), p_.theme.text, p_.px(2));
        const float half = p_.width(Type::small_strong, column.limit_name) / 2;
        p_.text(std::max(bars.x + half, std::min(x, bars.x + room - half)), limits_.middle(),
                Type::small_strong, p_.theme.text, column.limit_name, Align::centre);
    }

    void draw_figure(Rect r, const BarCell& cell, double limit, Colour ink) const
    {
        double sum = 0;
        for (const BarPart& part : cell.parts)
        {
            sum += part.value;
        }
        ink = limit > 0 && sum > limit ? p_.theme.warning : ink;
        if (r.h < p_.height(Type::mono_small) * 0.6F)
        {
            return;
        }
        const float tick = cell.tick ? p_.px(22) : 0;
        p_.text(r.right() - tick, r.middle(), Type::mono_small, ink, cell.figure, Align::right);
        if (cell.tick)
        {
            p_.tick(r.right() - p_.px(14), r.middle(), p_.theme.ok);
        }
    }

    const Painter& p_;
    const BarRows& rows_;
    Rect area_;
    Rect heads_;
    Rect limits_;                    // the names of the limits
    std::vector<std::size_t> shown_; // rows
    std::vector<float> widths_;      // of the columns' bars [px]
    std::vector<float> figures_;     // of the columns' figures [px]
    float line_ = 0;
    float pitch_ = 0;
    float names_ = 0; // width
    float left_ = 0;  // before a name, for its key
    bool keyed_ = true;
};

} // namespace

DrawnRows draw_bar_rows(const Painter& painter, Rect area, const BarRows& rows)
{
    return RowDrawing(painter, area, rows).draw();
}

} // namespace ringside
