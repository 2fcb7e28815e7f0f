#include "ui/widgets/pictures/timeline.h"

#include <fmt/format.h>

#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/swipe.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

TimeWindow TimeZoom::window(double all) const
{
    const double length = std::max(1e-9, all);
    return zoomed_ && zoomed_->from < length ? *zoomed_ : TimeWindow{0, length};
}

void TimeZoom::zoom(double about, double factor, double all)
{
    const TimeWindow now = zoomed_.value_or(TimeWindow{0, all});
    about = std::clamp(about, now.from, now.to);
    TimeWindow next{about - (about - now.from) * factor, about + (now.to - about) * factor};
    const double span = std::clamp(next.to - next.from, all / 1e6, all);
    next.from = std::clamp(next.from, 0.0, all - span);
    next.to = next.from + span;
    zoomed_ = span >= all * 0.999 ? std::nullopt : std::optional(next);
}

void TimeZoom::move(double by, double all)
{
    if (zoomed_)
    {
        const double span = zoomed_->to - zoomed_->from;
        const double from = std::clamp(zoomed_->from + by, 0.0, std::max(0.0, all - span));
        zoomed_ = TimeWindow{from, from + span};
    }
}

void TimeZoom::mouse(Rect field, double all)
{
    const ImGuiIO& io = ImGui::GetIO();
    if (!field.contains(io.MousePos) || !ImGui::IsWindowHovered() || all <= 0)
    {
        return;
    }
    const TimeWindow now = window(all);
    if (io.MouseWheel != 0 && !is_swipe())
    {
        zoom(now.t(field, io.MousePos.x), std::pow(0.85, static_cast<double>(io.MouseWheel)), all);
    }
    if (ImGui::IsMouseDragging(0, 2) && field.contains(io.MouseClickedPos[0]))
    {
        move(-static_cast<double>(io.MouseDelta.x / field.w) * (now.to - now.from), all);
    }
    if (ImGui::IsMouseDoubleClicked(0))
    {
        zoomed_.reset();
    }
}

void TimeZoom::aside(double share, double all)
{
    const TimeWindow now = window(all);
    move(share * (now.to - now.from), all);
}

float lane_pitch(const Painter& painter, float height, std::size_t lanes, float most)
{
    return std::min(height / static_cast<float>(std::max<std::size_t>(1, lanes)), painter.px(most));
}

float lane_gap(const Painter& p, float pitch)
{
    return pitch > p.px(12) ? std::min(p.px(8), pitch * 0.22F) : pitch > 4 ? 1.0F : 0.0F;
}

TimeLanes::TimeLanes(const Painter& painter, Rect area, TimeWindow window, LaneStyle style,
                     std::span<const LaneName> names)
    : p_(painter), window_(window), style_(style), field_{area.x + style.label, area.y, area.w - style.label,
                                                          style.pitch * static_cast<float>(names.size())},
      inside_(painter.walks_in(field_) ||
              (field_.contains(ImGui::GetIO().MousePos) &&
               ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem))),
      brief_(are_brief(names)), columns_(names.size())
{
    // Where lanes are low, every so manyth has its name.
    const auto every = static_cast<std::size_t>(std::ceil(p_.px(18) / std::max(1.0F, style.pitch)));
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (style.ground)
        {
            p_.fill(lane(i), p_.theme.panel);
        }
        if (i % every == 0 && style.label > 0)
        {
            draw_name(area, i, names[i]);
        }
    }
    p_.list.PushClipRect({field_.x, field_.y - p_.px(2)}, {field_.right() + 1, field_.bottom() + p_.px(2)},
                         true);
}

TimeLanes::~TimeLanes()
{
    for (std::size_t i = 0; i < columns_.size(); ++i)
    {
        const Rect row = lane(i);
        for (std::size_t at = 0; at < columns_[i].size(); ++at)
        {
            if (const Column& c = columns_[i][at]; c.share > 0.02F)
            {
                // Never so little that it vanishes.
                p_.fill({field_.x + static_cast<float>(at), row.y, 1, row.h},
                        with_alpha(c.colour, std::min(1.0F, 0.4F + 0.6F * c.share)));
            }
        }
    }
    p_.list.PopClipRect();
}

// With room for two digits of a value that changes while it plays, or names would change with it.
bool TimeLanes::are_brief(std::span<const LaneName> names) const
{
    return std::ranges::any_of(
        names,
        [&](const LaneName& name)
        {
            const float value =
                std::max(p_.width(Type::mono_small, name.value), p_.width(Type::mono_small, "00"));
            const float room = style_.label - p_.px(8) - (name.value.empty() ? 0 : p_.px(8) + value);
            return !name.brief.empty() && p_.width(Type::small_strong, name.words) > room;
        });
}

