// Which schedule fits: bubble against memory for every schedule and micro-batch size, the best in the memory
// there is, and the frontier nothing beats.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/schedule_search.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kOperationsAFrame = 150'000; // a few milliseconds

class FrontierView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    void keys(const Frame& frame, Out& out) override;

private:
    // Chart coordinates.
    struct Plot
    {
        Rect area;
        double most_bytes = 1;
        double most_bubble = 1;

        float x(Bytes b) const { return area.x + area.w * static_cast<float>(b.value / most_bytes); }
        float y(double bubble) const
        {
            return area.bottom() - area.h * static_cast<float>(std::min(bubble, most_bubble) / most_bubble);
        }
    };

    const ScheduleSearch& search(const Frame& frame) const;
    Bytes limit(const Frame& frame) const;
    Plot plot(const Frame& frame, const Painter& painter, Rect area) const;
    void draw_axes(const Frame& frame, const Painter& painter, const Plot& p) const;
    void draw_limit(const Frame& frame, const Painter& painter, const Plot& p);
    void draw_frontier(const Painter& painter, const Plot& p, const ScheduleSearch& s) const;
    void draw_names(const Frame& frame, const Painter& painter, const Plot& p, const ScheduleCandidate* best);
    void draw_points(const Frame& frame, const Painter& painter, const Plot& p, Out& out);
    void draw_tip(const Frame& frame, const Painter& painter, Rect bounds, const ScheduleCandidate& c) const;
    static void take(const ScheduleCandidate& c, Out& out);

    mutable std::optional<ScheduleSearch> search_;
    std::optional<double> limit_; // bytes, where the line was dragged to
    std::vector<Rect> taken_;     // by words of this frame's chart
};

std::string name_of(const ScheduleCandidate& c)
{
    const Scenario& s = c.scenario;
    const ScheduleKind kind = s.training.schedule;
    return s.parallel.chunks > kind->least_chunks || kind->most_chunks > 2
               ? fmt::format("{} \u00d7{}", kind->name, s.parallel.chunks)
               : std::string(kind->name);
}

const ScheduleSearch& FrontierView::search(const Frame& frame) const
{
    if (!search_ || search_->scenario() != frame.now.scenario)
    {
        search_.emplace(frame.now.scenario);
        search_->advance(kOperationsAFrame);
    }
    return *search_;
}

Bytes FrontierView::limit(const Frame& frame) const
{
    return limit_ ? Bytes(*limit_) : frame.now.report.memory.capacity;
}

FrontierView::Plot FrontierView::plot(const Frame& frame, const Painter& painter, Rect area) const
{
    Plot p{area, 1, 0.05};
    p.area.cut_left(painter.px(64));
    p.area.cut_bottom(painter.px(52));
    p.area.cut_top(painter.px(24));
    p.area.cut_right(painter.px(24));
    // One micro-batch at a time idles most of the time; it need not be in sight.
    double bubble = frame.now.report.pipeline.timeline.bubble_of_total();
    double bytes = frame.now.report.memory.worst().total().value;
    for (const ScheduleCandidate& c : search(frame).found())
    {
        if (c.frontier && c.bubble < 0.5)
        {
            bubble = std::max(bubble, c.bubble);
            bytes = std::max(bytes, c.memory.value);
        }
    }
    // Where everything is far too large the axis goes on to it: an empty chart says nothing.
    const ScheduleCandidate* smallest = nullptr;
    for (const ScheduleCandidate& c : search(frame).found())
    {
        smallest = smallest == nullptr || c.memory < smallest->memory ? &c : smallest;
    }
    p.most_bubble = std::clamp(bubble * 1.4, 0.05, 1.0);
    // Not of the limit: the scale would run away from the mouse that drags it.
    const double capacity = frame.now.report.memory.capacity.value;
    p.most_bytes = std::max(1.0, std::max(capacity * 1.1, std::min(bytes * 1.1, capacity * 2.5)));
    if (smallest != nullptr && smallest->memory.value > p.most_bytes)
    {
        p.most_bytes = std::max(bytes, smallest->memory.value) * 1.1;
        p.most_bubble = std::clamp(std::max(bubble, smallest->bubble) * 1.4, 0.05, 1.0);
    }
    return p;
}

