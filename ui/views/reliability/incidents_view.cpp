// Spike or NaN? A run with a hidden fault to diagnose from its strips, and to save.
// One file, since strips, remedies and verdict belong to one run.
#include <fmt/format.h>

#include "core/base/text/term.h"
#include "core/base/text/text.h"
#include "core/lab/demos.h"
#include "core/reliability/incidents/run.h"
#include "ui/draw/painter.h"
#include "ui/shell/frame/frame.h"
#include "ui/shell/frame/lab_action.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/panel_column.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace ringside
{

namespace
{

class IncidentModel
{
public:
    IncidentModel() { open(1); }

    void open(std::uint64_t seed);
    void answer(Fault fault);
    void apply(Remedy remedy);
    void rewind_to(std::int64_t step); // the nearest checkpoint before what was noticed

    const Incident& incident() const { return incident_; }
    const IncidentRun& run() const { return run_; }
    std::optional<Fault> guess() const { return guess_; }
    bool answered() const { return guess_.has_value(); }
    bool right() const { return guess_ == incident_.fault; }
    std::optional<Remedy> remedy() const { return remedy_; }
    const Treatment* treatment() const { return treatment_ ? &*treatment_ : nullptr; }
    std::int64_t checkpoint() const { return checkpoint_; }
    int seen() const { return seen_; }
    int solved() const { return solved_; }

private:
    void work_out();

    Incident incident_;
    IncidentRun run_;
    std::optional<Fault> guess_;
    std::optional<Remedy> remedy_;
    std::optional<Treatment> treatment_;
    std::int64_t checkpoint_ = 0;
    int seen_ = 0;   // answered so far
    int solved_ = 0; // of them rightly
};

void IncidentModel::open(std::uint64_t seed)
{
    incident_ = make_incident(seed);
    run_ = run_untreated(incident_);
    guess_.reset();
    remedy_.reset();
    treatment_.reset();
    checkpoint_ = incident_.noticed / kCheckpointEvery * kCheckpointEvery;
}

void IncidentModel::answer(Fault fault)
{
    if (!guess_)
    {
        guess_ = fault;
        ++seen_;
        solved_ += right() ? 1 : 0;
    }
}

void IncidentModel::apply(Remedy remedy)
{
    if (guess_)
    {
        remedy_ = remedy;
        work_out();
    }
}

void IncidentModel::rewind_to(std::int64_t step)
{
    const double near = std::round(static_cast<double>(step) / static_cast<double>(kCheckpointEvery));
    const std::int64_t to = static_cast<std::int64_t>(near) * kCheckpointEvery;
    const std::int64_t most = incident_.noticed / kCheckpointEvery * kCheckpointEvery;
    const std::int64_t next = std::clamp<std::int64_t>(to, 0, most);
    if (next != checkpoint_)
    {
        checkpoint_ = next;
        work_out();
    }
}

void IncidentModel::work_out()
{
    treatment_ = remedy_ ? std::optional(treat(incident_, *remedy_, checkpoint_)) : std::nullopt;
}

struct Strip
{
    std::string_view name;
    double IncidentStep::*value;
    PlotAxis y;
    float share; // of the height
};

std::vector<Strip> strips_of(const IncidentModel& model)
{
    double high = 4;
    for (const IncidentStep& s : model.run().steps)
    {
        high = std::isfinite(s.loss) ? std::max(high, s.loss) : high;
    }
    const auto axis = [](double low, double high_end, PlotScale scale) {
        return PlotAxis{low, high_end, scale, "", plain_number};
    };
    std::vector<Strip> strips{
        {"loss, nats per token", &IncidentStep::loss, axis(2, std::min(12.5, high * 1.03), PlotScale::log),
         3},
        {"gradient norm", &IncidentStep::norm, axis(0.1, 60, PlotScale::log), 2},
        {"learning rate, relative to peak", &IncidentStep::rate, axis(0, 2.6, PlotScale::linear), 1}};
    if (model.run().steps.front().scale > 0)
    {
        strips.push_back({"loss scale, FP16",
                          &IncidentStep::scale,
                          {1,
                           524288,
                           PlotScale::log2,
                           "",
                           [](double v) { return two_to_the(std::log2(v)); },
                           {32, 1024, 32768}},
                          1.3F});
    }
    strips.push_back({"per-rank gradient norm, max over median", &IncidentStep::apart,
                      axis(0.8, 2.2, PlotScale::linear), 1});
    return strips;
}

// Until a step; what is not finite breaks the line.
std::vector<PlotPoint> values_of(const IncidentRun& run, double IncidentStep::*value, std::int64_t until)
{
    std::vector<PlotPoint> points;
    for (std::size_t k = 0; k < run.steps.size(); ++k)
    {
        const auto step = static_cast<double>(run.from) + static_cast<double>(k);
        if (step <= static_cast<double>(until))
        {
            points.push_back({step, run.steps[k].*value});
        }
    }
    return points;
}

void mark_not_finite(const Painter& p, Plot& plot, std::span<const PlotPoint> points)
{
    bool named = false;
    for (const PlotPoint& v : points)
    {
        if (std::isfinite(v.y))
        {
            continue;
        }
        const Rect r = plot.rect(v.x, v.x + 1, plot.y.low, plot.y.high);
        p.fill({r.x, r.y, std::max(1.0F, r.w), p.px(5)}, p.theme.warning);
        if (!named)
        {
            plot.label({v.x, plot.y.high}, "not finite");
            named = true;
        }
    }
}

void draw_strip(const Painter& p, Plot& plot, const Strip& strip, const IncidentModel& model,
                std::int64_t until, bool first)
{
    const Theme& t = p.theme;
    p.outline(plot.area, t.grid, 1);
    const bool treated = model.treatment() != nullptr;
    if (strip.value == &IncidentStep::loss)
    {
        plot.line(values_of(model.run(), &IncidentStep::held, until), {t.muted, 2.5F}, "validation");
    }
    const auto own = values_of(model.run(), strip.value, until);
    plot.line(own, treated ? PlotStroke{t.muted, 1.5F} : PlotStroke{t.forward, 3},
              treated && first ? "untreated" : "");
    mark_not_finite(p, plot, own);
    if (treated)
    {
        plot.line(values_of(model.treatment()->run, strip.value, kIncidentSteps), {t.forward, 3.5F},
                  first ? "with the remedy" : "");
    }
    for (const std::int64_t step : model.run().restarts)
    {
        if (step <= until)
        {
            plot.rule_x(static_cast<double>(step), {t.muted, 1, true}, first ? "job restart" : "");
        }
    }
}

// Up to step `until` of the run; a treated run over it in full. Returns the step the checkpoint was dragged
// to.
std::optional<std::int64_t> draw_strips(const Painter& p, Rect area, const IncidentModel& model,
                                        std::int64_t until)
{
    std::vector<Strip> strips = strips_of(model);
    const float below = p.height(Type::mono_small) + p.height(Type::small) + p.px(8);
    // What follows from the others goes where there is no room for all.
    const auto each_of = [&]
    {
        float shares = 0;
        for (const Strip& s : strips)
        {
            shares += s.share;
        }
        return (area.h - below) / shares;
    };
    while (strips.size() > 1 && each_of() < p.px(42))
    {
        strips.pop_back();
    }
    const float each = each_of();
    p.part("strips", area);
    std::optional<std::int64_t> moved;
    for (std::size_t k = 0; k < strips.size(); ++k)
    {
        const bool last = k + 1 == strips.size();
        const AxisWords none = [](double) { return std::string(); };
        const AxisWords steps = [](double step) { return grouped(std::llround(step)); };
        const Rect row = area.cut_top(last ? area.h : each * strips[k].share);
        Plot plot(p, row,
                  {0, static_cast<double>(kIncidentSteps), PlotScale::linear,
                   last ? "step; a checkpoint every 100 steps" : "", last ? steps : none},
                  strips[k].y,
                  {.part = k == 0   ? "loss"
                           : k == 1 ? "norm"
                                    : "other strips",
                   .reads = strips[k].name,
                   .left = p.px(56)});
        if (!plot)
        {
            continue;
        }
        draw_strip(p, plot, strips[k], model, until, k == 0);
        if (model.answered())
        {
            // The flag of the checkpoint that a remedy goes back to.
            const auto at = static_cast<double>(model.checkpoint());
            plot.rule_x(at, {p.theme.text, 2});
            const auto to =
                k > 0 ? std::nullopt
                      : plot.grip({at, plot.y_of(plot.area.y + p.px(26))}, "###checkpoint to go back to",
                                  fmt::format("rewind to {}", model.checkpoint()))
                            .x(static_cast<double>(kCheckpointEvery));
            moved = to ? std::optional<std::int64_t>(std::llround(*to)) : moved;
        }
        plot.label({plot.x.high, strips[k].value == &IncidentStep::scale ? plot.y.low : plot.y.high},
                   std::string(strips[k].name), true);
    }
    return moved;
}

OptionMark mark_of(const Treatment* treatment)
{
    return treatment == nullptr                   ? OptionMark::none
           : treatment->outcome == Outcome::cured ? OptionMark::good
           : treatment->outcome == Outcome::helps ? OptionMark::half
                                                  : OptionMark::bad;
}

// Played from its first step, or at once where nothing is to move.
void open_next(IncidentModel& model, bool still, Out& out)
{
    model.open(model.incident().seed + 1);
    out.push(Seek{still ? static_cast<double>(kIncidentSteps) : 0});
    out.push(Play{!still});
    out.animating = true;
}

void ask_fault(PanelColumn& column, IncidentModel& model)
{
    column.heading("What happened?");
    for (std::size_t f = 0; f < kFaults; ++f)
    {
        const FaultInfo& info = info_of(static_cast<Fault>(f));
        if (column.option(fmt::format("{}###{}", info.name, info.id), std::to_string(f + 1), false))
        {
            model.answer(static_cast<Fault>(f));
        }
    }
    column.gap();
    column.note(
        "Look at **when** it starts, **how fast** it grows and **what else** moves. The gray line is the "
        "validation loss.");
}

// The lab with the demonstration of the fault asked; nothing where the lab has none.
void open_demonstration(const IncidentModel& model, Out& out)
{
    const auto demos = lab_demos();
    const auto found =
        std::find_if(demos.begin(), demos.end(),
                     [&](const LabDemo& d) { return d.id == info_of(model.incident().fault).demo; });
    if (model.answered() && found != demos.end())
    {
        out.push(OpenView{"lab"});
        out.push(LabAction{AskDemo{static_cast<std::size_t>(found - demos.begin())}});
    }
}

void ask_remedy(const Painter& p, PanelColumn& column, IncidentModel& model, Out& out)
{
    const FaultInfo& info = info_of(model.incident().fault);
    Rect verdict = column.row(30);
    if (model.right())
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
        open_demonstration(model, out);
    }
    column.heading("What to do?");
    for (std::size_t r = 0; r < kRemedies; ++r)
    {
        const auto remedy = static_cast<Remedy>(r);
        const Treatment* t = model.remedy() == remedy ? model.treatment() : nullptr;
        const RemedyInfo& about = info_of(remedy);
        if (column.option(fmt::format("{}###{}", about.name, about.id), std::to_string(r + 1), t != nullptr,
                          about.source, mark_of(t)))
        {
            model.apply(remedy);
        }
    }
}

void draw_incident_panel(const Painter& p, Rect area, IncidentModel& model, Out& out)
{
    PanelColumn column(p, area, out.animating);
    model.answered() ? ask_remedy(p, column, model, out) : ask_fault(column, model);
    column.gap();
    if (column.button("Next incident###next incident", "N"))
    {
        open_next(model, p.look.reduced_motion, out);
    }
}

// Keys 1 to 9 choose: first what happened, then what to do. E opens the lab's demonstration.
ViewKeys incident_keys(IncidentModel& model)
{
    return {{"1 \u2026 9", "What happened; then, what to do",
             [&model](const KeyPress& k)
             {
                 model.answered() ? model.apply(static_cast<Remedy>(k.which))
                                  : model.answer(static_cast<Fault>(k.which));
             }},
            {"N", "The next incident",
             [&model](const KeyPress& k) { open_next(model, k.frame.preferences.reduced_motion, k.out); }},
            {"E", "Reproduce it in the lab, where it can",
             [&model](const KeyPress& k) { open_demonstration(model, k.out); }},
            {"drag", "The line: another checkpoint to rewind to"}};
}

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

Caption observed(const IncidentModel& model, std::int64_t until)
{
    const std::int64_t last = std::clamp<std::int64_t>(until, 1, kIncidentSteps);
    double most = 0;
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < last; ++k)
    {
        const double norm = model.run().steps[static_cast<std::size_t>(k)].norm;
        at = norm > most ? k : at;
        most = norm > most ? norm : most;
    }
    const double usual = median_norm(model.run(), last);
    const double loss = model.run().steps[static_cast<std::size_t>(last - 1)].loss;
    Caption c;
    c.sentence =
        fmt::format("Incident {}: after {} the loss is **{}**. What happened?", model.incident().seed,
                    counted(last, "step"), std::isfinite(loss) ? fmt::format("{:.2f}", loss) : "not finite");
    c.formula = fmt::format("largest gradient norm / median = {} / {} = {}, at step {}", figure(most, 3),
                            figure(usual, 3), figure(most / usual, 3), grouped(at));
    return c;
}