void TimeLanes::draw_name(const Rect& area, std::size_t index, const LaneName& name) const
{
    const Theme& t = p_.theme;
    const Rect r = lane(index);
    // In a low lane they begin at its top, below what stands above the lanes, and stay off what stands below.
    const float high = std::max(r.h, p_.height(Type::small));
    const bool fits = r.y + high <= field_.bottom() + p_.px(4);
    if (index > 0 && !fits)
    {
        return;
    }
    const float middle = fits ? r.y + high / 2 : r.middle();
    const bool two = !name.below.empty() && r.h >= p_.px(32);
    const float up = two ? p_.px(9) : 0;
    float room = style_.label - p_.px(8);
    if (!name.value.empty())
    {
        room -= p_.px(8) + p_.text(area.x + room, middle, Type::mono_small, t.of(Component::activations).fill,
                                   name.value, Align::right);
    }
    const Type type = name.strong ? Type::small_strong : Type::small;
    p_.text_within(area.x, middle - up, room, type, name.strong ? t.text : t.muted,
                   brief_ && !name.brief.empty() ? name.brief : name.words);
    p_.text_within(area.x, middle + up, two ? room : 0, Type::small, t.muted, two ? name.below : "");
    if (!name.empty.empty())
    {
        p_.text_within(r.x + p_.px(8), r.middle(), r.w - p_.px(16), Type::small, t.muted, name.empty);
    }
}

Rect TimeLanes::lane(std::size_t lane) const
{
    return {field_.x, field_.y + style_.pitch * static_cast<float>(lane), field_.w,
            style_.pitch - lane_gap(p_, style_.pitch) - style_.strip};
}

Rect TimeLanes::cell(std::size_t index, double from, double to) const
{
    const Rect row = lane(index);
    // Zoomed far in, an end may lie a million screens away.
    const auto place = [&](double t)
    { return std::clamp(window_.x(field_, t), field_.x - field_.w, field_.right() + field_.w); };
    const float x = place(from);
    return {x, row.y, place(to) - x, row.h};
}

Rect TimeLanes::body(std::size_t index, double from, double to, bool joined) const
{
    const Rect r = cell(index, from, to);
    const float left = std::round(r.x);
    const float w = std::round(r.right()) - left;
    return {left, r.y, std::max(1.0F, w > 3 && !joined ? w - 1 : w), r.h};
}

std::optional<Rect> TimeLanes::block(std::size_t index, double from, double to, const Fill& fill,
                                     std::size_t id)
{
    const Rect r = cell(index, from, to);
    if (to <= from || r.right() < field_.x || r.x > field_.right())
    {
        return std::nullopt;
    }
    hovered_ = points_at(r) ? std::optional(id) : hovered_;
    if (r.w < p_.px(3))
    {
        cover(index, r,
              fill.lines != 0  ? fill.lines
              : fill.half != 0 ? mix(fill.ink.fill, fill.half, 1 - fill.share)
                               : fill.ink.fill);
        return std::nullopt;
    }
    const Rect whole = body(index, from, to);
    draw_fill(p_, whole, fill);
    return whole;
}

bool TimeLanes::points_at(Rect cell) const
{
    constexpr float kApart = 3; // [design px]
    Rect seen = cell;
    seen.cut_left(std::max(0.0F, field_.x - cell.x));
    seen.cut_right(std::max(0.0F, cell.right() - field_.right()));
    const bool apart = std::abs(seen.middle() - last_mark_.middle()) > 1 ||
                       std::abs(seen.centre() - last_mark_.centre()) >= p_.px(kApart);
    if (apart && seen.w > 0)
    {
        seen.w = std::max(1.0F, seen.w);
        p_.mark(seen);
        last_mark_ = seen;
    }
    return points_in(cell);
}

void TimeLanes::read_out(std::size_t index, double from, double to, std::string_view heading,
                         std::span<const TipLine> lines) const
{
    if (to > from && points_at(cell(index, from, to)))
    {
        const ImVec2 window = ImGui::GetIO().DisplaySize;
        tip_card(p_, {0, 0, window.x, window.y}, ImGui::GetIO().MousePos, heading, lines);
    }
}

void TimeLanes::cover(std::size_t index, Rect cell, Colour colour)
{
    std::vector<Column>& columns = columns_[index];
    columns.resize(static_cast<std::size_t>(std::max(1.0F, std::ceil(field_.w))) + 1);
    const float from = std::max(0.0F, cell.x - field_.x);
    const float to = std::min(static_cast<float>(columns.size()), cell.right() - field_.x);
    for (auto at = static_cast<std::size_t>(from); static_cast<float>(at) < to; ++at)
    {
        const auto left = static_cast<float>(at);
        columns[at].share += std::min(to, left + 1) - std::max(from, left);
        columns[at].colour = colour;
    }
}

void TimeLanes::label(Rect r, Colour colour, std::initializer_list<std::string_view> words) const
{
    const float left = std::max(r.x, field_.x);
    const float room = std::min(r.right(), field_.right()) - left;
    for (const std::string_view said : words)
    {
        const float least = std::max(p_.width(Type::mono_small, said), p_.width(Type::mono_small, "00"));
        if (r.h >= p_.px(14) && least + p_.px(3) <= room)
        {
            p_.text(left + room / 2, r.middle(), Type::mono_small, colour, said, Align::centre);
            return;
        }
    }
}

