#include "ui/views/step/picture.h"

#include <fmt/format.h>

#include "ui/views/step/words.h"
#include "ui/widgets/cluster_map.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

constexpr float kPhases = 22; // [design px] the line above the lanes
constexpr std::array<std::string_view, kStepLanes> kLaneNames{"compute", "in the layers", "inside node",
                                                              "between nodes"};

bool shown(const StepLife& life, std::size_t lane)
{
    return lane != static_cast<std::size_t>(StepLane::layers) || life.busy_on(StepLane::layers) > 0;
}

// Rows from the top; one for each lane on show.
std::size_t row_of(const StepLife& life, std::size_t lane)
{
    return lane > 1 && !shown(life, 1) ? lane - 1 : lane;
}

class Drawing
{
public:
    Drawing(const Painter& painter, Rect field, const StepLife& life, TimeWindow window,
            const StepStyle& style)
        : p_(painter), field_(field), life_(life), window_(window), style_(style)
    {
        gap_ = style.pitch > p_.px(16) ? std::min(p_.px(10), style.pitch * 0.22F) : 1.0F;
    }

    std::optional<std::size_t> draw()
    {
        draw_waits();
        std::array<float, kStepLanes> drawn{}; // right end of what is drawn on each lane
        drawn.fill(-1e9F);
        const ImVec2 mouse = ImGui::GetIO().MousePos;
        const bool inside = ImGui::IsWindowHovered() && field_.contains(mouse);
        std::optional<std::size_t> hovered;
        for (std::size_t i = 0; i < life_.tasks.size(); ++i)
        {
            const StepTask& task = life_.tasks[i];
            Rect cell = cell_of(task);
            if (task.end <= task.start || cell.right() < field_.x || cell.x > field_.right())
            {
                continue;
            }
            float& end = drawn[static_cast<std::size_t>(task.lane)];
            if (cell.right() < end + 0.5F)
            {
                continue; // within a pixel that is drawn
            }
            end = cell.right();
            cell.w = std::max(1.0F, cell.w);
            draw_cell(cell, task);
            if (inside && cell.contains({mouse.x, mouse.y}))
            {
                hovered = i;
            }
        }
        draw_lit();
        return hovered;
    }

private:
    float lane_y(std::size_t lane) const
    {
        return field_.y + style_.pitch * static_cast<float>(row_of(life_, lane));
    }

    Rect cell_of(const StepTask& task) const
    {
        const float x = window_.x(field_, task.start);
        return {x, lane_y(static_cast<std::size_t>(task.lane)), window_.x(field_, task.end) - x,
                style_.pitch - gap_};
    }

    // Where compute waits: a band over all lanes, hatched on the compute lane.
    void draw_waits() const
    {
        for (std::size_t lane = 0; lane < kStepLanes; ++lane)
        {
            p_.fill({field_.x, lane_y(lane), shown(life_, lane) ? field_.w : 0, style_.pitch - gap_},
                    p_.theme.panel);
        }
        double at = 0;
        for (const StepTask& task : life_.tasks)
        {
            if (task.lane == StepLane::compute)
            {
                draw_wait(at, task.start);
                at = task.end;
            }
        }
        draw_wait(at, life_.total);
    }

    void draw_wait(double from, double to) const
    {
        const float x1 = std::max(field_.x, window_.x(field_, from));
        const float x2 = std::min(field_.right(), window_.x(field_, to));
        if (x2 - x1 < 0.5F)
        {
            return;
        }
        for (std::size_t lane = 1; lane < kStepLanes; ++lane)
        {
            // Where nothing is sent, there is nothing to wait for.
            p_.fill({x1, lane_y(lane), life_.busy[lane] > 0 ? x2 - x1 : 0, style_.pitch - gap_},
                    with_alpha(p_.theme.data.fill, 0.10F));
        }
        draw_exposed(p_, {x1, field_.y, std::max(1.0F, x2 - x1), style_.pitch - gap_});
        const std::string words = format_seconds(Seconds(to - from));
        const float w = p_.width(Type::small_strong, words) + p_.px(8);
        if (w < x2 - x1 - p_.px(4) && style_.pitch - gap_ > p_.px(18))
        {
            const float middle = field_.y + (style_.pitch - gap_) / 2;
            p_.fill({(x1 + x2 - w) / 2, middle - p_.px(9), w, p_.px(18)}, p_.theme.window, p_.px(4));
            p_.text((x1 + x2) / 2, middle, Type::small_strong, p_.theme.text, words, Align::centre);
        }
    }

