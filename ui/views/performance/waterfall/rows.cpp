#include "ui/views/performance/waterfall/rows.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/stacked_bar.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kHead = 28;
constexpr float kTotal = 64;
constexpr float kTwoLines = 46; // least pitch of a row with a detail under its name
constexpr float kOneLine = 22;
constexpr double kBig = 0.05; // of the step, from which on a row is bold

const Ink& ink_of(const Theme& t, const WaterfallRow& row)
{
    switch (row.slice)
    {
    case Slice::tensor:
        return t.tensor;
    case Slice::context:
        return t.context;
    case Slice::expert:
        return t.expert;
    case Slice::pipeline:
        return t.pipeline;
    case Slice::data:
        return t.data;
    case Slice::optimizer:
        return t.of(Component::momentum);
    default:
        return t.forward;
    }
}

// The stripes of what is lost; waiting, bytes and launches are nobody's arithmetic.
Colour stripes_of(const Theme& t, const WaterfallRow& row)
{
    switch (row.slice)
    {
    case Slice::memory:
        return t.muted;
    case Slice::launch:
    case Slice::uneven:
    case Slice::bubble:
        return t.idle_hatch;
    default:
        return ink_of(t, row).fill;
    }
}

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

double nice_step(double most, int wanted)
{
    const double rough = most / std::max(1, wanted);
    const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-12))));
    const double ratio = rough / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

int key_of(const WaterfallRow& row)
{
    return static_cast<int>(row.kind) * static_cast<int>(kSlices) + static_cast<int>(row.slice);
}

} // namespace

float WaterfallRows::Columns::x(double value) const
{
    return plot.x + plot.w * static_cast<float>(std::clamp(value / most, 0.0, 1.0));
}

namespace
{

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

} // namespace

WaterfallRows::Row WaterfallRows::rest_of(const std::vector<WaterfallRow>& small, Convention convention)
{
    Row rest{small.front(), "The rest", "", "", true, true};
    rest.at.seconds = 0;
    for (const WaterfallRow& row : small)
    {
        rest.at.seconds += row.seconds;
        rest.detail += (rest.detail.empty() ? "" : ", ") + std::string(name_of(row.slice));
        rest.tip += fmt::format("{}{}: {}", rest.tip.empty() ? "" : "\n", row_name(row, convention),
                                format_seconds(Seconds(row.seconds)));
    }
    return rest;
}

// The smallest become one where there is no room for all.
std::vector<WaterfallRows::Row> WaterfallRows::rows(const Frame& frame, Convention convention,
                                                    std::size_t most) const
{
    const StepTime& step = frame.now.report.step;
    std::vector<WaterfallRow> all = waterfall(step, convention.numerator, convention.peak);
    const std::vector<WaterfallRow> small = take_small(all, most);
    std::vector<Row> made;
    made.reserve(all.size() + 1);
    for (const WaterfallRow& row : all)
    {
        made.push_back({row, row_name(row, convention), row_detail(row, frame, convention),
                        row_tip(row, frame, convention)});
    }
    if (!small.empty())
    {
        made.push_back(rest_of(small, convention));
    }
    const double useful = utilization(step, convention.numerator, convention.peak) * step.total();
    double at = 0;
    for (Row& row : made)
    {
        row.at.from = at;
        at += row.at.seconds;
        row.at.left = row.at.kind == RowKind::useful ? 1 : useful / at;
    }
    made.back().last = true;
    return made;
}

WaterfallRows::Columns WaterfallRows::columns(const Painter& p, Rect area, float figures) const
{
    Columns c;
    const float roomy = area.w / p.look.scale;
    const float names = roomy > 700 ? 220.0F : roomy > 460 ? 184.0F : 150.0F;
    const bool has_left = roomy > 420;
    c.names = area.x + p.px(names);
    c.left = has_left ? area.right() : 0;
    c.seconds = has_left ? area.right() - p.px(roomy > 600 ? 96 : 72) : area.right();
    const float from = c.names + p.px(roomy > 600 ? 12 : 4);
    c.plot = {from, area.y,
              std::max(1.0F, c.seconds - std::max(p.px(roomy > 600 ? 88 : 68), figures + p.px(12)) - from),
              area.h};
    return c;
}