void FrontierView::draw_axes(const Frame& frame, const Painter& painter, const Plot& p) const
{
    const Theme& t = painter.theme;
    const auto step_of = [](double most, int wanted)
    {
        const double rough = most / wanted;
        const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-12))));
        const double ratio = rough / power;
        return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7 ? 5 : 10);
    };
    const double rise = step_of(p.most_bubble, std::clamp(static_cast<int>(p.area.h / painter.px(32)), 1, 6));
    for (double bubble = 0; bubble <= p.most_bubble * 1.0001; bubble += rise)
    {
        painter.line(p.area.x, p.y(bubble), p.area.right(), p.y(bubble), t.grid);
        painter.text(p.area.x - painter.px(10), p.y(bubble), Type::mono_small, t.muted,
                     fmt::format("{:g}%", std::round(bubble * 1e6) / 1e4), Align::right);
    }
    const double unit = frame.preferences.unit == ByteUnit::decimal ? 1e9 : 1073741824.0;
    const double run =
        step_of(p.most_bytes / unit, std::clamp(static_cast<int>(p.area.w / painter.px(56)), 1, 8)) * unit;
    float taken = -1e9F;
    for (double bytes = 0; bytes <= p.most_bytes; bytes += run)
    {
        const std::string words = plain_number(bytes / unit);
        const float half = painter.width(Type::mono_small, words) / 2;
        const float x = p.x(Bytes(bytes));
        if (x - half > taken)
        {
            painter.text(x, p.area.bottom() + painter.px(16), Type::mono_small, t.muted, words,
                         Align::centre);
            taken = x + half + painter.px(8);
        }
    }
    painter.line(p.area.x, p.area.bottom(), p.area.right(), p.area.bottom(), t.line);
    painter.text_within(p.area.x, p.area.bottom() + painter.px(38), p.area.w, Type::small, t.muted,
                        fmt::format("memory of the fullest GPU, {}",
                                    frame.preferences.unit == ByteUnit::decimal ? "GB" : "GiB"));
    painter.text(p.area.x - painter.px(54), p.area.y - painter.px(20), Type::small, t.muted,
                 "bubble, of total");
}

// What does not fit is hatched; the line can be dragged.
void FrontierView::draw_limit(const Frame& frame, const Painter& painter, const Plot& p)
{
    const Theme& t = painter.theme;
    const float x = std::min(p.x(limit(frame)), p.area.right());
    painter.hatch({x, p.area.y, p.area.right() - x, p.area.h}, with_alpha(t.warning, 0.16F), kOverflowHatch);
    painter.line(x, p.area.y, x, p.area.bottom(), t.warning, painter.px(2));
    const Rect grip{x - painter.px(8), p.area.y, painter.px(16), p.area.h};
    const Press pressed = press(painter, grip, "###memory limit", 3);
    if (pressed.hovered || pressed.held)
    {
        ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    }
    if (pressed.held && ImGui::IsMouseDragging(0, 1))
    {
        const auto share = static_cast<double>((ImGui::GetIO().MousePos.x - p.area.x) / p.area.w);
        limit_ = std::clamp(share, 0.01, 1.0) * p.most_bytes;
    }
    const double step = p.most_bytes / 100;
    const int steps = pressed.focused ? arrow_steps(ImGui::GetItemID()) : 0;
    if (steps != 0)
    {
        limit_ = std::clamp(limit(frame).value + steps * step, step, p.most_bytes);
    }
    const std::string words = fmt::format("{} {}", limit_ ? "limit" : "GPU holds",
                                          format_bytes(limit(frame), frame.preferences.unit));
    const float w = painter.width(Type::small_strong, words);
    const bool left = x + w + painter.px(12) > p.area.right();
    const float from = left ? x - painter.px(8) - w : x + painter.px(8);
    // The smallest of what is far too large lies at the top beside the line.
    const bool far = p.most_bytes > 3 * frame.now.report.memory.capacity.value;
    const float middle = far ? p.area.middle() : p.area.y + painter.px(12);
    painter.text(from, middle, Type::small_strong, t.text, words);
    taken_.assign(1, {from, middle - painter.px(12), w, painter.px(24)});
}

