// The page of the step, and what every page of a run has: its sentence, its panel, its caption.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/runs/predicted/predicted_snapshot.h"
#include "core/runs/predicted/predicted_trace.h"
#include "ui/views/lab/run/pages.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr double kExplained = 0.05; // unexplained of the step, below which it may become a software
constexpr float kLeastLanes = 190;  // [design px]
constexpr std::size_t kMostFields = 60;

bool shows_curve(const RunRoom& r, const RunPicture& picture)
{
    return r.frame.run->run.log && (r.state.curve || picture.steps.empty());
}

void draw_run_step(const RunRoom& r)
{
    if (r.frame.run == nullptr)
    {
        draw_no_run(r);
        return;
    }
    const RunPicture& picture = r.state.picture(r.frame);
    Rect area = r.area;
    draw_opening(r, area);
    say_run(r, area);
    const float rows = run_rows_height(r.p, picture, r.state.from_run);
    const float lower = std::max(0.0F, std::min(rows, area.h - r.p.px(kLeastLanes + 12)));
    if (lower > r.p.px(80))
    {
        draw_difference(r, area.cut_bottom(lower), picture);
        area.cut_bottom(r.p.px(12));
    }
    shows_curve(r, picture) ? draw_run_curve(r, area, picture) : draw_run_lanes(r, area, picture);
}

std::string value_words(const nlohmann::json& value)
{
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// Who says what of the scenario; what nobody said is guessed and asked for.
void draw_fields(PanelColumn& column, const RunFrame& run)
{
    if (!run.launch)
    {
        column.note(
            "Its files state nothing of the scenario: set model, GPUs and layout above, or drop its launch "
            "file or a log with its arguments, too.");
        return;
    }
    if (!run.stated)
    {
        column.note(
            "Its files do not state model and GPUs, so it is compared with your scenario. Drop its launch "
            "file beside it, or set them above.");
    }
    column.heading("Scenario, by its files");
    std::size_t count = 0;
    for (const bool guessed : {false, true})
    {
        for (const ReadField& field : run.launch->fields)
        {
            if ((field.from == Basis::guessed) == guessed && count++ < kMostFields)
            {
                const std::string value = value_words(field.value);
                column.fact(field.field, guessed ? value + " ?" : value,
                            fmt::format("{}: {}", name_of(field.from), field.by),
                            guessed ? FactInk::warned : FactInk::plain);
            }
        }
    }
}

void draw_run_buttons(PanelColumn& column, const RunRoom& r, const RunPicture& picture)
{
    const RunFrame& run = *r.frame.run;
    const double unexplained = picture.compared.unexplained();
    const bool timed = measured_step_seconds(run.run) > 0;
    if (timed && unexplained < kExplained && column.button("Use this as my software###run software"))
    {
        r.out.push(RunCommand::software);
    }
    if (timed && unexplained >= kExplained)
    {
        column.note(
            fmt::format("{} of the step is unexplained: below {} it can become a software of your own.",
                        format_percent(unexplained), format_percent(kExplained)));
    }
    if (timed && column.button(r.frame.run->other ? "Forget the kept run###run kept"
                                                  : "Keep, to compare with the next###run kept",
                               "K"))
    {
        r.out.push(run.other ? RunCommand::forget : RunCommand::keep);
    }
    if (column.button("Save the predicted trace###run trace"))
    {
        r.out.push(SaveText{"predicted.pt.trace.json",
                            kineto_text(predicted_trace(r.frame.now.scenario, *r.frame.now.report))});
    }
    if (column.button("Save the predicted snapshot###run snapshot"))
    {
        r.out.push(SaveText{"predicted_snapshot.pickle",
                            pickle_of(predicted_snapshot(r.frame.now.scenario, *r.frame.now.report))});
    }
    if (column.button("Close this run###run close"))
    {
        r.out.push(RunCommand::close);
    }
}

void draw_run_choices(PanelColumn& column, const RunRoom& r, const RunPicture& picture)
{
    MyRunState& state = r.state;
    if (r.frame.run->run.log && !picture.steps.empty())
    {
        column.choice({"Trace", "Log"}, state.curve);
    }
    if (!picture.between.empty())
    {
        column.choice({"From the engine", "From the kept run"}, state.from_run);
    }
    const std::vector<GpuTrace>& traces = r.frame.run->run.traces;
    if (traces.size() > 1)
    {
        const std::size_t rank = std::min(state.rank, traces.size() - 1);
        column.slide("Rank", fmt::format("{}", traces[rank].rank),
                     Track::even(0, static_cast<double>(traces.size() - 1), say_whole), state.rank);
    }
    if (picture.steps.size() > 1)
    {
        const auto last = static_cast<double>(picture.steps.size() - 1);
        column.slide("Step", picture.names[std::min(state.step, picture.steps.size() - 1)],
                     Track::even(0, last, say_whole), state.step);
    }
}

} // namespace

