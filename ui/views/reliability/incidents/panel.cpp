#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/term.h"
#include "core/base/text.h"
#include "core/lab/demos.h"
#include "ui/shell/lab_action.h"
#include "ui/views/reliability/incidents/pictures.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside
{

namespace
{

OptionMark mark_of(const Treatment* treatment)
{
    return treatment == nullptr                   ? OptionMark::none
           : treatment->outcome == Outcome::cured ? OptionMark::good
           : treatment->outcome == Outcome::helps ? OptionMark::half
                                                  : OptionMark::bad;
}

// Played from its first step, or at once where nothing is to move.
void open_next(IncidentDesk& desk, bool still, Out& out)
{
    desk.open(desk.incident().seed + 1);
    out.push(Seek{still ? static_cast<double>(kIncidentSteps) : 0});
    out.push(Play{!still});
    out.animating = true;
}

void ask_fault(PanelColumn& column, IncidentDesk& desk)
{
    column.heading("What happened?");
    for (std::size_t f = 0; f < kFaults; ++f)
    {
        const FaultInfo& info = info_of(static_cast<Fault>(f));
        if (column.option(fmt::format("{}###{}", info.name, info.id), std::to_string(f + 1), false))
        {
            desk.answer(static_cast<Fault>(f));
        }
    }
    column.gap();
    column.note(
        "Look at **when** it starts, **how fast** it grows and **what else** moves. The grey line is the "
        "validation loss.");
}

void ask_remedy(const Painter& p, PanelColumn& column, IncidentDesk& desk, Out& out)
{
    const FaultInfo& info = info_of(desk.incident().fault);
    Rect verdict = column.row(30);
    if (desk.right())
    {
        p.tick(verdict.x, verdict.middle(), p.theme.ok);
    }
    else
    {
        p.text(verdict.x, verdict.middle(), Type::small_strong, p.theme.warning, "\u2715");
    }
    p.text_within(verdict.x + p.px(24), verdict.middle(), verdict.w - p.px(24), Type::body_strong,
                  p.theme.text, info.name);
    column.note(info.tells);
    if (!info.demo.empty() && column.button("Reproduce it in the Lab###in the lab", "E"))
    {
        open_demonstration(desk, out);
    }
    column.heading("What to do?");
    for (std::size_t r = 0; r < kRemedies; ++r)
    {
        const auto remedy = static_cast<Remedy>(r);
        const Treatment* t = desk.remedy() == remedy ? desk.treatment() : nullptr;
        const RemedyInfo& about = info_of(remedy);
        if (column.option(fmt::format("{}###{}", about.name, about.id), std::to_string(r + 1), t != nullptr,
                          about.source, mark_of(t)))
        {
            desk.apply(remedy);
        }
    }
}

} // namespace

void draw_incident_panel(const Painter& p, Rect area, IncidentDesk& desk, Out& out)
{
    PanelColumn column(p, area, out.animating);
    desk.answered() ? ask_remedy(p, column, desk, out) : ask_fault(column, desk);
    column.gap();
    if (column.button("Next incident###next incident", "N"))
    {
        open_next(desk, p.look.reduced_motion, out);
    }
}

void open_demonstration(const IncidentDesk& desk, Out& out)
{
    const auto demos = lab_demos();
    const auto found =
        std::find_if(demos.begin(), demos.end(),
                     [&](const LabDemo& d) { return d.id == info_of(desk.incident().fault).demo; });
    if (desk.answered() && found != demos.end())
    {
        out.push(OpenView{"lab"});
        out.push(LabAction{AskDemo{static_cast<std::size_t>(found - demos.begin())}});
    }
}

ViewKeys incident_keys(IncidentDesk& desk)
{
    return {{"1 \u2026 9", "What happened; then, what to do",
             [&desk](const KeyPress& k) {
                 desk.answered() ? desk.apply(static_cast<Remedy>(k.which))
                                 : desk.answer(static_cast<Fault>(k.which));
             }},
            {"N", "The next incident",
             [&desk](const KeyPress& k) { open_next(desk, k.frame.preferences.reduced_motion, k.out); }},
            {"E", "Reproduce it in the lab, where it can",
             [&desk](const KeyPress& k) { open_demonstration(desk, k.out); }},
            {"drag", "The line: another checkpoint to rewind to"}};
}

namespace
{

double median_norm(const IncidentRun& run, std::int64_t until)
{
    std::vector<double> norms;
    for (std::int64_t k = 0; k < until; ++k)
    {
        const double norm = run.steps[static_cast<std::size_t>(k)].norm;
        if (std::isfinite(norm))
        {
            norms.push_back(norm);
        }
    }
    if (norms.empty())
    {
        return 1;
    }
    const auto middle = norms.begin() + static_cast<std::ptrdiff_t>(norms.size() / 2);
    std::nth_element(norms.begin(), middle, norms.end());
    return *middle;
}

Caption observed(const IncidentDesk& desk, std::int64_t until)
{
    const std::int64_t last = std::clamp<std::int64_t>(until, 1, kIncidentSteps);
    double most = 0;
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < last; ++k)
    {
        const double norm = desk.run().steps[static_cast<std::size_t>(k)].norm;
        at = norm > most ? k : at;
        most = norm > most ? norm : most;
    }
    const double usual = median_norm(desk.run(), last);
    const double loss = desk.run().steps[static_cast<std::size_t>(last - 1)].loss;
    Caption c;
    c.sentence =
        fmt::format("Incident {}: after {} the loss is **{}**. What happened?", desk.incident().seed,
                    counted(last, "step"), std::isfinite(loss) ? fmt::format("{:.2f}", loss) : "not finite");
    c.formula = fmt::format("largest gradient norm / median = {} / {} = {}, at step {}", figure(most, 3),
                            figure(usual, 3), figure(most / usual, 3), grouped(at));
    return c;
}

} // namespace

Caption incident_caption(const IncidentDesk& desk, std::int64_t until)
{
    if (!desk.answered())
    {
        return observed(desk, until);
    }
    const Incident& i = desk.incident();
    const FaultInfo& info = info_of(i.fault);
    Caption c;
    c.source = info.source;
    c.formula = fmt::format("noticed at step {}, rewound to {}: {} steps to re-run", grouped(i.noticed),
                            grouped(desk.checkpoint()), i.noticed - desk.checkpoint());
    const Treatment* t = desk.treatment();
    if (t == nullptr)
    {
        c.sentence = fmt::format("**{}**, from step {}. Drag the line to a checkpoint and choose a remedy.",
                                 info.name, grouped(i.at));
        return c;
    }
    const auto words = [](double v) { return std::isfinite(v) ? fmt::format("{:.2f}", v) : "not finite"; };
    c.sentence = fmt::format("{} from checkpoint {}: **{}**. Final loss {}; untreated {}, healthy {}.",
                             info_of(*desk.remedy()).name, desk.checkpoint(), name_of(t->outcome),
                             words(t->end), words(t->untreated), words(t->healthy));
    return c;
}

} // namespace ringside
