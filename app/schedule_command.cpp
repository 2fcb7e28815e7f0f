#include "app/schedule_command.h"

#include <fmt/format.h>

#include "app/files.h"
#include "app/input.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

using nlohmann::json;

const ScheduleInfo* find_schedule(std::string_view id)
{
    const auto all = schedules();
    const auto found =
        std::find_if(all.begin(), all.end(), [id](const ScheduleInfo& s) { return s.id == id; });
    return found == all.end() ? nullptr : &*found;
}

Issues check(const ScheduleOptions& o)
{
    Issues issues;
    if (find_schedule(o.kind) == nullptr)
    {
        std::vector<std::string> ids;
        for (const ScheduleInfo& info : schedules())
        {
            ids.emplace_back(info.id);
        }
        const std::string near = nearest_word(o.kind, ids);
        issues.push_back({"--kind", fmt::format("there is no schedule \u201c{}\u201d", o.kind),
                          near.empty() ? fmt::format("use one of {}", fmt::join(ids, ", "))
                                       : "did you mean " + near + "?"});
    }
    const auto positive = [&](const char* name, std::int64_t value)
    {
        if (value < 1)
        {
            issues.push_back({name, fmt::format("{} is not a count", value), "use 1 or more"});
        }
    };
    positive("--stages", o.shape.stages);
    positive("--micro-batches", o.shape.micro_batches);
    positive("--chunks", o.shape.chunks);
    const auto time = [&](const char* name, double value, double least)
    {
        if (!std::isfinite(value) || value < least || value > 1e9)
        {
            issues.push_back(
                {name, fmt::format("{} is no time", value), fmt::format("use {} to 1e9", least)});
        }
    };
    time("--forward", o.times.forward, 1e-9);
    time("--backward-input", o.times.backward_input, 0);
    time("--backward-weight", o.times.backward_weight, 0);
    time("--transfer", o.times.transfer, 0);
    const double operations = 2.0 * static_cast<double>(o.shape.stages) *
                              static_cast<double>(o.shape.micro_batches) *
                              static_cast<double>(o.shape.chunks);
    if (issues.empty() && operations > static_cast<double>(kMostOperations))
    {
        issues.push_back({"--micro-batches", fmt::format("{:.3g} operations", operations),
                          "at most 4 000 000 are simulated"});
    }
    return issues;
}

json to_json(const ScheduleOptions& o, const Order& order, const Timeline& timeline)
{
    json ranks = json::array();
    for (const auto& rank : order)
    {
        json names = json::array();
        for (const Operation& operation : rank)
        {
            names.push_back(to_text(operation));
        }
        ranks.push_back(std::move(names));
    }
    json events = json::array();
    for (const Event& e : timeline.events)
    {
        events.push_back({{"rank", e.rank},
                          {"op", e.operation.pass == Pass::forward ? "F" : "B"},
                          {"stage", e.operation.stage},
                          {"micro_batch", e.operation.micro_batch},
                          {"start", e.start},
                          {"end", e.end}});
    }
    return {{"kind", o.kind},
            {"stages", o.shape.stages},
            {"micro_batches", o.shape.micro_batches},
            {"chunks", o.shape.chunks},
            {"ranks", std::move(ranks)},
            {"makespan", timeline.makespan},
            {"bubble_over_ideal", timeline.bubble_over_ideal()},
            {"bubble_of_total", timeline.bubble_of_total()},
            {"peak_in_flight", timeline.peak_in_flight},
            {"events", std::move(events)}};
}