Caption incident_caption(const IncidentModel& model, std::int64_t until)
{
    if (!model.answered())
    {
        return observed(model, until);
    }
    const Incident& i = model.incident();
    const FaultInfo& info = info_of(i.fault);
    Caption c;
    c.source = info.source;
    c.formula = fmt::format("noticed at step {}, rewound to {}: {} steps to re-run", grouped(i.noticed),
                            grouped(model.checkpoint()), i.noticed - model.checkpoint());
    const Treatment* t = model.treatment();
    if (t == nullptr)
    {
        c.sentence = fmt::format("**{}**, from step {}. Drag the line to a checkpoint and choose a remedy.",
                                 info.name, grouped(i.at));
        return c;
    }
    const auto words = [](double v) { return std::isfinite(v) ? fmt::format("{:.2f}", v) : "not finite"; };
    c.sentence = fmt::format("{} from checkpoint {}: **{}**. Final loss {}; untreated {}, healthy {}.",
                             info_of(*model.remedy()).name, model.checkpoint(), name_of(t->outcome),
                             words(t->end), words(t->untreated), words(t->healthy));
    return c;
}

class IncidentsView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override { return incident_caption(model_, until(frame)); }
    Motion motion(const Frame& frame) const override;
    bool draw_panel(const Frame&, const Painter& painter, Rect area, Out& out) override
    {
        draw_incident_panel(painter, area, model_, out);
        return true;
    }
    bool about_scenario() const override { return false; }
    std::vector<std::string> facts(const Frame&) const override;
    ViewKeys keys() override { return incident_keys(model_); }

