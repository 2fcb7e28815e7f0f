// Calibration: measured steps against those predicted, before and after the GPU's constants are
// fitted to them.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/scenario/evidence.h"
#include "core/scenario/fields.h"
#include "ui/shell/frame/measured_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/scrolled_sheet.h"
#include "ui/widgets/sheet.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

class MeasuredView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;
};

std::string seconds_words(double value)
{
    return format_seconds(Seconds(value));
}

std::string error_words(double value)
{
    return std::abs(value) < 1e-9 ? "0%" : fmt::format("{:+g}%", std::round(value * 1000) / 10);
}

PlotAxis times_of(const CalibrationFit& fit)
{
    double least = 1e300;
    double most = 0;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        least = std::min(least, row.seconds);
        most = std::max(most, row.seconds);
    }
    return {std::max(least / 1.25, 1e-9), std::max(most * 1.25, 2e-9), PlotScale::log, "measured step time",
            seconds_words};
}

// As far up as down.
PlotAxis errors_of(const CalibrationFit& fit)
{
    double most = 0.15;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        most = std::max({most, std::abs(row.before) * 1.1, std::abs(row.after) * 1.1});
    }
    return {-most, most, PlotScale::linear, "predicted / measured \u2212 1; above 0: predicted too slow",
            error_words};
}

// The runs furthest off by their names; the others say theirs when they are pointed at.
void name_worst(Plot& plot, const CalibrationFit& fit)
{
    constexpr std::size_t kNamed = 6;
    constexpr std::size_t kLongest = 40; // a name, to stand beside its dot
    std::vector<CalibrationFit::RowErrors> rows = fit.rows;
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return std::abs(a.after) > std::abs(b.after); });
    rows.resize(std::min(rows.size(), kNamed));
    for (const CalibrationFit::RowErrors& row : rows)
    {
        if (row.name.size() <= kLongest)
        {
            plot.label({row.seconds, row.after}, row.name, &row == &rows.front());
        }
    }
}

void draw_chart(const Painter& p, Rect area, const MeasuredFrame& measured)
{
    const CalibrationFit& fit = measured.fit;
    const Theme& t = p.theme;
    Plot plot(p, area, times_of(fit), errors_of(fit),
              {.title = "Prediction error of each run",
               .note = measured.shipped
                           ? "shown: llm-foundry on H100; your own: Ctrl V. Ring: before fitting, "
                             "dot: after"
                           : "ring: before fitting, dot: after"});
    if (!plot)
    {
        return;
    }
    for (const double error : {0.1, -0.1})
    {
        plot.rule_y(error, {t.muted, 1, true});
    }
    plot.rule_y(0, {t.muted, 2});
    std::vector<PlotPoint> after;
    for (const CalibrationFit::RowErrors& row : fit.rows)
    {
        after.push_back({row.seconds, row.after});
        plot.line({{row.seconds, row.before}, after.back()}, {t.line, 1});
        plot.dot({row.seconds, row.before}, {t.text, 4, PlotShape::ring});
        plot.dot(after.back(), {t.text, 4});
    }
    name_worst(plot, fit);
    if (const PlotPick pick = plot.pick(after, "###measured runs"); pick.at)
    {
        const CalibrationFit::RowErrors& over = fit.rows[*pick.at];
        const std::array lines{TipLine{"measured", seconds_words(over.seconds)},
                               TipLine{"before", fmt::format("{:+.1f}%", over.before * 100)},
                               TipLine{"after fitting", fmt::format("{:+.1f}%", over.after * 100)}};
        plot.tip(over.name, lines);
    }
}

std::string example_table(const Scenario& s)
{
    return fmt::format("name,gpus,tensor,pipeline,micro_batch,global_batch,step_time_s\n"
                       "as planned,{},{},{},{},{},0.00\n",
                       s.cluster.gpus, s.parallel.tensor, s.parallel.pipeline, s.training.micro_batch,
                       s.training.global_batch);
}

void load_shipped(Out& out)
{
    out.push(to_action(FitMeasured{{}, true}));
}

// Before any run: what to do, and runs that come with the program.
void draw_empty(const Painter& p, Rect area, const Scenario& s, Out& out)
{
    area.w = std::min(area.w, p.px(760));
    ScrolledSheet sheet(p, area, "###measured empty");
    sheet->title("No measured runs yet");
    sheet->gap(8);
    sheet->say("Start with 32 published runs of MosaicML\u2019s llm-foundry on H100, 1 to 70 B parameters on "
               "up to 256 "
               "GPUs, or paste your own.");
    sheet->gap(12);
    const std::array load{KeyButton{"Load the llm-foundry runs###load shipped", "L",
                                    [&] { load_shipped(out); }, ImGuiKey_None, ButtonStyle::primary}};
    sheet->buttons(load);
    sheet->gap(20);
    sheet->say(
        "To paste your own (Ctrl V): a table with one row per run, fields of the scenario as columns, and "
        "the step time.");
    sheet->gap(12);
    const std::string example = example_table(s);
    sheet->boxed(p.theme.control, p.theme.control, 0, 12,
                 [&](Sheet& in)
                 {
                     const std::size_t end = example.find('\n') + 1;
                     in.figures(std::string_view(example).substr(0, end));
                     in.figures(std::string_view(example).substr(end));
                 });
    sheet->gap(12);
    const std::array copy{KeyButton{"Copy this table###measured copy", "", [&] {
                                        out.push(CopyText{example, "Copied a table to fill in"});
                                    }}};
    sheet->buttons(copy);
    sheet->gap(12);
    sheet->note(
        "Any field can be a column, by its path or last name; so can tokens_per_s and step_time_ms. What a "
        "row leaves out is taken from your scenario. A few constants of the GPU are then fitted, and the "
        "chart shows each run\u2019s error before and after.");
}

