#include "ui/widgets/pictures/lanes.h"

#include <fmt/format.h>

#include "core/base/text/text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kMergeCell =
    3; // cells narrower than this are drawn by the pixel, as are lanes as low [design px]

const Ink& ink_of(const Theme& t, Pass pass)
{
    switch (pass)
    {
    case Pass::forward:
        return t.forward;
    case Pass::weight:
        return t.backward_weight;
    case Pass::backward:
    case Pass::input:
        break;
    }
    return t.backward_input;
}

// Every second chunk is a shade darker, so that the way of a micro-batch through its chunks can be seen.
Colour shade_of_chunk(Colour colour, bool odd)
{
    return odd ? mix(colour, with_alpha(0xFF000000U, 1), 0.26F) : colour;
}

// All lanes of one timeline, while they are drawn.
class Drawing
{
public:
    Drawing(const Painter& p, const TimeLanes& rows, const Lanes& lanes, TimeWindow window,
            const LanesStyle& style)
        : p_(p), rows_(rows), field_(rows.field()), timeline_(*lanes.timeline), lanes_(lanes),
          window_(window), style_(style), lit_(style.lit)
    {
    }

    // Returns the event under the mouse.
    std::optional<std::size_t> draw()
    {
        numbered_ = style_.numbers && numbers_fit(p_, field_.w, lanes_, window_);
        for (std::size_t rank = 0; rank < timeline_.ranks(); ++rank)
        {
            draw_lane(rows_.lane(rank), rank);
        }
        if (lit_)
        {
            draw_path();
        }
        return hovered_;
    }

private:
    Rect cell_of(const Event& e) const
    {
        // Those that run together touch.
        return rows_.body(static_cast<std::size_t>(e.rank), e.start, e.end, e.operation.with_next);
    }

    void draw_lane(Rect lane, std::size_t rank)
    {
        const auto events = timeline_.rank(rank);
        const float from = std::max(lane.x, window_.x(field_, 0));
        const float to = std::min(lane.right(), window_.x(field_, timeline_.makespan));
        // Only what is in sight: events of a lane are in order of time.
        const auto first = std::upper_bound(events.begin(), events.end(), window_.from,
                                            [](double t, const Event& e) { return t < e.end; });
        const auto last = std::lower_bound(first, events.end(), window_.to,
                                           [](const Event& e, double t) { return e.start < t; });
        const auto count = static_cast<float>(last - first);
        if (count > 0 && (field_.w / count < p_.px(kMergeCell) || lane.h < p_.px(kMergeCell)))
        {
            draw_merged(lane, rank, from, to);
            point_at(lane, events);
            return;
        }
        float free = from; // up to here the lane is drawn
        std::for_each(first, last,
                      [&](const Event& e)
                      {
                          const Rect cell = cell_of(e);
                          draw_idle(lane, free, cell.x);
                          draw_event(lane, cell, e);
                          free = cell.right() + 1;
                      });
        draw_idle(lane, free, to);
    }

    void draw_idle(Rect lane, float from, float to) const
    {
        p_.hatch({from, lane.y, to - from, lane.h}, dim(p_.theme, p_.theme.idle_hatch, 0.3F), kIdleHatch);
    }

    // One lane by the pixel: every column in the mixture of what runs there.
    void draw_merged(Rect lane, std::size_t rank, float from, float to)
    {
        const Theme& t = p_.theme;
        float start = from;
        Colour run = 0;
        float x = from;
        for (const Shares& s : columns_of(rank, from, to))
        {
            const Colour here = mixture(t, s);
            if (here != run)
            {
                draw_run(lane, start, x, run);
                start = x;
                run = here;
            }
            x += 1;
        }
        draw_run(lane, start, to, run);
    }

    // Columns of one mixture; 0 is idle.
    void draw_run(Rect lane, float from, float to, Colour mixture) const
    {
        if (mixture == 0)
        {
            draw_idle(lane, from, to);
        }
        else
        {
            p_.fill({from, lane.y, to - from, lane.h}, mixture);
        }
    }

    const std::vector<Shares>& columns_of(std::size_t rank, float from, float to)
    {
        LaneColumns& c = lanes_.columns != nullptr ? *lanes_.columns : columns_;
        const auto count = static_cast<std::size_t>(std::max(1.0F, std::round(to - from)));
        if (c.from != window_.from || c.to != window_.to || c.count != count)
        {
            c = {window_.from, window_.to, count, std::vector<std::vector<Shares>>(timeline_.ranks())};
        }
        if (c.ranks[rank].empty())
        {
            c.ranks[rank] =
                lanes_.density->columns(rank, window_.t(field_, from), window_.t(field_, to), count);
        }
        return c.ranks[rank];
    }