void TimeLanes::wait(std::size_t index, double from, double to) const
{
    Rect r = cell(index, from, to);
    const float right = std::min(r.right(), field_.right());
    r.x = std::max(r.x, field_.x);
    r.w = right - r.x;
    if (r.w < 0.5F)
    {
        return;
    }
    r.w = std::max(1.0F, r.w);
    draw_fill(p_, r, waiting_fill(p_.theme));
    tag(r, Type::small_strong, format_seconds(Seconds(to - from)));
}

void TimeLanes::tag(Rect r, Type type, std::string_view words, Align align) const
{
    const float w = p_.width(type, words) + p_.px(8);
    const float left = std::max(r.x, field_.x) + p_.px(2);
    if (w + p_.px(4) < r.right() - left && r.h >= p_.px(16))
    {
        const float x = align == Align::centre ? r.centre() - w / 2 : left;
        p_.fill({x, r.middle() - p_.px(8), w, p_.px(16)}, with_alpha(p_.theme.window, 0.9F), p_.px(3));
        p_.text(x + p_.px(4), r.middle(), type, p_.theme.text, words);
    }
}

void TimeLanes::join(std::size_t from, std::size_t to, double t) const
{
    const Rect a = cell(from, t, t);
    const Rect b = cell(to, t, t);
    if (b.x < field_.x || b.x > field_.right())
    {
        return; // zoomed in elsewhere
    }
    const bool down = b.y > a.y;
    p_.line(b.x, down ? a.bottom() : a.y, b.x, down ? b.y : b.bottom(), p_.theme.text, p_.px(2));
}

void TimeLanes::outline(std::size_t index, double from, double to, bool thick) const
{
    Rect r = cell(index, from, to);
    r.w = std::max(2.0F, r.w);
    p_.outline(r, p_.theme.text, p_.px(thick ? 2.0F : 1.5F));
}

void draw_now(const Painter& painter, Rect field, TimeWindow window, double t)
{
    const float x = window.x(field, t);
    if (x >= field.x && x <= field.right())
    {
        painter.dashed(x, field.y, x, field.bottom(), painter.theme.text, 1);
    }
}

void draw_time_axis(const Painter& p, Rect area, TimeWindow window, double seconds)
{
    if (seconds > 0)
    {
        const double unit = seconds > 4 ? 1 : seconds < 1e-3 ? 1e-6 : 1e-3;
        window = {window.from / unit, window.to / unit};
        p.text(area.x - p.px(8), area.y + p.px(14), Type::small, p.theme.muted,
               unit == 1     ? "s"
               : unit < 1e-3 ? "\u00b5s"
                             : "ms",
               Align::right);
    }
    const double span = window.to - window.from;
    const double step =
        round_step(std::max(1e-9, span / std::max(2.0, static_cast<double>(area.w / p.px(56)))));
    p.line(area.x, area.y, area.right(), area.y, p.theme.line);
    const auto first = static_cast<std::int64_t>(std::ceil(window.from / step));
    const auto last = static_cast<std::int64_t>(std::floor(window.to / step + 1e-6));
    float taken = area.x - p.px(20); // by the label before
    for (std::int64_t i = first; i <= last; ++i)
    {
        const double t = static_cast<double>(i) * step;
        const float x = std::round(window.x(area, t));
        p.line(x, area.y, x, area.y + p.px(4), p.theme.line);
        const std::string label = t >= 1e6                ? count_words(t)
                                  : t >= 1e3 && step >= 1 ? grouped(std::llround(t))
                                                          : fmt::format("{:g}", t);
        const float half = p.width(Type::mono_small, label) / 2;
        const float middle = std::clamp(x, area.x + p.px(6), area.right() - half + p.px(6));
        if (middle - half > taken)
        {
            p.text(middle, area.y + p.px(14), Type::mono_small, p.theme.muted, label, Align::centre);
            taken = middle + half + p.px(8);
        }
    }
}

std::vector<double> moments_apart(std::vector<double> moments, double length)
{
    constexpr std::size_t kMostMoments = 4000;
    std::ranges::sort(moments);
    const auto same = [least = 1e-9 * length](double a, double b) { return b - a <= least; };
    moments.erase(std::unique(moments.begin(), moments.end(), same), moments.end());
    if (moments.size() > kMostMoments)
    {
        moments.resize(kMostMoments + 1);
        for (std::size_t i = 0; i <= kMostMoments; ++i)
        {
            moments[i] = length * static_cast<double>(i) / static_cast<double>(kMostMoments);
        }
    }
    return moments;
}

std::vector<TipLine> tip_times(double start, double end)
{
    return {{"from, to", format_seconds(Seconds(start)) + " \u2026 " + format_seconds(Seconds(end)), 0},
            {"takes", format_seconds(Seconds(end - start)), 0}};
}

void draw_task_tip(const Painter& painter, Rect bounds, std::string heading, std::span<const TipLine> lines,
                   std::string_view why)
{
    const float most = bounds.w - painter.px(40);
    tip_card(painter, bounds, ImGui::GetIO().MousePos,
             painter.shortened(Type::small_strong, capitalized(std::move(heading)), most), lines,
             painter.shortened(Type::small, why, most));
}

} // namespace ringside