void FrontierView::draw_frontier(const Painter& painter, const Plot& p, const ScheduleSearch& s) const
{
    std::vector<const ScheduleCandidate*> line;
    for (const ScheduleCandidate& c : s.found())
    {
        if (c.frontier)
        {
            line.push_back(&c);
        }
    }
    std::sort(line.begin(), line.end(),
              [](const ScheduleCandidate* a, const ScheduleCandidate* b) { return a->memory < b->memory; });
    for (std::size_t i = 0; i + 1 < line.size(); ++i)
    {
        // Petabytes lie millions of pixels to the right: what leaves the field ends at its edge.
        const float from = p.x(line[i]->memory);
        const float next = std::min(p.x(line[i + 1]->memory), p.area.right());
        if (from >= p.area.right())
        {
            return;
        }
        painter.line(from, p.y(line[i]->bubble), next, p.y(line[i]->bubble), painter.theme.muted,
                     painter.px(1.5F));
        if (next < p.area.right())
        {
            painter.line(next, p.y(line[i]->bubble), next, p.y(line[i + 1]->bubble), painter.theme.muted,
                         painter.px(1.5F));
        }
    }
}

void FrontierView::take(const ScheduleCandidate& c, Out& out)
{
    out.push(ChangeScenario{c.scenario, false,
                            fmt::format("{}, micro-batches of {}", c.scenario.training.schedule->name,
                                        c.scenario.training.micro_batch)});
}

void FrontierView::draw_tip(const Frame& frame, const Painter& painter, Rect bounds,
                            const ScheduleCandidate& c) const
{
    const double now = frame.now.report.pipeline.timeline.makespan;
    const std::array lines{
        TipLine{"chunks a stage", std::to_string(c.scenario.parallel.chunks), 0},
        TipLine{"micro-batches",
                fmt::format("{} of {}", grouped(micro_batches(c.scenario)), c.scenario.training.micro_batch),
                0},
        TipLine{"bubble", format_percent(c.bubble) + " of total", 0},
        TipLine{
            "step",
            fmt::format("{} units, {}\u00d7 now", three_digits(c.makespan), three_digits(c.makespan / now)),
            0},
        TipLine{"memory", format_bytes(c.memory, frame.preferences.unit), 0},
        TipLine{"weights", fmt::format("{}\u00d7", weight_copies(c.scenario.training.schedule)), 0}};
    tip_card(painter, bounds, ImGui::GetIO().MousePos, name_of(c), lines, "click to train with it");
}

// The best first; a name that would lie on another is left out.
void FrontierView::draw_names(const Frame& frame, const Painter& painter, const Plot& p,
                              const ScheduleCandidate* best)
{
    const Theme& t = painter.theme;
    // `x`: the left edge.
    const auto name = [&](float x, float middle, Type type, Colour colour, const std::string& words)
    {
        const float high = painter.height(type);
        const Rect r{x, middle - high / 2, painter.width(type, words), high};
        const bool taken =
            std::any_of(taken_.begin(), taken_.end(),
                        [&](const Rect& o) {
                            return r.x < o.right() && o.x < r.right() && r.y < o.bottom() && o.y < r.bottom();
                        });
        if (taken || r.x < p.area.x || r.right() > p.area.right())
        {
            return;
        }
        taken_.push_back(r);
        painter.text(x, middle, type, colour, words);
    };
    if (best != nullptr)
    {
        const ImVec2 at{p.x(best->memory), p.y(best->bubble)};
        const float right = at.x + painter.px(14);
        const std::string brief = fmt::format("best: {}", name_of(*best));
        const std::string whole =
            fmt::format("{}, micro-batches of {}", brief, best->scenario.training.micro_batch);
        const bool roomy = right + painter.width(Type::small_strong, whole) <= p.area.right();
        const std::string words = painter.shortened(Type::small_strong, roomy ? whole : brief, p.area.w);
        const float w = painter.width(Type::small_strong, words);
        const float left = at.x - painter.px(14) - w;
        const float beside = right + w <= p.area.right() ? right : std::max(left, p.area.x);
        const float high = painter.height(Type::small_strong);
        painter.fill({beside - painter.px(4), at.y - painter.px(12) - high / 2, w + painter.px(8), high},
                     with_alpha(t.window, 0.8F), painter.px(4)); // the frontier may run behind it
        name(beside, at.y - painter.px(12), Type::small_strong, t.text, words);
        const float u = painter.px(1);
        painter.list.AddCircleFilled(at, 8 * u, t.ok);
        painter.list.AddCircle(at, 8 * u, t.window, 0, 2 * u);
        const std::array tick{ImVec2{at.x - 4 * u, at.y}, ImVec2{at.x - u, at.y + 3 * u},
                              ImVec2{at.x + 4 * u, at.y - 3 * u}};
        painter.list.AddPolyline(tick.data(), 3, t.window, 0, 2 * u);
    }
    for (const ScheduleCandidate& c : search(frame).found())
    {
        const ImVec2 at{p.x(c.memory), p.y(c.bubble)};
        if (at.x >= p.area.right() || c.bubble > p.most_bubble)
        {
            continue;
        }
        if (c.scenario == frame.now.scenario)
        {
            name(at.x - painter.width(Type::small_strong, "now") / 2, at.y - painter.px(18),
                 Type::small_strong, t.text, "now");
        }
        // Nothing lies left of and below the frontier, so there is room for its names.
        if (c.frontier && &c != best)
        {
            name(at.x - painter.px(10) - painter.width(Type::small, name_of(c)), at.y + painter.px(10),
                 Type::small, t.muted, name_of(c));
        }
    }
}

