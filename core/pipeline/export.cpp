#include "core/pipeline/export.h"

#include <fmt/format.h>

#include "core/base/json/json.h"
#include "core/base/scale.h"
#include "core/base/text/text.h"
#include "core/base/text/xml.h"

#include <algorithm>
#include <cmath>

namespace ringside
{

namespace
{

using nlohmann::json;

constexpr double kLabel = 84;
constexpr double kLane = 28;
constexpr double kPitch = 34;
constexpr double kHeading = 34;
constexpr double kAxis = 36;
constexpr const char* kForward = "#3370d7";
constexpr const char* kInput = "#48bc91";
constexpr const char* kWeight = "#e5cd34";

// An SVG while it is written.
class Drawing
{
public:
    explicit Drawing(std::span<const NamedTimeline> timelines) : timelines_(timelines)
    {
        for (const NamedTimeline& t : timelines)
        {
            longest_ = std::max(longest_, t.timeline->makespan);
            height_ += kHeading + kPitch * static_cast<double>(t.timeline->ranks());
        }
        unit_ = 1200 / std::max(longest_, 1e-300);
    }

    std::string draw()
    {
        out_ = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"Inter, "
            "sans-serif\" font-size=\"14\">\n"
            "<defs><pattern id=\"idle\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"6\" height=\"6\" fill=\"#f4f6f8\"/><line x1=\"0\" "
            "y1=\"0\" x2=\"0\" y2=\"6\" stroke=\"#c5ccd4\" stroke-width=\"1.5\"/></pattern></defs>\n<rect "
            "width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            kLabel + 1200 + 24, height_ + kAxis);
        double y = 0;
        for (const NamedTimeline& t : timelines_)
        {
            y = draw_timeline(t, y);
        }
        draw_axis(y);
        return out_ + "</svg>\n";
    }

private:
    double draw_timeline(const NamedTimeline& named, double y)
    {
        const Timeline& t = *named.timeline;
        out_ += fmt::format("<text x=\"8\" y=\"{:.0f}\" font-weight=\"600\">{}</text><text x=\"{:.0f}\" "
                            "y=\"{:.0f}\" fill=\"#4c5865\">{} units, {} of total is idle</text>\n",
                            y + 22, escaped_xml(named.name),
                            16 + 9.0 * static_cast<double>(named.name.size()) + 8, y + 22,
                            three_digits(t.makespan), format_percent(t.bubble_of_total()));
        y += kHeading;
        for (std::size_t rank = 0; rank < t.ranks(); ++rank, y += kPitch)
        {
            out_ +=
                fmt::format("<text x=\"8\" y=\"{:.0f}\" fill=\"#4c5865\">stage {}</text>\n", y + 19, rank);
            box(kLabel, y, unit_ * t.makespan, "url(#idle)");
            for (const Event& e : t.rank(rank))
            {
                draw_event(e, y, named.input_share);
            }
        }
        return y;
    }

    void draw_event(const Event& e, double y, double share)
    {
        const double x = kLabel + unit_ * e.start;
        const double w = unit_ * (e.end - e.start);
        const double gap = w > 3 ? 1 : 0;
        const Pass pass = e.operation.pass;
        double room = w;
        if (pass == Pass::backward)
        {
            room = w * share;
            box(x, y, room, kInput);
            box(x + room, y, w - room - gap, kWeight);
        }
        else
        {
            box(x, y, w - gap, pass == Pass::forward ? kForward : pass == Pass::input ? kInput : kWeight);
        }
        const std::string number = std::to_string(e.operation.micro_batch);
        if (room >= 6 + 9 * static_cast<double>(number.size()))
        {
            out_ +=
                fmt::format("<text x=\"{:.2f}\" y=\"{:.0f}\" fill=\"{}\" text-anchor=\"middle\">{}</text>\n",
                            x + room / 2, y + 19, pass == Pass::forward ? "#ffffff" : "#000000", number);
        }
    }

