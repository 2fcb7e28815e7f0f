#include <fmt/format.h>

#include "core/base/text/text.h"
#include "ui/views/reliability/goodput/model.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::array<double, 18> kRowSeconds{1,      10,       60,        300,     600,    1800,
                                             3600,   4 * 3600, 12 * 3600, 86400,   172800, 345600,
                                             604800, 1209600,  2592000,   7776000, 3e7,    1e8};

class Calendar
{
public:
    Calendar(const Painter& painter, Rect area, const RunStory& story, double now)
        : p_(painter), area_(area), story_(story), now_(std::min(now, story.horizon))
    {
        label_ = std::min(p_.width(Type::small, "day 00") + p_.px(14), area_.w * 0.3F);
        area_.cut_left(label_);
        const float least = std::max(p_.px(18), p_.height(Type::mono_small));
        const auto most = std::max(1.0, std::floor(static_cast<double>(area_.h / least)));
        row_ = story.horizon;
        for (const double seconds : kRowSeconds)
        {
            if (story.horizon / seconds <= most)
            {
                row_ = seconds;
                break;
            }
        }
        rows_ = static_cast<std::size_t>(std::max(1.0, std::ceil(story.horizon / row_ - 1e-9)));
        pitch_ = std::min(area_.h / static_cast<float>(rows_), p_.px(44));
        area_.h = pitch_ * static_cast<float>(rows_);
    }

    CalendarPress draw()
    {
        for (std::size_t row = 0; row < rows_; ++row)
        {
            draw_row(row);
        }
        draw_failures();
        const Press pressed = press(p_, area_, "###kill a GPU", 2);
        CalendarPress result;
        if (const auto at = under_mouse(); at && pressed.hovered)
        {
            draw_hover(*at);
            result.kill = pressed.clicked ? at : std::nullopt;
        }
        else if (pressed.clicked && now_ < story_.horizon)
        {
            result.kill = now_; // by the keyboard
        }
        draw_clock();
        return result;
    }

private:
    Rect row_rect(std::size_t row) const
    {
        const double left = std::min(row_, story_.horizon - row_ * static_cast<double>(row));
        return {area_.x, area_.y + pitch_ * static_cast<float>(row),
                area_.w * static_cast<float>(rows_ == 1 ? 1 : left / row_), pitch_ - lane_gap(p_, pitch_)};
    }
    double row_length() const { return rows_ == 1 ? story_.horizon : row_; }
    TimeWindow window(std::size_t row) const
    {
        const double from = row_ * static_cast<double>(row);
        return {from, from + row_length()};
    }
    float x(std::size_t row, double at) const { return window(row).x(area_, at); }

    void draw_row(std::size_t row) const
    {
        const Rect r = row_rect(row);
        p_.fill(r, p_.theme.panel);
        const std::array name{LaneName{label(row)}};
        const TimeWindow shown = window(row);
        TimeLanes lane(p_, {area_.x - label_, r.y, area_.w + label_, pitch_}, shown,
                       {pitch_, label_, 0, false}, name);
        const double to = std::min(shown.to, now_);
        for (std::size_t i = span_at(story_, shown.from);
             i < story_.spans.size() && story_.spans[i].start < to; ++i)
        {
            draw_span(lane, row, story_.spans[i]);
        }
    }

    void draw_span(TimeLanes& lane, std::size_t row, const RunSpan& span) const
    {
        const double end = std::min(span.end, now_);
        const bool useful = span.part == RunPart::useful;
        auto cell = lane.block(0, span.start, end, part_fill(p_.theme, span.part));
        if (cell && useful && span.working < 1)
        {
            // The share of the GPUs that is gone, from the top.
            Rect gone = *cell;
            gone.h *= static_cast<float>(1 - span.working);
            draw_fill(p_, gone, part_fill(p_.theme, RunPart::missing));
        }
        if (useful && span.saves > 0)
        {
            draw_saves(row, lane.cell(0, span.start, end), span);
        }
    }