void FrontierView::draw_points(const Frame& frame, const Painter& painter, const Plot& p, Out& out)
{
    const Theme& t = painter.theme;
    const ScheduleSearch& s = search(frame);
    const ScheduleCandidate* best = s.done() ? s.best(limit(frame)) : nullptr;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ScheduleCandidate* hit = nullptr;
    float nearest = painter.px(14);
    for (const ScheduleCandidate& c : s.found())
    {
        const ImVec2 at{p.x(c.memory), p.y(c.bubble)};
        if (at.x > p.area.right() || c.bubble > p.most_bubble)
        {
            continue;
        }
        const bool own = c.scenario == frame.now.scenario;
        const float radius = painter.px(c.frontier || own ? 5.0F : 3.0F);
        painter.list.AddCircleFilled(at, radius, c.frontier ? t.text : t.line);
        if (own)
        {
            painter.list.AddCircle(at, painter.px(9), t.text, 0, painter.px(2));
        }
        const float distance = std::hypot(mouse.x - at.x, mouse.y - at.y);
        if (distance < nearest && ImGui::IsWindowHovered())
        {
            nearest = distance;
            hit = &c;
        }
    }
    draw_names(frame, painter, p, best);
    if (hit != nullptr)
    {
        painter.list.AddCircle({p.x(hit->memory), p.y(hit->bubble)}, painter.px(9), t.text, 0,
                               painter.px(1.5F));
        draw_tip(frame, painter, p.area, *hit);
        if (ImGui::IsMouseClicked(0) && !ImGui::IsAnyItemActive())
        {
            take(*hit, out);
        }
    }
}

void FrontierView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        painter.text(area.centre(), area.middle() - painter.px(16), Type::title, painter.theme.text,
                     "One stage: no pipeline, no bubble.", Align::centre);
        painter.text(area.centre(), area.middle() + painter.px(20), Type::body, painter.theme.muted,
                     "Raise \u201cPipeline stages\u201d to have something to choose.", Align::centre);
        return;
    }
    if (!search(frame).done())
    {
        search_->advance(kOperationsAFrame);
        out.animating = true;
        Rect bar = area.cut_top(painter.px(4));
        area.cut_top(painter.px(8));
        painter.fill(bar, painter.theme.control);
        bar.w *= static_cast<float>(search_->progress());
        painter.fill(bar, painter.theme.text);
    }
    const Plot p = plot(frame, painter, area);
    if (p.area.w < painter.px(120) || p.area.h < painter.px(64))
    {
        painter.paragraph(
            area, Type::small, painter.theme.text,
            "No room for the chart: enlarge the window, or press Ctrl \u2212 for smaller text.");
        return;
    }
    draw_axes(frame, painter, p);
    draw_limit(frame, painter, p);
    if (search(frame).done())
    {
        draw_frontier(painter, p, search(frame));
    }
    draw_points(frame, painter, p, out);
}