// The trace event format (complete events, microseconds; one unit of time is one millisecond).
std::string to_chrome_trace(const Timeline& timeline)
{
    json events = json::array();
    for (std::size_t rank = 0; rank < timeline.ranks(); ++rank)
    {
        events.push_back({{"name", "thread_name"},
                          {"ph", "M"},
                          {"pid", 0},
                          {"tid", rank},
                          {"args", {{"name", fmt::format("stage {}", rank)}}}});
    }
    for (const Event& e : timeline.events)
    {
        const bool forward = e.operation.pass == Pass::forward;
        events.push_back(
            {{"name", fmt::format("{}{}", forward ? "F" : "B", e.operation.micro_batch)},
             {"cat", forward ? "forward" : "backward"},
             {"ph", "X"},
             {"pid", 0},
             {"tid", e.rank},
             {"ts", e.start * 1000},
             {"dur", (e.end - e.start) * 1000},
             {"args", {{"stage", e.operation.stage}, {"micro_batch", e.operation.micro_batch}}}});
    }
    return json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

// Lanes in the light theme's colours, with room for labels where a block is wide enough.
std::string to_svg(const Timeline& timeline, const StageTimes& times)
{
    constexpr double kLabel = 72;
    constexpr double kLane = 28;
    constexpr double kPitch = 36;
    const double unit = std::max(2.0, 1200 / timeline.makespan);
    const double width = kLabel + unit * timeline.makespan + 16;
    const double height = kPitch * static_cast<double>(timeline.ranks()) + 16;
    std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
                                  "font-family=\"Inter, sans-serif\" font-size=\"14\">\n"
                                  "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                                  width, height);
    const auto box = [&](double x, double y, double w, const char* colour)
    {
        out +=
            fmt::format("<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"{}\"/>\n",
                        x, y, w, kLane, colour);
    };
    const double share =
        times.backward_input / std::max(1e-300, times.backward_input + times.backward_weight);
    for (std::size_t rank = 0; rank < timeline.ranks(); ++rank)
    {
        const double y = 8 + kPitch * static_cast<double>(rank);
        out += fmt::format("<text x=\"8\" y=\"{:.0f}\" fill=\"#4c5865\">stage {}</text>\n", y + 19, rank);
        box(kLabel, y, unit * timeline.makespan, "#e8ecf0");
        for (const Event& e : timeline.rank(rank))
        {
            const double x = kLabel + unit * e.start;
            const double w = unit * (e.end - e.start);
            const bool forward = e.operation.pass == Pass::forward;
            box(x, y, std::max(0.5, (forward ? w : w * share) - (forward ? 1 : 0)),
                forward ? "#3370d7" : "#48bc91");
            if (!forward)
            {
                box(x + w * share, y, std::max(0.5, w * (1 - share) - 1), "#e5cd34");
            }
            if (w >= 20)
            {
                out += fmt::format(
                    "<text x=\"{:.2f}\" y=\"{:.0f}\" fill=\"{}\" text-anchor=\"middle\">{}</text>\n",
                    x + (forward ? w : w * share) / 2, y + 19, forward ? "#ffffff" : "#000000",
                    e.operation.micro_batch);
            }
        }
    }
    return out + "</svg>\n";
}

void print_table(const ScheduleOptions& o, const Timeline& timeline)
{
    const ScheduleInfo& info = *find_schedule(o.kind);
    fmt::print("{}, {} stages, {} micro-batches, {} chunk{} a stage\n{}\n\n", info.name, o.shape.stages,
               o.shape.micro_batches, o.shape.chunks, o.shape.chunks == 1 ? "" : "s", info.says);
    fmt::print("makespan           {}\nbubble of total    {}\nbubble over ideal  {}\npeak in flight    ",
               three_digits(timeline.makespan), format_percent(timeline.bubble_of_total()),
               format_percent(timeline.bubble_over_ideal()));
    for (const std::int64_t peak : timeline.peak_in_flight)
    {
        fmt::print(" {}", peak);
    }
    fmt::print("\n");
}

} // namespace

int run_schedule(const CommonOptions& common, const ScheduleOptions& options)
{
    Issues issues = check(options);
    if (has_errors(issues))
    {
        return print_faults(issues);
    }
    const auto order = make_order(find_schedule(options.kind)->kind, options.shape);
    if (!order)
    {
        return print_faults(order.issues());
    }
    const auto timeline = simulate(*order, equal_costs(options.shape, options.times));
    if (!timeline)
    {
        return print_faults(timeline.issues());
    }
    for (const auto& [file, text] :
         {std::pair(options.svg, options.svg.empty() ? std::string() : to_svg(*timeline, options.times)),
          std::pair(options.chrome_trace,
                    options.chrome_trace.empty() ? std::string() : to_chrome_trace(*timeline))})
    {
        if (!file.empty())
        {
            const Issues saved = save_text(file, text);
            issues.insert(issues.end(), saved.begin(), saved.end());
        }
    }
    if (has_errors(issues))
    {
        return print_faults(issues);
    }
    if (common.json)
    {
        fmt::print("{}\n", to_json(options, *order, *timeline).dump());
        return kDone;
    }
    print_table(options, *timeline);
    return kDone;
}

} // namespace ringside