void WaterfallRows::draw_axis(const Painter& p, Rect head, const Columns& c, const TimeScale& scale,
                              float bottom, const std::string& share) const
{
    const Theme& t = p.theme;
    const double whole = c.most / scale.unit;
    const double step = nice_step(whole, std::clamp(static_cast<int>(c.plot.w / p.px(110)), 1, 8));
    for (double v = 0; v <= whole * 1.0001; v += step)
    {
        const float x = std::round(c.x(v * scale.unit));
        p.line(x, head.bottom() - p.px(4), x, bottom, t.grid);
        const std::string words = fmt::format("{:g} {}", v, scale.name);
        if (x + p.width(Type::mono_small, words) / 2 < c.seconds - p.width(Type::small, "seconds") - p.px(4))
        {
            p.text(x, head.middle() - p.px(4), Type::mono_small, t.muted, words, Align::centre);
        }
    }
    const float middle = head.middle() - p.px(4);
    const bool both = p.width(Type::small, "solid: useful   hatched: lost") + p.px(24) < c.plot.x - head.x;
    p.text_within(head.x, middle, c.plot.x - head.x - p.px(20), Type::small, t.muted,
                  both ? "solid: useful   hatched: lost" : "hatched: lost");
    p.text(c.seconds, middle, Type::small, t.muted, scale.unit >= 1 ? scale.word : scale.name, Align::right);
    if (c.left > 0)
    {
        p.text(c.left, middle, Type::small, t.muted, c.left - c.seconds > p.px(72) ? share + " left" : share,
               Align::right);
    }
}

void WaterfallRows::draw_bar(const Frame& frame, const Painter& p, const Row& row, Rect line,
                             const Columns& c, Out& out)
{
    Bar& bar = bars_[row.rest ? -1 : key_of(row.at)];
    const float from = bar.from.towards(c.x(row.at.from), frame, p.look, out);
    const float to = bar.to.towards(c.x(row.at.to()), frame, p.look, out);
    const float high = std::min(p.px(36), line.h - p.px(line.h > p.px(30) ? 12 : 4));
    // What is too short to see keeps two pixels.
    const float wide = std::max(std::abs(to - from), p.px(2));
    const Rect r{std::round(std::min(from, to)), std::round(line.middle() - high / 2), std::round(wide),
                 std::round(high)};
    const Theme& t = p.theme;
    if (row.at.kind == RowKind::useful)
    {
        p.block(r, ink_of(t, row.at));
    }
    else if (row.at.seconds < 0)
    {
        draw_owed(p, r, t.forward.fill);
    }
    else
    {
        draw_fill(p, r, lost_fill(row.rest ? t.idle_hatch : stripes_of(t, row.at)));
    }
    if (!row.last)
    {
        const float end = std::round(row.at.seconds < 0 ? r.x : std::max(to, r.x));
        p.line(end, r.bottom(), end, line.bottom() + (line.h - high) / 2, t.text);
    }
}

void WaterfallRows::draw_words(const Painter& p, const Row& row, Rect line, const Columns& c,
                               const TimeScale& scale, bool strong) const
{
    const Theme& t = p.theme;
    const float most = c.names - line.x - p.px(4);
    const Type type = strong ? Type::small_strong : Type::small;
    if (line.h >= p.px(kTwoLines) && !row.detail.empty())
    {
        p.text_within(line.x, line.middle() - p.px(9), most, type, t.text, row.name);
        p.text_within(line.x, line.middle() + p.px(9), most, Type::small, t.muted, row.detail);
    }
    else
    {
        p.text_within(line.x, line.middle(), most, type, t.text, row.name);
    }
    const bool first = row.at.from == 0 && row.at.kind == RowKind::useful;
    const Type figures = strong && line.h >= p.px(28) ? Type::mono : Type::mono_small;
    const Colour ink = strong ? t.text : t.muted;
    p.text(c.seconds, line.middle(), figures, ink,
           first ? scale.text(row.at.seconds) : scale.change(row.at.seconds), Align::right);
    if (c.left > 0)
    {
        p.text(c.left, line.middle(), figures, ink, fmt::format("{:.0f}%", row.at.left * 100), Align::right);
    }
}

