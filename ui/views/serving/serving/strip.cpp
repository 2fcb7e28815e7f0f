#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/memory/memory.h"
#include "core/serving/speculation.h"
#include "ui/views/serving/serving/pictures.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/pictures/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr std::int64_t kShownDrafts = 16;
constexpr std::int64_t kShownRequests = 9;

// Requests side by side are told apart by two shades of the cache's colour, the second further from the ink
// of their numbers.
Colour shade(const Theme& t, std::int64_t request)
{
    const Colour cache = t.of(Component::activations).fill;
    return request % 2 == 0 ? cache : mix(cache, t.text, 0.3F);
}

// One half: how a batch is filled, up to the clock in full colour.
void draw_slots(const Painter& p, Rect area, const Batching& b, std::string_view name, double clock,
                double steps)
{
    const Theme& t = p.theme;
    draw_chart_title(p, area.cut_top(p.px(24)), name,
                     fmt::format("batch-slot occupancy {}", format_percent(b.busy())));
    const Rect axis = area.cut_bottom(p.px(22));
    const float pitch = std::min(p.px(56), area.h / static_cast<float>(b.slots));
    const std::vector<LaneName> names(static_cast<std::size_t>(b.slots));
    const TimeWindow window{0, steps};
    const float bottom = area.y + pitch * static_cast<float>(b.slots);
    {
        TimeLanes lanes(p, area, window, {pitch, 0, 0, false}, names);
        for (const Stay& stay : b.stays)
        {
            const auto slot = static_cast<std::size_t>(stay.slot);
            const auto start = static_cast<double>(stay.start);
            const auto end = static_cast<double>(stay.end);
            const Rect cell = lanes.body(slot, start, end);
            const Colour ink = shade(t, stay.request);
            const auto done = static_cast<float>(std::clamp((clock - start) / (end - start), 0.0, 1.0));
            draw_fill(p, cell, {.ink = {ink}, .half = dim(t, ink, 0.7F), .share = done});
            Rect ahead = cell; // its number stands on the longer side of the clock
            const Rect behind = ahead.cut_left(cell.w * done);
            lanes.label(done > 0.5F ? behind : ahead,
                        done > 0.5F ? t.of(Component::activations).label : t.text,
                        {std::to_string(stay.request + 1)});
            const auto freed = static_cast<double>(stay.freed);
            lanes.block(slot, end, freed, idle_fill(t));
            const auto steps_of = [](std::int64_t from, std::int64_t to) {
                return std::array{TipLine{"decoding steps", grouped(to - from)}};
            };
            lanes.read_out(slot, start, end, fmt::format("Request {}", stay.request + 1),
                           steps_of(stay.start, stay.end));
            lanes.read_out(slot, end, freed, "Idle until the batch ends", steps_of(stay.end, stay.freed));
        }
    }
    p.line(area.x, bottom, area.right(), bottom, t.line);
    draw_now(p, {area.x, area.y, area.w, bottom - area.y}, window, clock);
    p.text_within(area.x, bottom + axis.h / 2 + p.px(2), area.w, Type::small, t.muted,
                  fmt::format("all {} requests done after {} decoding steps", b.stays.size(), b.steps));
}

} // namespace

void draw_serving_slots(const Painter& p, Rect area, const ServingModel& model, double clock)
{
    const auto steps = static_cast<double>(std::max(model.held.steps, model.free.steps));
    const float gap = p.px(32);
    Rect left = area;
    const Rect right = left.cut_right((area.w - gap) / 2);
    left.cut_right(gap);
    draw_slots(p, left, model.held, "Static batching", clock, steps);
    draw_slots(p, right, model.free, "Continuous batching", clock, steps);
    p.part("slots", area);
}

namespace
{

// A ribbon of the cache's memory: requests one after the other, each with what it holds and what is in it.
void draw_ribbon(const Painter& p, Rect row, const ServingReport& r, double tokens_across)
{
    const Theme& t = p.theme;
    const Ink& cache = t.of(Component::activations);
    const auto tokens = static_cast<double>(r.setup.prompt + r.setup.output);
    const double held =
        r.setup.paged ? std::ceil(tokens / kCacheBlock) * kCacheBlock : static_cast<double>(r.setup.longest);
    const std::array<LaneName, 1> unnamed{};
    TimeLanes lanes(p, row, {0, tokens_across}, {row.h + lane_gap(p, row.h), 0, 0, false}, unnamed);
    for (std::int64_t i = 0; static_cast<double>(i) * held < tokens_across; ++i)
    {
        const double from = static_cast<double>(i) * held;
        lanes.block(0, from, from + tokens, plain_fill(shade(t, i)));
        lanes.label(lanes.cell(0, from, from + tokens), cache.label, {std::to_string(i + 1)});
        lanes.block(0, from + tokens, from + held,
                    {.ink = {t.window}, .lines = with_alpha(cache.fill, 0.6F)});
        const std::string name = fmt::format("Request {}", i + 1);
        lanes.read_out(0, from, from + tokens, name, std::array{TipLine{"tokens", three_digits(tokens)}});
        lanes.read_out(0, from + tokens, from + held, name + ", reserved and unused",
                       std::array{TipLine{"tokens", three_digits(held - tokens)}});
    }
    p.outline(row, t.line);
}

} // namespace