    void box(double x, double y, double w, const char* colour)
    {
        out_ +=
            fmt::format("<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\" fill=\"{}\"/>\n",
                        x, y, std::max(0.2, w), kLane, colour);
    }

    void draw_axis(double y)
    {
        const double step = round_step(std::max(longest_ / 15, 1e-300));
        for (double t = 0; t <= longest_ * (1 + 1e-9); t += step)
        {
            const double x = kLabel + unit_ * t;
            out_ += fmt::format(
                "<line x1=\"{0:.1f}\" y1=\"{1:.0f}\" x2=\"{0:.1f}\" y2=\"{2:.0f}\" stroke=\"#8b96a2\"/><text "
                "x=\"{0:.1f}\" y=\"{3:.0f}\" fill=\"#4c5865\" text-anchor=\"middle\">{4:g}</text>\n",
                x, y + 4, y + 9, y + 26, t);
        }
    }

    std::span<const NamedTimeline> timelines_;
    double longest_ = 0;
    double height_ = 0;
    double unit_ = 1;
    std::string out_;
};

constexpr std::size_t kMostArrows = 50'000;

void add_arrow(json& events, const Event& from, const Event& to, std::size_t process, std::size_t id)
{
    json flow{{"name", "waits for"}, {"cat", "path"}, {"ph", "s"}, {"id", id}, {"pid", process}};
    flow.update({{"tid", from.rank}, {"ts", from.end * 1000}});
    events.push_back(flow);
    flow.update({{"ph", "f"}, {"bp", "e"}, {"tid", to.rank}, {"ts", to.start * 1000}});
    events.push_back(std::move(flow));
}

void add_timeline(json& events, const NamedTimeline& named, std::size_t process, std::size_t& arrow)
{
    const Timeline& t = *named.timeline;
    const auto meta = [&](const char* what, std::size_t rank, std::string name)
    {
        events.push_back({{"name", what},
                          {"ph", "M"},
                          {"pid", process},
                          {"tid", rank},
                          {"args", {{"name", std::move(name)}}}});
    };
    meta("process_name", 0, named.name);
    for (std::size_t rank = 0; rank < t.ranks(); ++rank)
    {
        meta("thread_name", rank, fmt::format("stage {}", rank));
    }
    constexpr std::array kNames{"forward", "backward", "input gradient", "weight gradient"};
    for (const Event& e : t.events)
    {
        events.push_back(
            {{"name", fmt::format("{}{}", letter(e.operation.pass), e.operation.micro_batch)},
             {"cat", kNames.at(static_cast<std::size_t>(e.operation.pass))},
             {"ph", "X"},
             {"pid", process},
             {"tid", e.rank},
             {"ts", e.start * 1000},
             {"dur", (e.end - e.start) * 1000},
             {"args", {{"stage", e.operation.stage}, {"micro_batch", e.operation.micro_batch}}}});
        if (e.waited_for >= 0 && t.events.size() <= kMostArrows)
        {
            add_arrow(events, t.events[static_cast<std::size_t>(e.waited_for)], e, process, arrow++);
        }
    }
    for (std::size_t rank = 0; rank < t.ranks(); ++rank)
    {
        for (const StashStep& step : stash_over_time(t, rank))
        {
            events.push_back({{"name", fmt::format("kept on stage {}", rank)},
                              {"ph", "C"},
                              {"pid", process},
                              {"ts", step.t * 1000},
                              {"args", {{"micro-batches", step.held}}}});
        }
    }
}

} // namespace

std::string timeline_svg(std::span<const NamedTimeline> timelines)
{
    return Drawing(timelines).draw();
}

std::string timeline_trace(std::span<const NamedTimeline> timelines)
{
    json events = json::array();
    std::size_t arrow = 0;
    for (std::size_t i = 0; i < timelines.size(); ++i)
    {
        add_timeline(events, timelines[i], i, arrow);
    }
    return json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

} // namespace ringside