    // Few shades, so that neighbouring columns join and each is mixed once.
    static constexpr std::size_t kShades = 16;
    static std::size_t shade(double share)
    {
        return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * kShades));
    }

    Colour mixture(const Theme& t, const Shares& s)
    {
        const double worked = s.forward + s.input + s.weight;
        if (worked <= 0.02)
        {
            return 0;
        }
        const std::size_t weight = shade(s.weight / std::max(1e-9, s.input + s.weight));
        const std::size_t forward = shade(s.forward / worked);
        const std::size_t busy = shade(worked);
        Colour& known = mixtures_[(weight * (kShades + 1) + forward) * (kShades + 1) + busy];
        if (known == 0)
        {
            const auto share = [](std::size_t n)
            { return static_cast<float>(n) / static_cast<float>(kShades); };
            const Colour grads = mix(t.backward_input.fill, t.backward_weight.fill, share(weight));
            const Colour all = mix(grads, t.forward.fill, share(forward));
            known = mix(t.window, lit_ ? dim(t, all) : all, share(busy));
        }
        return known;
    }

    // The event that runs in this pixel column.
    static const Event* event_at(std::span<const Event> events, double t)
    {
        const auto next = std::upper_bound(events.begin(), events.end(), t,
                                           [](double at, const Event& e) { return at < e.start; });
        return next != events.begin() && std::prev(next)->end > t ? &*std::prev(next) : nullptr;
    }

    // In a lane that is drawn by the pixel, places with an event are marks.
    void point_at(Rect lane, std::span<const Event> events)
    {
        constexpr float kBetween = 16; // [design px]
        for (float x = lane.x + p_.px(kBetween) / 2; x < lane.right(); x += p_.px(kBetween))
        {
            if (event_at(events, window_.t(field_, x + 0.5F)) != nullptr)
            {
                p_.mark({x, lane.y, 1, lane.h});
            }
        }
        if (rows_.points_in({lane.x, lane.y, lane.w, style_.pitch}))
        {
            const Event* event = event_at(events, window_.t(field_, ImGui::GetIO().MousePos.x));
            hovered_ =
                event != nullptr ? std::optional<std::size_t>(event - timeline_.events.data()) : hovered_;
        }
    }

    void draw_event(Rect lane, Rect cell, const Event& e)
    {
        draw_cell(cell, e, !lit_ || e.operation.micro_batch == *lit_);
        if (style_.now && e.start <= *style_.now && *style_.now < e.end && cell.w > 4)
        {
            p_.outline(cell, p_.theme.text, p_.px(1.5F));
        }
        if (rows_.points_at({cell.x, lane.y, cell.w + 1, style_.pitch}))
        {
            hovered_ = static_cast<std::size_t>(&e - timeline_.events.data());
        }
    }

    void draw_cell(Rect r, const Event& e, bool lit)
    {
        const Theme& t = p_.theme;
        const auto chunk = static_cast<std::size_t>(e.operation.stage) /
                           (lanes_.stages > 0 ? lanes_.stages : timeline_.ranks());
        const auto shade = [&](Colour colour)
        {
            const Colour own = shade_of_chunk(colour, chunk % 2 == 1);
            return lit ? own : dim(t, own);
        };
        const Ink& ink = ink_of(t, e.operation.pass);
        const bool whole = e.operation.pass == Pass::backward;
        const auto share = static_cast<float>(whole ? lanes_.input_share : 1);
        draw_fill(p_, r,
                  {.ink = {shade(ink.fill), ink.label, ink.edge != 0 && r.w > 4 ? shade(ink.edge) : 0},
                   .half = whole ? shade(t.backward_weight.fill) : 0,
                   .share = share});
        if (e.operation.with_next && r.w > 4)
        {
            p_.line(r.x, r.bottom() - p_.px(1), r.right(), r.bottom() - p_.px(1), t.text, p_.px(2));
        }
        if (numbered_ && r.h >= p_.px(14))
        {
            p_.text(r.x + std::round(r.w * share) / 2, r.middle(), Type::mono_small,
                    lit ? ink.label : t.muted, std::to_string(e.operation.micro_batch), Align::centre);
        }
    }

    // The way of the lit micro-batch, from cell to cell, and what the pointed one waited for.
    void draw_path() const
    {
        std::optional<Rect> before;
        for (const std::size_t k : style_.path)
        {
            const Rect cell = cell_of(timeline_.events[k]);
            if (before && timeline_.events[k].operation.pass != Pass::weight)
            {
                join(*before, cell);
            }
            if (timeline_.events[k].operation.pass != Pass::weight)
            {
                before = cell;
            }
            p_.outline(cell, p_.theme.text, p_.px(2));
        }
    }

    void join(Rect a, Rect b) const
    {
        if (a.y == b.y)
        {
            return;
        }
        const bool down = b.y > a.y;
        const float y = down ? a.bottom() + p_.px(4) : a.y - p_.px(4);
        const std::array points{ImVec2{a.right() - p_.px(3), down ? a.bottom() : a.y},
                                ImVec2{a.right() - p_.px(3), y}, ImVec2{b.x + p_.px(3), y},
                                ImVec2{b.x + p_.px(3), down ? b.y : b.bottom()}};
        p_.list.AddPolyline(points.data(), 4, p_.theme.text, 0, p_.px(2));
    }

    const Painter& p_;
    const TimeLanes& rows_;
    Rect field_;
    const Timeline& timeline_;
    const Lanes& lanes_;
    TimeWindow window_;
    const LanesStyle& style_;
    std::optional<std::int32_t> lit_;
    bool numbered_ = false;
    LaneColumns columns_;
    std::array<Colour, (kShades + 1) * (kShades + 1) * (kShades + 1)> mixtures_{};
    std::optional<std::size_t> hovered_;
};