private:
    // Nothing behind the step at which the run was stopped is shown before it is answered.
    std::int64_t until(const Frame& frame) const;

    IncidentModel model_;
};

std::int64_t IncidentsView::until(const Frame& frame) const
{
    const auto step = static_cast<std::int64_t>(std::floor(frame.playback.t));
    const std::int64_t most = model_.answered() ? kIncidentSteps : model_.incident().noticed;
    return std::clamp<std::int64_t>(step, 1, most);
}

Motion IncidentsView::motion(const Frame& frame) const
{
    Motion motion;
    motion.duration = static_cast<double>(kIncidentSteps);
    motion.per_second = 200;
    motion.rest = motion.duration;
    for (std::int64_t step = 0; step <= kIncidentSteps; step += kCheckpointEvery)
    {
        motion.stops.push_back(static_cast<double>(step));
    }
    motion.label = fmt::format("step {}", until(frame));
    return motion;
}

void IncidentsView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    if (const auto step = draw_strips(painter, area, model_, until(frame)))
    {
        model_.rewind_to(*step);
        out.animating = true;
    }
}

std::vector<std::string> IncidentsView::facts(const Frame&) const
{
    return {fmt::format("incident {}", model_.incident().seed),
            fmt::format("{} of {} diagnosed", model_.solved(), model_.seen())};
}

} // namespace

extern const ViewInfo incidents_view{
    30,
    "incidents",
    ViewGroup::reliability,
    "Incidents",
    "Training incidents",
    "A run with a hidden fault: diagnose it from its curves, rewind, and see what helps",
    {},
    make_view<IncidentsView>};

} // namespace ringside