void say_run(const RunRoom& r, Rect& area)
{
    const bool stated = r.frame.run->stated;
    const std::string compared = stated ? r.state.picture(r.frame).compared.says : "";
    const std::string files =
        sentence_of(r.frame.run->run) +
        (stated ? "" : " Its files do not state the model: set the scenario, which it is compared with.");
    const std::string strong = compared.empty() ? "" : "**" + compared + "**";
    const float most = area.h * 0.3F;
    for (const std::string& text : {strong + (strong.empty() ? "" : " ") + files, strong})
    {
        const float high = words_height(r.p, area.w, Type::body, text);
        if (!text.empty() && high <= most)
        {
            const Rect row = area.cut_top(high);
            r.p.part("sentence", row);
            r.p.rich(row, Type::body, Type::body_strong, r.p.theme.text, text);
            area.cut_top(r.p.px(12));
            return;
        }
    }
}

void panel_run(PanelColumn& column, const RunRoom& r)
{
    if (r.frame.run == nullptr)
    {
        column.note("Drop files on the window, or paste a log.");
        if (column.button("Open the example###run example", "E", ButtonStyle::primary))
        {
            r.out.push(RunCommand::example);
        }
        return;
    }
    const RunFrame& run = *r.frame.run;
    const RunPicture& picture = r.state.picture(r.frame);
    column.heading(run.name, run.example ? "an example, made up" : run.run.kind);
    draw_run_choices(column, r, picture);
    draw_run_buttons(column, r, picture);
    draw_fields(column, run);
    for (const std::string& message : run.run.messages)
    {
        column.note(message);
    }
}

Caption caption_run(const Frame& frame, MyRunState& state)
{
    if (frame.run == nullptr)
    {
        const double predicted = frame.now.report->step.total();
        return {
            fmt::format("The engine says **{}** a step; drop your run\u2019s log or trace to see it beside.",
                        format_seconds(Seconds{predicted})),
            "", ""};
    }
    const RunPicture& picture = state.picture(frame);
    const double measured = measured_step_seconds(frame.run->run);
    const double predicted = frame.now.report->step.total();
    Caption caption;
    if (measured <= 0)
    {
        caption.sentence = "These files do not say how long a step takes.";
        return caption;
    }
    const bool inside = picture.band.holds(measured / predicted);
    caption.sentence =
        fmt::format("Measured **{}**, predicted **{}**: {} the band of {} to {}.",
                    format_seconds(Seconds{measured}), format_seconds(Seconds{predicted}),
                    inside ? "inside" : "!!outside!!", format_seconds(Seconds{predicted * picture.band.low}),
                    format_seconds(Seconds{predicted * picture.band.high}));
    caption.formula = fmt::format("measured / predicted = {:.3f};  unexplained = {} of the step",
                                  measured / predicted, format_percent(picture.compared.unexplained()));
    caption.source = "Kernels count by their names, communication by its process group; lengths are unions "
                     "of intervals, as "
                     "TraceLens counts them (gpu_timeline). A log says how long a step is and not of what, "
                     "so all that differs "
                     "is unexplained. The median leaves out the warm-up: 10 steps of 20 or more.";
    return caption;
}

const Page<MyRunState> run_step_page{"Step", draw_run_step, panel_run, caption_run, nullptr, "My run"};

} // namespace ringside