void WaterfallRows::draw_total(const Frame& frame, const Painter& p, Rect line, const Columns& c,
                               Convention convention) const
{
    const Theme& t = p.theme;
    const StepTime& step = frame.now.report.step;
    const double share = utilization(step, convention.numerator, convention.peak);
    p.line(line.x, line.y, line.right(), line.y, t.line);
    p.text_within(line.x, line.middle(), c.names - line.x, Type::body_strong, t.text, "Step, achieved");
    const float high = std::min(p.px(32), line.h - p.px(8));
    const std::string lost = "lost " + format_percent(1 - share);
    const std::string useful = "useful " + format_percent(share);
    const std::array parts{BarPart{share * step.total(), {t.forward}, useful},
                           BarPart{(1 - share) * step.total(), {{t.raised, t.text}}, lost}};
    draw_stacked_bar(p, {c.plot.x, std::round(line.middle() - high / 2), c.plot.w, high}, parts,
                     {c.most, false});
    const Type figures = c.left > 0 && c.left - c.seconds < p.px(80) ? Type::mono : Type::mono_title;
    p.text(c.seconds, line.middle(), figures, t.text, TimeScale(step.total()).text(step.total()),
           Align::right);
    if (c.left > 0)
    {
        p.text(c.left, line.middle(), figures, t.text, fmt::format("{:.1f}%", share * 100), Align::right);
    }
}

void WaterfallRows::draw(const Frame& frame, const Painter& p, Rect area, Convention convention, Out& out)
{
    const Rect whole = area;
    const Rect head = area.cut_top(p.px(kHead));
    const float total = std::min(p.px(kTotal), std::max(p.px(40), area.h / 4));
    const float room = area.h - total;
    const float least = room / 8 >= p.px(kTwoLines) ? p.px(kTwoLines) : p.px(kOneLine);
    const std::vector<Row> all =
        rows(frame, convention, static_cast<std::size_t>(std::max(1.0F, room / least)));
    const double step = frame.now.report.step.total();
    const TimeScale scale(step);
    float figures = p.width(Type::mono_title, scale.text(step));
    for (const Row& row : all)
    {
        figures = std::max(figures, p.width(Type::mono, scale.change(row.at.seconds)));
    }
    Columns c = columns(p, whole, figures);
    c.pitch = std::floor(std::min(p.px(52), room / static_cast<float>(all.size())));
    c.most = step;
    for (const Row& row : all)
    {
        c.most = std::max(c.most, row.at.to());
    }
    if (c.pitch < p.px(18))
    {
        draw_total(frame, p, area, c, convention); // room for nothing else
        return;
    }
    draw_axis(p, head, c, scale, area.y + c.pitch * static_cast<float>(all.size()) + total,
              convention.numerator == Numerator::hardware ? "HFU" : "MFU");
    std::string tip;
    for (const Row& row : all)
    {
        const Rect line = area.cut_top(c.pitch);
        if (ImGui::IsWindowHovered() && line.contains(ImGui::GetIO().MousePos))
        {
            tip = row.tip;
            p.fill({line.x - p.px(8), line.y, line.w + p.px(16), line.h}, with_alpha(p.theme.control, 0.7F),
                   p.px(4));
        }
        const bool strong = row.at.kind == RowKind::useful || row.at.seconds >= kBig * step;
        draw_bar(frame, p, row, line, c, out);
        draw_words(p, row, line, c, scale, strong);
    }
    draw_total(frame, p, area.cut_top(total), c, convention);
    tooltip_at_mouse(p, tip);
}

} // namespace ringside
