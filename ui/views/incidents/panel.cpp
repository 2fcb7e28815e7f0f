#include "ui/views/incidents/panel.h"

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/engine/explain.h"
#include "core/lab/demos.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ringside
{

namespace
{

enum class Mark
{
    none,
    good,
    half,
    bad
};

Mark mark_of(const Treatment* treatment)
{
    return treatment == nullptr                   ? Mark::none
           : treatment->outcome == Outcome::cured ? Mark::good
           : treatment->outcome == Outcome::helps ? Mark::half
                                                  : Mark::bad;
}

// One of nine, with its key; what came of it beside the one that was chosen.
bool choice(const Painter& p, Rect row, int number, std::string_view name, std::string_view id, Mark mark)
{
    const Press pressed = press(p, row, fmt::format("{}###{}", name, id).c_str(), 6);
    const Theme& t = p.theme;
    if (pressed.hovered || mark != Mark::none)
    {
        p.fill(row, pressed.hovered ? t.raised : t.control, p.px(6));
    }
    const Rect key = p.keycap(row.x + p.px(4), row.middle(), fmt::format("{}", number));
    const float from = key.right() + p.px(8);
    p.text_within(from, row.middle(), row.right() - p.px(28) - from,
                  mark != Mark::none ? Type::small_strong : Type::small, t.text, name);
    if (mark == Mark::good)
    {
        p.tick(row.right() - p.px(20), row.middle(), t.ok);
    }
    else if (mark == Mark::half)
    {
        p.text(row.right() - p.px(8), row.middle(), Type::small_strong, t.text, "\u2248", Align::right);
    }
    else if (mark == Mark::bad)
    {
        p.text(row.right() - p.px(8), row.middle(), Type::small_strong, t.warning, "\u2715", Align::right);
    }
    return pressed.clicked;
}

float row_height(const Painter& p, Rect area)
{
    return std::clamp(area.h / 17, p.height(Type::small) + p.px(4), p.px(30));
}

// Played from its first step, or at once where nothing is to move.
void open_next(IncidentDesk& desk, bool still, Out& out)
{
    desk.open(desk.incident().seed + 1);
    out.push(Seek{still ? static_cast<double>(kIncidentSteps) : 0});
    out.push(Play{!still});
    out.animating = true;
}

void heading(const Painter& p, Rect& area, std::string_view words, float height)
{
    const Rect row = area.cut_top(height + p.px(4));
    p.text_within(row.x, row.middle(), row.w, Type::body_strong, p.theme.text, words);
}

void ask_fault(const Painter& p, Rect area, IncidentDesk& desk, Out& out)
{
    const float each = row_height(p, area);
    heading(p, area, "What happened?", each);
    for (std::size_t f = 0; f < kFaults && area.h >= each; ++f)
    {
        const FaultInfo& info = info_of(static_cast<Fault>(f));
        if (choice(p, area.cut_top(each), static_cast<int>(f) + 1, info.name, info.id, Mark::none))
        {
            desk.answer(static_cast<Fault>(f));
            out.animating = true;
        }
    }
    area.cut_top(p.px(10));
    if (area.h > p.px(60))
    {
        p.rich(
            area, Type::small, Type::small_strong, p.theme.muted,
            "Look at **when** it starts, **how fast**, and **what else** moves. The grey line in the loss is "
            "held-out text.");
    }
}

void ask_remedy(const Painter& p, Rect area, IncidentDesk& desk, Out& out)
{
    const float each = row_height(p, area);
    const FaultInfo& info = info_of(desk.incident().fault);
    Rect verdict = area.cut_top(each);
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
    area.cut_top(p.rich(area, Type::small, Type::small_strong, p.theme.muted, info.tells) + p.px(8));
    if (!info.demo.empty() &&
        button(p, area.cut_top(p.px(32)), "See it for real in the Lab###in the lab", "E"))
    {
        open_demonstration(desk, out);
    }
    area.cut_top(p.px(4));
    heading(p, area, "What to do?", each);
    for (std::size_t r = 0; r < kRemedies && area.h >= each; ++r)
    {
        const auto remedy = static_cast<Remedy>(r);
        const Treatment* t = desk.remedy() == remedy ? desk.treatment() : nullptr;
        const RemedyInfo& about = info_of(remedy);
        if (choice(p, area.cut_top(each), static_cast<int>(r) + 1, about.name, about.id, mark_of(t)))
        {
            desk.apply(remedy);
            out.animating = true;
        }
        tooltip(p, about.source);
    }
}

} // namespace

void draw_incident_panel(const Painter& p, Rect area, IncidentDesk& desk, Out& out)
{
    Rect bottom = area.cut_bottom(p.px(34));
    area.cut_bottom(p.px(8));
    if (button(p, bottom, "Next incident###next incident", "N"))
    {
        open_next(desk, p.look.reduced_motion, out);
        return;
    }
    desk.answered() ? ask_remedy(p, area, desk, out) : ask_fault(p, area, desk, out);
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

void incident_keys(const Frame& frame, IncidentDesk& desk, Out& out)
{
    const auto pressed = [](ImGuiKey key)
    { return ImGui::IsKeyPressed(key, false) && !ImGui::GetIO().KeyCtrl; };
    for (std::size_t k = 0; k < kFaults; ++k)
    {
        if (pressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(k))))
        {
            out.animating = true;
            if (desk.answered())
            {
                desk.apply(static_cast<Remedy>(k));
            }
            else
            {
                desk.answer(static_cast<Fault>(k));
            }
        }
    }
    if (pressed(ImGuiKey_N))
    {
        open_next(desk, frame.preferences.reduced_motion, out);
    }
    if (pressed(ImGuiKey_E))
    {
        open_demonstration(desk, out);
    }
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
        fmt::format("Incident {}: at step {} the loss is **{}**. What happened?", desk.incident().seed,
                    grouped(last - 1), std::isfinite(loss) ? fmt::format("{:.2f}", loss) : "not finite");
    c.formula = fmt::format("largest norm / median = {} / {} = {}, at step {}", figure(most, 3),
                            figure(usual, 3), figure(most / usual, 3), at);
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
    c.formula = fmt::format("noticed at {}, back to {}: {} steps to make again", i.noticed, desk.checkpoint(),
                            i.noticed - desk.checkpoint());
    const Treatment* t = desk.treatment();
    if (t == nullptr)
    {
        c.sentence = fmt::format("**{}**, from step {}. Drag the line to a checkpoint and choose what to do.",
                                 info.name, grouped(i.at));
        return c;
    }
    const auto words = [](double v) { return std::isfinite(v) ? fmt::format("{:.2f}", v) : "not finite"; };
    c.sentence = fmt::format("{} from checkpoint {}: **{}**. It ends at {}; untreated {}, healthy {}.",
                             info_of(*desk.remedy()).name, desk.checkpoint(), name_of(t->outcome),
                             words(t->end), words(t->untreated), words(t->healthy));
    return c;
}

} // namespace ringside