bool fitted(const CalibrationFit& fit, std::string_view name)
{
    return std::ranges::find(fit.constants, name) != fit.constants.end();
}

// The constants with one more, or without one.
void flip(const CalibrationFit& fit, std::string_view name, Out& out)
{
    FitMeasured next{fit.constants};
    if (std::erase(next.constants, name) == 0)
    {
        next.constants.emplace_back(name);
    }
    out.push(std::move(next));
}

void use(const Frame& frame, Out& out)
{
    ChangeScenario change{frame.now.scenario};
    change.scenario.cluster.gpu.calibration = frame.measured->fit.after;
    change.notice = "The scenario uses the fitted constants; Ctrl Z undoes it";
    out.push(std::move(change));
}

void MeasuredView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.measured == nullptr)
    {
        draw_empty(painter, area, frame.now.scenario, out);
        return;
    }
    draw_chart(painter, area, *frame.measured);
}

Caption MeasuredView::caption(const Frame& frame) const
{
    Caption caption;
    if (frame.measured == nullptr)
    {
        caption.sentence =
            "No measured runs yet: **load the llm-foundry runs**, or paste a table of your own.";
        return caption;
    }
    const CalibrationFit::SetErrors& all = frame.measured->fit.sets.front();
    const std::int64_t runs = all.after.n;
    caption.sentence = fmt::format("Over {} run{} the step time is off by **{}** on average before fitting, "
                                   "by **{}** after; the worst by {}.",
                                   runs, runs == 1 ? "" : "s", format_percent(all.before.mean),
                                   format_percent(all.after.mean), format_percent(all.after.max));
    caption.formula = fmt::format(
        "error = predicted / measured \u2212 1;  mean absolute error {} \u2192 {}, bias {:+.1f}%",
        format_percent(all.before.mean), format_percent(all.after.mean), all.after.signed_mean * 100);
    caption.source =
        "Fitted by Nelder and Mead 1965, doi 10.1093/comjnl/7.4.308, on a pseudo-Huber loss of the "
        "logarithm of predicted over measured, turning from quadratic to linear at 5%. Runs used for fitting "
        "say little about others: hold some out and paste them afterwards.";
    return caption;
}

std::string_view unit_words(std::string_view unit)
{
    return unit == "us" ? "\u00b5s" : unit;
}

// A switch for each constant that a data sheet does not give, with its value before and after where it is
// fitted.
void draw_constants(PanelColumn& column, const CalibrationFit& fit, Out& out)
{
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        const auto* member = std::get_if<double Calibration::*>(&field.member);
        if (member == nullptr || field.name == "multiprocessors")
        {
            continue;
        }
        bool on = fitted(fit, field.name);
        if (column.toggle(fmt::format("{0}###fit {0}", field.name).c_str(), on,
                          fmt::format("{}{}{}", field.says, field.unit.empty() ? "" : ", ", field.unit)))
        {
            flip(fit, field.name, out);
        }
        else if (on)
        {
            column.label(fmt::format("{:.3g} \u2192 {:.3g} {}", fit.before.**member, fit.after.**member,
                                     unit_words(field.unit)));
        }
    }
}

// "own-h100": one for each kind of accelerator.
std::string own_name(const Scenario& s)
{
    const std::string_view kind = accelerator_kind(s.cluster.gpu.id);
    return fmt::format("own-{}", kind.empty() ? "gpu" : kind);
}

bool MeasuredView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    if (frame.measured == nullptr)
    {
        return false;
    }
    PanelColumn column(p, area, out.animating);
    if (column.button("Use fitted constants###use fitted", "Enter", ButtonStyle::primary))
    {
        use(frame, out);
    }
    if (frame.measured->shipped && column.button("Copy a table for your runs###measured copy"))
    {
        out.push(CopyText{example_table(frame.now.scenario), "Copied a table to fill in"});
    }
    if (column.button("Keep as software###keep measured"))
    {
        out.push(FitMeasured{{}, false, own_name(frame.now.scenario)});
    }
    column.note(
        "Moves a few constants of the software nearest to these runs, and keeps it for every scenario; "
        "three runs are enough.");
    column.heading("Constants to fit");
    draw_constants(column, frame.measured->fit, out);
    return true;
}

ViewKeys MeasuredView::keys()
{
    return {{"Enter", "Use the fitted constants",
             [](const KeyPress& k)
             {
                 if (k.frame.measured != nullptr)
                 {
                     use(k.frame, k.out);
                 }
             }},
            {"L", "Load the llm-foundry runs", [](const KeyPress& k) { load_shipped(k.out); }},
            {"hover", "A run: its time and its error"}};
}

} // namespace

extern const ViewInfo measured_view{
    50,
    "measured",
    ViewGroup::performance,
    "Calibration",
    "Calibration",
    "Measured step times against predicted ones, and the GPU\u2019s constants fitted to them",
    {"model", "gpus"},
    make_view<MeasuredView>,
    {},
    ViewRole::measured};

} // namespace ringside
