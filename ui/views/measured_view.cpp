// How far off is it here? Steps somebody measured against those computed, before and after the accelerator's
// constants are fitted to them.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/scenario/fields.h"
#include "ui/shell/view.h"
#include "ui/views/measured/chart.h"
#include "ui/widgets/controls.h"

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
    void keys(const Frame& frame, Out& out) override;
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
void draw_constants(const Painter& p, Rect& area, const CalibrationFit& fit, Out& out)
{
    for (const Field<Calibration>& field : fields_of(Calibration{}))
    {
        const auto* member = std::get_if<double Calibration::*>(&field.member);
        if (member == nullptr || field.name == "multiprocessors")
        {
            continue;
        }
        const bool on = fitted(fit, field.name);
        const std::string label = fmt::format("{0}###fit {0}", field.name);
        if (toggle(p, area.cut_top(p.px(28)), label.c_str(), on))
        {
            flip(fit, field.name, out);
        }
        tooltip(p, fmt::format("{}{}{}", field.says, field.unit.empty() ? "" : ", ", field.unit));
        if (on)
        {
            const Rect row = area.cut_top(p.px(22));
            p.text_within(row.x, row.middle(), row.w, Type::mono_small, p.theme.muted,
                          fmt::format("{:.4g} \u2192 {:.4g} {}", fit.before.**member, fit.after.**member,
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
    const CalibrationFit& fit = frame.measured->fit;
    if (button(p, area.cut_top(p.px(40)), "Use what was fitted###use fitted", "Enter", ButtonStyle::primary))
    {
        use(frame, out);
    }
    area.cut_top(p.px(8));
    const Rect head = area.cut_top(p.px(28));
    p.text(head.x, head.middle(), Type::body_strong, p.theme.text, "Constants to fit");
    draw_constants(p, area, fit, out);
    return true;
}

void MeasuredView::keys(const Frame& frame, Out& out)
{
    if (frame.measured != nullptr && ImGui::IsKeyPressed(ImGuiKey_Enter, false) && !ImGui::IsAnyItemFocused())
    {
        use(frame, out);
    }
}

constexpr std::array<std::string_view, 2> kControls{"model", "gpus"};
constexpr std::array kKeys{KeyHelp{"Enter", "Use the fitted constants"},
                           KeyHelp{"hover", "A run: measured, and how far off"}};

} // namespace

extern const ViewInfo measured_view;
const ViewInfo measured_view{
    66,
    "measured",
    "Scaling",
    "Measured",
    "How far off is it here?",
    "Your own runs against those computed, and the accelerator\u2019s constants fitted to them",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<MeasuredView>()); }};

} // namespace ringside
