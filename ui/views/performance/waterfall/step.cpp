// The waterfall: a row for every part of the step, a bar where it lies on the time axis, and what is left of
// the utilization after it.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/views/performance/waterfall/pages.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/charts/stacked_bar.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kPitch = 52;
constexpr float kTwoLines = 46; // least pitch of a row with a detail under its name
constexpr float kOneLine = 22;
constexpr double kBig = 0.05; // of the step, above which a row is bold

struct StepRow
{
    WaterfallRow at;
    std::string name;
    std::string detail;
    std::string tip;
    bool rest = false;  // several small ones
    bool last = false;  // before the total
    bool total = false; // of all rows
};

const Ink& ink_of(const Theme& t, const WaterfallRow& row)
{
    const std::array wires{&t.tensor, &t.context, &t.expert, &t.pipeline, &t.data};
    return row.slice == Slice::optimizer ? t.of(Component::momentum)
           : row.slice >= Slice::tensor && row.slice <= Slice::data
               ? *wires.at(static_cast<std::size_t>(row.slice) - static_cast<std::size_t>(Slice::tensor))
               : t.forward;
}

// The stripes of what is lost; waiting, bytes and launches have no axis of parallelism.
Colour stripes_of(const Theme& t, const WaterfallRow& row)
{
    const bool waits = row.slice == Slice::launch || row.slice == Slice::uneven || row.slice == Slice::bubble;
    return row.slice == Slice::memory ? t.muted : waits ? t.idle_hatch : ink_of(t, row).fill;
}

constexpr std::string_view kTitle = "Hatched: lost";

Fill lost_fill(Colour colour)
{
    return {.ink = {with_alpha(colour, 0.35F)}, .lines = colour, .hatch = kExposedHatch};
}

// Counted but never computed: nothing but its edge.
void draw_owed(const Painter& p, Rect r, Colour colour)
{
    p.dashed(r.x, r.y, r.right(), r.y, colour);
    p.dashed(r.x, r.bottom(), r.right(), r.bottom(), colour);
    p.dashed(r.x, r.y, r.x, r.bottom(), colour);
    p.dashed(r.right(), r.y, r.right(), r.bottom(), colour);
}

int key_of(const WaterfallRow& row)
{
    return static_cast<int>(row.kind) * static_cast<int>(kSlices) + static_cast<int>(row.slice);
}

// Takes the smallest losses out of `all` until it and one row for them are at most `most`.
std::vector<WaterfallRow> take_small(std::vector<WaterfallRow>& all, std::size_t most)
{
    std::vector<WaterfallRow> small;
    while (all.size() + (small.empty() ? 0 : 1) > most)
    {
        auto least = all.end();
        for (auto row = all.begin(); row != all.end(); ++row)
        {
            const bool less = least == all.end() || row->seconds < least->seconds;
            least = row->kind == RowKind::lost && less ? row : least;
        }
        if (least == all.end())
        {
            break;
        }
        small.push_back(*least);
        all.erase(least);
    }
    return small;
}

StepRow rest_of(const std::vector<WaterfallRow>& small, Convention convention)
{
    StepRow rest{small.front(), "Other losses", "", "", true};
    rest.at.seconds = 0;
    for (const WaterfallRow& row : small)
    {
        rest.at.seconds += row.seconds;
        rest.tip += fmt::format("{}{}: {}", rest.tip.empty() ? "" : "\n", row_name(row, convention),
                                format_seconds(Seconds(row.seconds)));
    }
    // The largest by name, which the tip has all of.
    rest.detail = name_of(small.back().slice);
    rest.detail += small.size() > 1 ? fmt::format(" and {} more", small.size() - 1) : "";
    return rest;
}

// The smallest become one where there is no room for all; the last is the step itself.
std::vector<StepRow> rows_of(const Frame& frame, Convention convention, std::size_t most)
{
    const StepTime& step = frame.now.report->step;
    std::vector<WaterfallRow> all = waterfall(step, convention.numerator, convention.peak);
    const std::vector<WaterfallRow> small = take_small(all, most);
    std::vector<StepRow> made;
    for (const WaterfallRow& row : all)
    {
        made.push_back({row, row_name(row, convention), row_detail(row, frame, convention),
                        row_tip(row, frame, convention)});
    }
    if (!small.empty())
    {
        made.push_back(rest_of(small, convention));
    }
    const double share = utilization(step, convention.numerator, convention.peak);
    double at = 0;
    for (StepRow& row : made)
    {
        row.at.from = at;
        at += row.at.seconds;
        row.at.left = row.at.kind == RowKind::useful ? 1 : share * step.total() / at;
    }
    made.back().last = true;
    StepRow total{{RowKind::useful, Slice::model, step.total(), 0, share}, "Step time, achieved", "", ""};
    total.total = true;
    made.push_back(std::move(total));
    return made;
}

class Waterfall
{
public:
    Waterfall(const WaterfallRoom& room, std::vector<StepRow> rows)
        : r_(room), p_(room.p), step_(room.frame.now.report->step), scale_(step_.total()),
          rows_(std::move(rows))
    {
        for (const StepRow& row : rows_)
        {
            axis_.high = std::max(axis_.high, row.at.to() / scale_.unit);
        }
        ticks_ = axis_ticks(axis_, std::clamp(static_cast<int>(room.area.w / p_.px(130)), 1, 8));
    }