    void draw_cell(Rect r, const StepTask& task) const
    {
        const Theme& t = p_.theme;
        // A hair between neighbours, where there is room for one.
        const Rect body{r.x, r.y, r.w > 4 ? r.w - 1 : r.w, r.h};
        Ink ink = axis_ink(t, task.axis);
        switch (task.kind)
        {
        case StepKind::forward:
            ink = t.forward;
            p_.fill(body, ink.fill);
            break;
        case StepKind::backward:
            ink = t.backward_input;
            p_.fill({body.x, body.y, body.w / 2, body.h}, ink.fill);
            p_.fill({body.x + body.w / 2, body.y, body.w - body.w / 2, body.h}, t.backward_weight.fill);
            break;
        case StepKind::optimizer:
            ink = t.of(Component::momentum);
            p_.fill(body, ink.fill);
            break;
        case StepKind::all_gather:
            p_.fill(body, ink.fill);
            break;
        case StepKind::reduce_scatter:
            p_.fill(body, scatter_colour(t, task.axis));
            break;
        case StepKind::all_reduce:
            p_.fill({body.x, body.y, body.w, body.h / 2}, scatter_colour(t, task.axis));
            p_.fill({body.x, body.y + body.h / 2, body.w, body.h - body.h / 2}, ink.fill);
            break;
        case StepKind::all_to_all:
        case StepKind::ring:
            p_.fill(body, ink.fill);
            break;
        }
        if (ink.edge != 0 && body.w > p_.px(5))
        {
            p_.outline(body, ink.edge);
        }
        draw_label(body, task, ink);
        if (style_.marked && task.start <= style_.clock && style_.clock < task.end && r.w > 3)
        {
            p_.outline(body, t.text, p_.px(2));
        }
    }

    void draw_label(Rect r, const StepTask& task, const Ink& ink) const
    {
        const std::string name = task.kind == StepKind::optimizer ? "optimizer"
                                 : task.layer == kWholeModel      ? "all"
                                                                  : short_name_of_unit(task.layer);
        // What is cut off by the field's edges still has its name in sight.
        const float left = std::max(r.x, field_.x);
        const float room =
            (task.kind == StepKind::backward ? r.w / 2 : std::min(r.right(), field_.right()) - left);
        if (room < p_.px(10) || r.h < p_.px(15))
        {
            return;
        }
        const float centre = task.kind == StepKind::backward ? r.x + r.w / 4 : left + room / 2;
        const std::string longer = fmt::format("{} {}", name_of(task.kind), name);
        const bool spelled = task.lane != StepLane::compute;
        if (spelled && p_.width(Type::mono_small, longer) + p_.px(6) <= room)
        {
            p_.text(centre, r.middle(), Type::mono_small, ink.label, longer, Align::centre);
        }
        // One digit only where two would fit, so that neighbours are named alike.
        else if (std::max(p_.width(Type::mono_small, name), p_.width(Type::mono_small, "00")) + p_.px(3) <=
                 room)
        {
            p_.text(centre, r.middle(), Type::mono_small, ink.label, name, Align::centre);
        }
    }

    // The task under the mouse, and the one it waited for.
    void draw_lit() const
    {
        if (!style_.lit || *style_.lit >= life_.tasks.size())
        {
            return;
        }
        const StepTask& task = life_.tasks[*style_.lit];
        const Rect cell = cell_of(task);
        p_.outline({cell.x, cell.y, std::max(2.0F, cell.w), cell.h}, p_.theme.text, p_.px(2));
        if (task.waited_for < 0)
        {
            return;
        }
        const Rect cause = cell_of(life_.tasks[static_cast<std::size_t>(task.waited_for)]);
        p_.outline({cause.x, cause.y, std::max(2.0F, cause.w), cause.h}, p_.theme.text, p_.px(1.5F));
        const bool down = cell.y > cause.y;
        const float from = down ? cause.bottom() : cause.y;
        const float to = down ? cell.y : cell.bottom();
        p_.line(cell.x, from, cell.x, to, p_.theme.text, p_.px(2));
    }

    const Painter& p_;
    Rect field_;
    const StepLife& life_;
    TimeWindow window_;
    const StepStyle& style_;
    float gap_ = 0;
};

struct Phase
{
    double from = 0;
    double to = 0;
    std::string name;
    std::string brief;
};

// Runs of forwards, of backwards, and what comes after.
std::vector<Phase> phases_of(const StepLife& life)
{
    std::vector<Phase> phases;
    const StepTask* before = nullptr;
    double done = 0;
    const bool several = life.tasks.back().micro_batch > 0;
    for (const StepTask& task : life.tasks)
    {
        if (task.lane != StepLane::compute)
        {
            continue;
        }
        if (before == nullptr || before->kind != task.kind || before->micro_batch != task.micro_batch)
        {
            const bool last = task.kind == StepKind::optimizer;
            std::string name(name_of(task.kind));
            const std::string number = several && !last ? std::to_string(task.micro_batch) : "";
            const std::string brief(1, static_cast<char>(name[0] - 'a' + 'A'));
            phases.push_back({task.start, task.end,
                              number.empty() ? name : fmt::format("{} {}", name, number),
                              last ? "opt" : brief + number});
        }
        phases.back().to = task.end;
        done = task.end;
        before = &task;
    }
    if (life.total > done * (1 + 1e-9))
    {
        phases.push_back({done, life.total, "gather weights", "gather"});
    }
    return phases;
}