// Names of the ranks, and how much each keeps at this moment.
std::vector<LaneName> names_of(const Lanes& lanes, const LanesStyle& style)
{
    const auto states = style.now ? state_at(*lanes.timeline, *style.now) : std::vector<RankState>{};
    std::vector<LaneName> names(lanes.timeline->ranks());
    for (std::size_t rank = 0; rank < names.size(); ++rank)
    {
        names[rank].words = style.labels.empty() ? fmt::format("stage {}", rank) : style.labels[rank];
        names[rank].brief = style.labels.empty() ? std::to_string(rank) : "";
        names[rank].strong = style.chosen == rank;
        if (!states.empty())
        {
            names[rank].value = plain_number(static_cast<double>(states[rank].in_flight) * lanes.weight);
        }
    }
    return names;
}

std::string_view word_of(Pass pass)
{
    constexpr std::array<std::string_view, 4> kWords{"forward", "backward", "input gradient",
                                                     "weight gradient"};
    return kWords.at(static_cast<std::size_t>(pass));
}

} // namespace

double input_share(const StageTimes& times)
{
    const double input = times.backward_input + times.recompute;
    const double whole = input + times.backward_weight;
    return whole > 0 ? input / whole : 0.5;
}

std::optional<std::size_t> draw_lanes(const Painter& p, Rect area, const Lanes& lanes, TimeWindow window,
                                      const LanesStyle& style)
{
    const TimeLanes rows(p, area, window, {style.pitch, p.px(style.label_width), style.strip, false},
                         names_of(lanes, style));
    return Drawing(p, rows, lanes, window, style).draw();
}

bool numbers_fit(const Painter& p, float width, const Lanes& lanes, TimeWindow window)
{
    const auto& events = lanes.timeline->events;
    constexpr std::size_t kMostNumbers = 5000;
    if (events.empty() || events.size() > kMostNumbers)
    {
        return false;
    }
    double shortest = window.to - window.from;
    std::int32_t last = 0;
    for (const Event& e : events)
    {
        const double share = e.operation.pass == Pass::backward ? lanes.input_share : 1;
        shortest = e.end > e.start ? std::min(shortest, (e.end - e.start) * share) : shortest;
        last = std::max(last, e.operation.micro_batch);
    }
    const auto pixels = static_cast<double>(width) * shortest / (window.to - window.from);
    return pixels - 1 >= static_cast<double>(p.width(Type::mono_small, std::to_string(last)) + p.px(1));
}

std::string say_event(const Timeline& timeline, const Event& e)
{
    const bool elsewhere = e.operation.stage != e.rank;
    const bool second = static_cast<std::size_t>(e.operation.stage) >= timeline.ranks();
    return fmt::format(
        "{} {} on stage {}{}", word_of(e.operation.pass), e.operation.micro_batch, e.rank,
        second ? fmt::format(", chunk {}", static_cast<std::size_t>(e.operation.stage) / timeline.ranks())
        : elsewhere ? fmt::format(", stage {} of the model", e.operation.stage)
                    : "");
}

std::string say_why(const Timeline& timeline, const Event& e)
{
    const auto events = timeline.rank(static_cast<std::size_t>(e.rank));
    const bool first = &e == events.data();
    const double free = first ? 0 : (&e - 1)->end;
    if (e.waited_for < 0 || e.ready <= free + 1e-9)
    {
        return first ? "the first on its stage"
                     : "its input was there; started as soon as its stage was free";
    }
    const Event& cause = timeline.events[static_cast<std::size_t>(e.waited_for)];
    return fmt::format("waited {} for {}, done at {}", three_digits(e.start - free),
                       say_event(timeline, cause), three_digits(cause.end));
}

void lane_tip(const Painter& painter, Rect bounds, const Timeline& timeline, std::size_t index)
{
    const Event& e = timeline.events[index];
    std::vector<TipLine> lines{{"from", three_digits(e.start), 0}, {"to", three_digits(e.end), 0}};
    const bool second = index > 0 && timeline.events[index - 1].operation.with_next;
    if (e.operation.with_next || second)
    {
        const Event& other = timeline.events[second ? index - 1 : index + 1];
        lines.push_back({"together with", say_event(timeline, other), 0});
    }
    draw_task_tip(painter, bounds, say_event(timeline, e), lines, say_why(timeline, e));
}

} // namespace ringside
