// How far off is it here? Steps somebody measured against those computed, before and after the accelerator's
// constants are fitted to them.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "ui/shell/measured_frame.h"
#include "ui/shell/view.h"
#include "ui/views/performance/measured/chart.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <array>

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
    change.notice = "The scenario has the fitted constants; Ctrl Z takes them back";
    out.push(std::move(change));
}

void MeasuredView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (frame.measured == nullptr)
    {
        draw_measured_empty(painter, area, frame.now.scenario, out);
        return;
    }
    draw_measured_chart(painter, area, *frame.measured);
}

Caption MeasuredView::caption(const Frame& frame) const
{
    Caption caption;
    if (frame.measured == nullptr)
    {
        caption.sentence = "No measured steps yet: **paste a table** of layouts and times.";
        return caption;
    }
    const CalibrationFit::SetErrors& all = frame.measured->fit.sets.front();
    const std::int64_t runs = all.after.n;
    caption.sentence = fmt::format(
        "Over {} run{} a step is off by **{}** on average as it was, by **{}** fitted; the worst by {}.",
        runs, runs == 1 ? "" : "s", format_percent(all.before.mean), format_percent(all.after.mean),
        format_percent(all.after.max));
    caption.formula = fmt::format(
        "error = computed / measured \u2212 1;  mean of absolute values {} \u2192 {}, bias {:+.1f}%",
        format_percent(all.before.mean), format_percent(all.after.mean), all.after.signed_mean * 100);
    caption.source =
        "Fitted by Nelder and Mead 1965, doi 10.1093/comjnl/7.4.308, on a pseudo-Huber loss of the "
        "logarithm of computed over measured, turning from square to linear at 5%. Runs it was fitted to "
        "say little about others: leave some out and paste them afterwards.";
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
            column.label(fmt::format("{:.4g} \u2192 {:.4g} {}", fit.before.**member, fit.after.**member,
                                     unit_words(field.unit)));
        }
    }
}

bool MeasuredView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    if (frame.measured == nullptr)
    {
        return false;
    }
    PanelColumn column(p, area, out.animating);
    if (column.button("Use what was fitted###use fitted", "Enter", ButtonStyle::primary))
    {
        use(frame, out);
    }
    column.heading("Constants to fit");
    draw_constants(column, frame.measured->fit, out);
    return true;
}

ViewKeys MeasuredView::keys()
{
    return {{"Enter", "Use the fitted constants",
             [this](const KeyPress& k)
             {
                 if (k.frame.measured != nullptr)
                 {
                     use(k.frame, k.out);
                 }
             }},
            {"hover", "A run: measured, and how far off"}};
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpus"};

} // namespace

extern const ViewInfo measured_view;
const ViewInfo measured_view{
    21,
    "measured",
    "Performance",
    "Calibration",
    "Calibration with measured runs",
    "Your own runs against the predicted ones, and the accelerator\u2019s constants fitted to them",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<MeasuredView>()); },
    {},
    ViewRole::measured};

} // namespace ringside