void draw_phases(const Painter& p, Rect row, const StepLife& life, TimeWindow window)
{
    float taken = row.x - 1;
    for (const Phase& phase : phases_of(life))
    {
        const float x1 = std::max(row.x, window.x(row, phase.from));
        const float x2 = std::min(row.right(), window.x(row, phase.to));
        if (x2 <= x1)
        {
            continue;
        }
        const float y = row.bottom() - p.px(4);
        p.line(x1, y, std::max(x1 + 1, x2 - p.px(2)), y, p.theme.line, p.px(2));
        for (const std::string& words : {phase.name, phase.brief})
        {
            if (x1 >= taken && p.width(Type::small, words) <= x2 - x1)
            {
                p.text(x1, y - p.px(10), Type::small, p.theme.muted, words);
                taken = x1 + p.width(Type::small, words) + p.px(4);
                break;
            }
        }
    }
}

// Why a lane of the wire has nothing to do.
std::string_view why_empty(const StepLife& life, std::size_t lane)
{
    const StepGroup& g = life.groups[life.groups[0].ranks > 1 ? 0 : 1];
    if (g.ranks <= 1)
    {
        return "one replica has nobody to add gradients up with";
    }
    if (lane == static_cast<std::size_t>(StepLane::between))
    {
        return "all replicas sit in one node";
    }
    return g.links.per_node <= 1 ? "no two replicas share a node: tensor parallelism has these links"
                                 : "one ring through all nodes: the network sets its pace";
}

void draw_names(const Painter& p, Rect area, const StepLife& life, const StepStyle& style)
{
    const float gap = style.pitch > p.px(16) ? std::min(p.px(10), style.pitch * 0.22F) : 1.0F;
    for (std::size_t lane = 0; lane < kStepLanes; ++lane)
    {
        if (!shown(life, lane))
        {
            continue;
        }
        const float top = area.y + style.pitch * static_cast<float>(row_of(life, lane));
        const float middle = top + (style.pitch - gap) / 2;
        const bool two = style.pitch - gap >= p.px(32);
        const float room = style.label - p.px(8);
        p.text_within(area.x, two ? middle - p.px(9) : middle, room, Type::small, p.theme.text,
                      kLaneNames[lane]);
        if (two)
        {
            p.text_within(area.x, middle + p.px(9), room, Type::small, p.theme.muted, style.rate[lane]);
        }
        if (life.busy[lane] == 0 && lane >= static_cast<std::size_t>(StepLane::inside))
        {
            const float x = area.x + style.label + p.px(8);
            const std::string words =
                p.shortened(Type::small, why_empty(life, lane), area.w - style.label - p.px(16));
            p.fill({x, middle - p.px(8), p.width(Type::small, words), p.px(16)}, p.theme.panel);
            p.text(x, middle, Type::small, p.theme.muted, words);
        }
    }
}

} // namespace

void draw_exposed(const Painter& painter, Rect r)
{
    const Ink& ink = painter.theme.data;
    painter.fill(r, with_alpha(ink.fill, 0.16F));
    painter.hatch(r, ink.edge != 0 ? ink.edge : ink.fill, kExposedHatch);
}

void draw_clock_line(const Painter& painter, Rect field, TimeWindow window, double t)
{
    const float x = window.x(field, t);
    if (x >= field.x && x <= field.right())
    {
        painter.dashed(x, field.y, x, field.bottom(), painter.theme.text, 1);
    }
}

std::size_t step_rows(const StepLife& life)
{
    return shown(life, 1) ? kStepLanes : kStepLanes - 1;
}

float step_lanes_height(const Painter& painter, const StepLife& life, float pitch)
{
    return painter.px(kPhases) + pitch * static_cast<float>(step_rows(life));
}

std::optional<std::size_t> draw_step_lanes(const Painter& p, Rect area, const StepLife& life,
                                           TimeWindow window, const StepStyle& style)
{
    const Rect phases = area.cut_top(p.px(kPhases));
    draw_phases(p, {phases.x + style.label, phases.y, phases.w - style.label, phases.h}, life, window);
    const Rect field{area.x + style.label, area.y, area.w - style.label,
                     style.pitch * static_cast<float>(step_rows(life))};
    p.list.PushClipRect({field.x, field.y - p.px(2)}, {field.right() + 1, field.bottom() + p.px(2)}, true);
    const auto hovered = Drawing(p, field, life, window, style).draw();
    p.list.PopClipRect();
    draw_clock_line(p, field, window, style.clock);
    draw_names(p, area, life, style);
    return hovered;
}

} // namespace ringside
