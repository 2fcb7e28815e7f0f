#include <fmt/format.h>

#include "core/base/text.h"
#include "ui/views/network/step/pictures.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

std::string say_task(const StepLife& life, const StepTask& task)
{
    if (task.kind == StepKind::optimizer)
    {
        return "optimizer step";
    }
    const std::string of = units_in_words(task.from, task.layer);
    const bool several = life.tasks.back().micro_batch > 0;
    const std::string axis = task.axis == Axis::data ? "" : fmt::format("{} ", name_of(task.axis));
    return fmt::format("{}{} of {}{}", axis, name_of(task.kind), of,
                       several ? fmt::format(", micro-batch {}", task.micro_batch) : "");
}

} // namespace

std::string short_name_of_unit(std::int64_t layer)
{
    return layer == kEmbeddingUnit ? "emb" : layer == kHeadUnit ? "head" : std::to_string(layer);
}

void step_tip(const Painter& painter, Rect bounds, const StepLife& life, std::size_t index)
{
    const StepTask& task = life.tasks[index];
    std::vector<TipLine> lines = tip_times(task.start, task.end);
    if (task.lane != StepLane::compute)
    {
        lines.push_back({"message", format_bytes(task.message, painter.look.unit), 0});
        lines.push_back({"sent by this rank", format_bytes(task.sent, painter.look.unit), 0});
    }
    std::string why = task.start > 0 ? "started as soon as its lane was free" : "starts the step";
    if (task.waited_for >= 0)
    {
        why = fmt::format("waited {} for {}", format_seconds(Seconds(task.start - task.free)),
                          say_task(life, life.tasks[static_cast<std::size_t>(task.waited_for)]));
    }
    draw_task_tip(painter, bounds, say_task(life, task), lines, why);
}

namespace
{

// ", 92% of it for tensor": where a layer's own axis is what compute waits for most.
std::string most_waited(const StepLife& life)
{
    for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert})
    {
        const double share = life.exposed > 0 ? life.waited_for(axis) / life.exposed : 0;
        if (share > 0.5)
        {
            return fmt::format(", {} of it {} parallelism", format_percent(share), name_of(axis));
        }
    }
    return "";
}

} // namespace

std::string say_step(const StepLife& life, const StepOptions& options, ByteUnit unit)
{
    const double sending = life.wire() + life.busy_on(StepLane::layers);
    const std::string_view name = name_of(options.strategy);
    const std::string sent = format_bytes(life.all_sent(), unit);
    if (!options.overlap)
    {
        return fmt::format("{} sends {} per rank without overlap: **{} of {} is exposed**.", name, sent,
                           format_seconds(Seconds(life.exposed)), format_seconds(Seconds(life.total)));
    }
    const double hidden = std::max(0.0, sending - life.exposed);
    return fmt::format("{} sends {} per rank; of {} of communication {} is overlapped, **{} exposed**{}.",
                       name, sent, format_seconds(Seconds(sending)), format_seconds(Seconds(hidden)),
                       format_seconds(Seconds(life.exposed)), most_waited(life));
}

std::string say_moment(const StepLife& life, double t, ByteUnit unit)
{
    std::string works;
    std::string moves;
    for (const StepTask& task : life.tasks)
    {
        if (task.start <= t && t < task.end)
        {
            std::string& line = task.lane == StepLane::compute ? works : moves;
            line += (line.empty() ? "" : " and ") + say_task(life, task);
        }
    }
    const auto next = std::upper_bound(life.held.begin(), life.held.end(), t,
                                       [](double at, const StepHeld& h) { return at < h.t; });
    const StepHeld& held = next == life.held.begin() ? life.held.front() : *std::prev(next);
    const std::string now = format_seconds(Seconds(t));
    if (works.empty())
    {
        return fmt::format("At {} compute **waits** for {}.", now, moves.empty() ? "nothing more" : moves);
    }
    return fmt::format("At {}: **{}**; {}; {} unsharded.", now, works,
                       moves.empty() ? "link idle" : "overlapped with " + moves,
                       format_bytes(held.weights + held.gradients, unit));
}

} // namespace ringside