    void draw(Rect area)
    {
        const Theme& t = p_.theme;
        const auto strong = [this](const StepRow& row)
        { return row.total || row.at.kind == RowKind::useful || row.at.seconds >= kBig * step_.total(); };
        const auto ink = [&](const StepRow& row) { return strong(row) ? t.text : t.muted; };
        const bool hardware = r_.state.convention.numerator == Numerator::hardware;
        const Table<StepRow> table(
            {{std::string(kTitle),
              [&](const StepRow& row)
              {
                  Cell name(row.name, t.text, row.detail);
                  return strong(row) ? std::move(name).strong() : name;
              }},
             Column<StepRow>("", nullptr)
                 .wide(80,
                       [this](const Painter&, Rect cell, const StepRow& row, bool) { draw_bar(cell, row); }),
             {scale_.unit >= 1 ? std::string(scale_.word) : std::string(scale_.name),
              [&](const StepRow& row)
              {
                  const bool first = row.total || (row.at.from == 0 && row.at.kind == RowKind::useful);
                  return Cell(first ? scale_.text(row.at.seconds) : scale_.change(row.at.seconds), ink(row));
              }},
             {hardware ? "HFU left" : "MFU left",
              [&](const StepRow& row)
              { return Cell(fmt::format("{:.{}f}%", row.at.left * 100, row.total ? 1 : 0), ink(row)); },
              1}},
            nullptr, [](const StepRow& row) { return row.total; }, kPitch,
            [](const StepRow& row) { return row.tip; });
        title_ = area.x + p_.width(Type::small_strong, kTitle) + p_.px(8);
        table.draw(p_, area, rows_);
        draw_numbers();
    }

private:
    float x(Rect cell, double seconds) const
    {
        return cell.x + cell.w * static_cast<float>(std::clamp(axis_.share(seconds / scale_.unit), 0.0, 1.0));
    }

    void draw_bar(Rect cell, const StepRow& row)
    {
        const Theme& t = p_.theme;
        head_ = head_.w > 0 ? head_ : Rect{cell.x, cell.y - cell.h, cell.w, cell.h};
        for (const double tick : ticks_)
        {
            const float at = std::round(x(cell, tick * scale_.unit));
            p_.line(at, cell.y, at, cell.bottom(), t.grid);
        }
        const float high = std::min(p_.px(36), cell.h - p_.px(cell.h > p_.px(30) ? 12 : 4));
        const Rect room{cell.x, std::round(cell.middle() - high / 2), cell.w, std::round(high)};
        if (row.total)
        {
            draw_total(room, row.at.left);
            return;
        }
        WaterfallState::Bar& bar = r_.state.bars[row.rest ? -1 : key_of(row.at)];
        const float from = bar.from.towards(x(cell, row.at.from), r_.frame, p_.look, r_.out);
        const float to = bar.to.towards(x(cell, row.at.to()), r_.frame, p_.look, r_.out);
        // What is too short to see keeps two pixels.
        const Rect b{std::round(std::min(from, to)), room.y,
                     std::round(std::max(std::abs(to - from), p_.px(2))), room.h};
        if (row.at.kind == RowKind::useful)
        {
            p_.block(b, ink_of(t, row.at));
        }
        else if (row.at.seconds < 0)
        {
            draw_owed(p_, b, t.forward.fill);
        }
        else
        {
            draw_fill(p_, b, lost_fill(row.rest ? t.idle_hatch : stripes_of(t, row.at)));
        }
        if (!row.last)
        {
            const float end = std::round(row.at.seconds < 0 ? b.x : std::max(to, b.x));
            p_.line(end, b.bottom(), end, cell.bottom() + (cell.h - high) / 2, t.text);
        }
    }

    void draw_total(Rect room, double share) const
    {
        const Theme& t = p_.theme;
        const std::array parts{
            BarPart{share, {t.forward}, "", "useful " + format_percent(share)},
            BarPart{1 - share, {{t.control, t.text}}, "", "lost " + format_percent(1 - share)}};
        room.w = x(room, step_.total()) - room.x;
        draw_stacked_bar(p_, room, parts, {1, false});
    }

    // Draws the numbers of the axis, in the row of the headings.
    void draw_numbers() const
    {
        float free = title_; // the title may go on over the bars
        for (const double tick : ticks_)
        {
            const std::string words = plain_number(tick) + " " + std::string(scale_.name);
            const float half = p_.width(Type::mono_small, words) / 2;
            const float middle = x(head_, tick * scale_.unit);
            if (middle - half >= free && middle + half <= head_.right())
            {
                p_.text(middle, head_.middle(), Type::mono_small, p_.theme.muted, words, Align::centre);
                free = middle + half + p_.px(8);
            }
        }
    }

    const WaterfallRoom& r_;
    const Painter& p_;
    const StepTime& step_;
    TimeScale scale_;
    std::vector<StepRow> rows_;
    PlotAxis axis_{0, 1e-12};
    std::vector<double> ticks_;
    float title_ = 0; // where it ends
    Rect head_{};
};

void draw_step(const WaterfallRoom& r)
{
    const float room = r.area.h;
    const float least = r.p.px(room / 10 >= r.p.px(kTwoLines) ? kTwoLines : kOneLine);
    const auto fit = static_cast<std::size_t>(std::max(1.0F, room / least - 2));
    Waterfall(r, rows_of(r.frame, r.state.convention, fit)).draw(r.area);
}

} // namespace

const Page<WaterfallState> step_page{"Step", draw_step, panel_waterfall, caption_step};

} // namespace ringside