    // Ticks at the foot where a checkpoint ends, as long as they can be told apart.
    void draw_saves(std::size_t row, Rect cell, const RunSpan& span) const
    {
        const float high = std::max(2.0F, cell.h * 0.22F);
        const Colour ink = p_.theme.of(Component::variance).fill;
        const double pitch = static_cast<double>(area_.w) * story_.cycle / row_length();
        if (pitch < static_cast<double>(p_.px(4)))
        {
            const auto share = static_cast<float>(span.saving / std::max(1e-9, span.end - span.start));
            const float low = std::max(1.0F, high * std::min(1.0F, 4 * share));
            p_.fill({cell.x, cell.bottom() - low, std::min(cell.right(), area_.right()) - cell.x, low}, ink);
            return;
        }
        const double from = row_ * static_cast<double>(row);
        const auto first =
            static_cast<std::int64_t>(std::max(1.0, std::ceil((from - span.start) / story_.cycle)));
        for (std::int64_t i = first; i <= span.saves; ++i)
        {
            const float at = x(row, span.start + static_cast<double>(i) * story_.cycle);
            if (at > cell.right() + 1)
            {
                return;
            }
            p_.fill({std::max(cell.x, at - p_.px(2)), cell.bottom() - high, p_.px(2), high}, ink);
        }
    }

    std::string label(std::size_t row) const
    {
        const double at = row_ * static_cast<double>(row);
        return row_ >= 86400 ? fmt::format("day {:g}", at / 86400) : row == 0 ? "0" : say_time(at);
    }

    std::size_t row_of(double at) const
    {
        return std::min(rows_ - 1, static_cast<std::size_t>(std::max(0.0, at / row_)));
    }

    void draw_failures() const
    {
        const bool dense = story_.failures.size() > 400;
        for (const RunFailure& f : story_.failures)
        {
            if (f.at > now_ || (dense && !f.by_hand))
            {
                continue;
            }
            const std::size_t row = row_of(f.at);
            const Rect r = row_rect(row);
            const float at = x(row, f.at);
            const float half = p_.px(f.by_hand ? 5.0F : 3.0F);
            p_.list.AddTriangleFilled({at - half, r.y - half * 0.4F}, {at + half, r.y - half * 0.4F},
                                      {at, r.y + half * 1.4F}, p_.theme.text);
        }
    }

    void draw_clock() const
    {
        if (now_ >= story_.horizon)
        {
            return;
        }
        const std::size_t row = row_of(now_);
        const Rect r = row_rect(row);
        p_.line(x(row, now_), r.y - p_.px(2), x(row, now_), r.bottom() + p_.px(2), p_.theme.text, p_.px(2));
    }

    std::optional<double> under_mouse() const
    {
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        if (!area_.contains(mouse))
        {
            return std::nullopt;
        }
        const auto row = std::min(rows_ - 1, static_cast<std::size_t>((mouse.y - area_.y) / pitch_));
        const double at = row_ * static_cast<double>(row) +
                          row_length() * static_cast<double>((mouse.x - area_.x) / area_.w);
        return at < story_.horizon ? std::optional(at) : std::nullopt;
    }

    void draw_hover(double at) const
    {
        const std::size_t index = span_at(story_, at);
        if (at > now_ || index >= story_.spans.size())
        {
            return;
        }
        const RunSpan& span = story_.spans[index];
        const std::size_t row = row_of(span.start);
        const float left = std::max(area_.x, x(row, span.start));
        const float right = std::min(area_.right(), x(row, span.end));
        if (row == row_of(at))
        {
            p_.outline({left, row_rect(row).y, std::max(2.0F, right - left), row_rect(row).h}, p_.theme.text,
                       p_.px(2));
        }
        std::vector<TipLine> lines{{"duration", say_time(span.end - span.start), 0},
                                   {"starts at", say_time(span.start), 0}};
        if (span.saves > 0)
        {
            lines.push_back({"checkpoints", grouped(span.saves), 0});
        }
        if (span.working < 1)
        {
            lines.push_back({"GPUs at work", format_percent(span.working), 0});
        }
        const bool struck = span.failure >= 0 && span.part != RunPart::useful;
        const std::string foot = !struck ? "Click to inject a failure"
                                 : story_.failures[static_cast<std::size_t>(span.failure)].hardware
                                     ? "A node failed"
                                     : "A process failed";
        tip_card(p_, {area_.x, area_.y - p_.px(40), area_.w, area_.h + p_.px(240)}, ImGui::GetIO().MousePos,
                 capitalized(std::string(name_of(span.part))), lines, foot);
    }

    const Painter& p_;
    Rect area_;
    const RunStory& story_;
    double now_;
    double row_ = 1; // [s]
    std::size_t rows_ = 1;
    float pitch_ = 0;
    float label_ = 0;
};

} // namespace

CalendarPress draw_calendar(const Painter& painter, Rect area, const RunStory& story, double now)
{
    if (area.w < painter.px(80) || area.h < painter.px(16) || !(story.horizon > 0))
    {
        return {};
    }
    return Calendar(painter, area, story, now).draw();
}

} // namespace ringside