Caption FrontierView::caption(const Frame& frame) const
{
    Caption caption;
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        caption.sentence = "With one stage there is no schedule to choose.";
        return caption;
    }
    const ScheduleSearch& s = search(frame);
    if (!s.done())
    {
        caption.sentence = fmt::format("Simulating schedules and micro-batch sizes: **{}** done.",
                                       format_percent(s.progress()));
        return caption;
    }
    const ScheduleCandidate* best = s.best(limit(frame));
    const double now = frame.now.report.pipeline.timeline.makespan;
    const std::string room = format_bytes(limit(frame), frame.preferences.unit);
    if (best == nullptr)
    {
        caption.sentence = fmt::format(
            "Nothing fits in {}: !!more GPUs, more sharding or recomputation!! come first.", room);
        return caption;
    }
    caption.sentence = fmt::format("In {} the shortest step is **{} with micro-batches of {}**: {} of the "
                                   "step now, the bubble {} of total.",
                                   room, name_of(*best), best->scenario.training.micro_batch,
                                   format_percent(best->makespan / now), format_percent(best->bubble));
    caption.formula = fmt::format("{} schedules and sizes simulated, {} do not suit {} stages",
                                  s.found().size(), s.refused(), frame.now.scenario.parallel.pipeline);
    caption.source = "Times grow with the micro-batch in proportion; what small products lose in efficiency "
                     "is not in this picture.";
    return caption;
}

bool FrontierView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.now.scenario.parallel.pipeline == 1)
    {
        return false;
    }
    const Theme& t = painter.theme;
    Rect row = area.cut_top(painter.px(28));
    painter.text(row.x, row.middle(), Type::body_strong, t.text, "Frontier");
    std::vector<const ScheduleCandidate*> frontier;
    for (const ScheduleCandidate& c : search(frame).found())
    {
        if (c.frontier)
        {
            frontier.push_back(&c);
        }
    }
    std::sort(frontier.begin(), frontier.end(),
              [](const ScheduleCandidate* a, const ScheduleCandidate* b)
              { return a->makespan < b->makespan; });
    const ScheduleCandidate* best = search(frame).best(limit(frame));
    for (const ScheduleCandidate* c : frontier)
    {
        if (area.h < painter.px(30))
        {
            break;
        }
        row = area.cut_top(painter.px(28));
        painter.line(row.x, row.bottom(), row.right(), row.bottom(), t.grid);
        const Press pressed = press(painter, row,
                                    fmt::format("###take {} {} {}", c->scenario.training.schedule->id,
                                                c->scenario.parallel.chunks, c->scenario.training.micro_batch)
                                        .c_str(),
                                    3);
        const bool fits = c->memory <= limit(frame);
        const Colour ink = pressed.hovered || c == best ? t.text : t.muted;
        painter.text_within(row.x, row.middle(), painter.px(88), c == best ? Type::small_strong : Type::small,
                            ink,
                            c->scenario.training.micro_batch == frame.now.scenario.training.micro_batch
                                ? name_of(*c)
                                : fmt::format("{}, b {}", name_of(*c), c->scenario.training.micro_batch));
        painter.text(row.x + painter.px(136), row.middle(), Type::mono_small, ink, format_percent(c->bubble),
                     Align::right);
        painter.text(row.right(), row.middle(), Type::mono_small, fits ? ink : t.warning,
                     (fits ? "" : "\u2715 ") + format_bytes(c->memory, frame.preferences.unit), Align::right);
        if (pressed.clicked)
        {
            take(*c, out);
        }
    }
    return true;
}

void FrontierView::keys(const Frame& frame, Out& out)
{
    const bool chosen = frame.now.scenario.parallel.pipeline > 1 && search(frame).done();
    if (chosen && ImGui::IsKeyPressed(ImGuiKey_Enter) && !ImGui::IsAnyItemFocused())
    {
        if (const ScheduleCandidate* best = search(frame).best(limit(frame)))
        {
            take(*best, out);
        }
    }
    if (ImGui::IsKeyPressed(ImGuiKey_G))
    {
        limit_.reset();
        out.animating = true;
    }
}

constexpr std::array<std::string_view, 7> kControls{"pipeline",
                                                    "micro_batches",
                                                    "parallel.zero",
                                                    "stage_times.forward",
                                                    "stage_times.backward_input",
                                                    "stage_times.backward_weight",
                                                    "stage_times.transfer"};
constexpr std::array kKeys{KeyHelp{"Enter", "Train with the best"},
                           KeyHelp{"G", "The limit is the GPU's memory again"},
                           KeyHelp{"drag", "The memory limit"}, KeyHelp{"click", "Train with this one"}};

} // namespace

extern const ViewInfo frontier_view;
const ViewInfo frontier_view{
    21,
    "frontier",
    "Pipelines",
    "Best fit",
    "Which schedule fits, and idles least?",
    "Bubble against memory for every schedule and micro-batch size; the best within a limit",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<FrontierView>()); }};

} // namespace ringside