void draw_serving_pages(const Painter& p, Rect area, const ServingModel& model)
{
    ServingSetup setup = model.report.setup;
    const auto across =
        static_cast<double>(kShownRequests) * static_cast<double>(setup.prompt + setup.output);
    const float each = (area.h - p.px(26)) / 2;
    for (const bool paged : {false, true})
    {
        setup.paged = paged;
        const ServingReport r = serving_report(model.scenario, setup);
        Rect half = area.cut_top(each);
        const std::string name =
            paged ? fmt::format("PagedAttention: blocks of {} tokens, on demand", kCacheBlock)
                  : fmt::format("Preallocated for {} tokens", grouped(setup.longest));
        draw_chart_title(
            p, half.cut_top(p.px(24)), name,
            fmt::format("{} unused, room for {}", format_percent(r.wasted()), counted(r.most, "request")));
        draw_ribbon(p, half.cut_top(std::min(p.px(120), half.h - p.px(6))), r, across);
    }
    p.text_within(area.x, area.middle(), area.w, Type::small, p.theme.muted,
                  fmt::format("memory for {} tokens, {} per request",
                              grouped(static_cast<std::int64_t>(across)),
                              grouped(setup.prompt + setup.output)));
    p.part("pages", area);
}

namespace
{

std::string draft_tip(const ServingSettings& w, std::int64_t i)
{
    return fmt::format(
        "Draft token {} counts if it and all before it are accepted: a^{} = {}\n\nWith {} draft tokens: {} "
        "tokens "
        "per pass, {}\u00d7 speedup\n\nClick to draft as many.\nLeviathan et al. 2023, arXiv 2211.17192",
        i, i, format_percent(std::pow(w.acceptance, static_cast<double>(i))), i,
        three_digits(expected_tokens(w.acceptance, i)),
        three_digits(speculative_speedup(w.acceptance, i, w.draft_cost)));
}

} // namespace

std::optional<ServingSettings> draw_serving_drafts(const Painter& p, Rect area,
                                                   const ServingSettings& settings)
{
    const Theme& t = p.theme;
    std::optional<ServingSettings> moved;
    const std::int64_t best = best_drafted(settings.acceptance, settings.draft_cost);
    draw_chart_title(p, area.cut_top(p.px(24)),
                     fmt::format("{} draft tokens: {} tokens per pass, {}\u00d7 speedup", settings.drafted,
                                 three_digits(expected_tokens(settings.acceptance, settings.drafted)),
                                 three_digits(speculative_speedup(settings.acceptance, settings.drafted,
                                                                  settings.draft_cost))),
                     best > 0 ? fmt::format("probability that each counts; fastest with {}", best)
                              : "slower than plain decoding");
    const Rect foot = area.cut_bottom(p.px(24));
    const float pitch = area.w / static_cast<float>(kShownDrafts + 1);
    for (std::int64_t i = 0; i <= kShownDrafts; ++i)
    {
        const auto share = static_cast<float>(std::pow(settings.acceptance, static_cast<double>(i)));
        const Rect column{area.x + pitch * static_cast<float>(i), area.y, pitch - p.px(3), area.h};
        const Rect bar{column.x, column.bottom() - column.h * share, column.w, column.h * share};
        const bool counted = i <= settings.drafted;
        const Ink& ink = i == 0 ? t.of(Component::weights) : t.of(Component::activations);
        p.fill(column, t.panel);
        p.fill(bar, counted ? ink.fill : dim(t, ink.fill));
        const std::string percent = format_percent(share);
        if (p.width(Type::mono_small, percent) <= column.w)
        {
            const bool above = bar.y - column.y > p.px(24);
            p.text(bar.centre(), above ? bar.y - p.px(12) : bar.y + p.px(12), Type::mono_small,
                   above || !counted ? t.muted : ink.label, percent, Align::centre);
        }
        const Press pressed = press(p, column, fmt::format("###{} drafts", i).c_str(), 2);
        tooltip(p, i == 0 ? "The target model's own token: one in every pass" : draft_tip(settings, i));
        if (pressed.clicked || (pressed.hovered && ImGui::IsMouseDragging(0, 1)))
        {
            moved = settings;
            moved->drafted = i;
        }
        const std::string number = i == 0 ? "own" : std::to_string(i);
        if (p.width(Type::mono_small, number) <= column.w)
        {
            p.text(column.centre(), foot.y + p.px(12), Type::mono_small,
                   i == best && i > 0 ? t.text : t.muted, number, Align::centre);
        }
        if (i == best && i > 0)
        {
            p.outline(column, t.text, p.px(2));
        }
    }
    p.part("drafts", area);
    return moved;
}

} // namespace ringside
