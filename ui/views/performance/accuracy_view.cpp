// How far computed step times are off from public measured ones: every run as a dot, source by source.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "ui/shell/frame/measured_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/choice.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace ringside
{

namespace
{

constexpr double kFarthest = 0.5; // error at the strip's ends
constexpr double kGood = 0.1;
constexpr float kPitchOfSources = 34;
constexpr float kNearRun = 8; // [design px] of the mouse to a dot

constexpr double kLike = 1; // distance (core/scenario/evidence.h) of a run that is like the scenario

// A source with those of its runs that the filters leave.
struct Shown
{
    const SourceAccuracy* source;
    std::vector<const AccuracyRow*> rows;
};

class AccuracyView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    double error(const AccuracyRow& row) const { return left_out_ ? row.left_out : row.error; }
    const AccuracyRow& worst_of(const Shown& source) const;
    void draw_strip(const Painter& p, Rect cell, const Shown& source, bool lit) const;
    void draw_table(const Painter& p, Rect area, const AccuracyFrame& found,
                    const std::vector<Shown>& sources);
    void draw_filters(PanelColumn& column, const AccuracyFrame& found);
    void draw_runs(PanelColumn& column, const Frame& frame, Out& out);
    void step(const Frame& frame, int by);
    bool shows(const AccuracyRow& row, const Frame& frame) const;
    // Sources with the runs that the filters leave.
    std::vector<Shown> shown(const Frame& frame) const;
    // The one whose runs the panel names; null where the filters leave none.
    const Shown* chosen(const std::vector<Shown>& sources) const;
    // Those of the chosen source, the furthest off first.
    std::vector<const AccuracyRow*> runs(const Frame& frame) const;

    std::string chosen_;   // id of a source; empty: the first
    bool left_out_ = true; // as a run that nobody has seen
    std::string software_; // shown alone; empty: any
    std::string gpu_;      // accelerator_kind() shown alone; empty: any
    bool like_ = false;    // only runs like the scenario
};

bool ready(const Frame& frame)
{
    return frame.accuracy != nullptr && frame.accuracy->done() && !frame.accuracy->sources.empty();
}

void open(const AccuracyRow& run, Out& out)
{
    out.push(ChangeScenario{run.scenario, false, "Opened: " + run.name});
}

// The run as a kind of its own, to say how far the scenario is from it.
MeasuredKind kind_of(const AccuracyRow& row)
{
    const RunPoint p = run_point(row.scenario, row.seconds);
    return {"",
            std::string(p.software),
            std::string(p.gpu),
            p.experts,
            1,
            p.tokens,
            p.tokens,
            p.gpus,
            p.gpus,
            row.seconds};
}

std::string error_of(double value)
{
    return fmt::format("{:+.1f}%", value * 100);
}

float place_of(Rect strip, double error)
{
    const double share = (std::clamp(error, -kFarthest, kFarthest) + kFarthest) / (2 * kFarthest);
    return strip.x + strip.w * static_cast<float>(share);
}

// No error in the middle, ten percent to both sides shaded, each run a dot.
void AccuracyView::draw_strip(const Painter& p, Rect cell, const Shown& source, bool lit) const
{
    const Rect strip{cell.x + p.px(10), cell.y, cell.w - p.px(20), cell.h};
    const float low = place_of(strip, -kGood);
    p.fill({low, cell.y, place_of(strip, kGood) - low, cell.h}, p.theme.control);
    const float middle = place_of(strip, 0);
    p.line(middle, cell.y, middle, cell.bottom(), p.theme.line);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const AccuracyRow* pointed = nullptr;
    float nearest = p.px(kNearRun);
    for (const AccuracyRow* row : source.rows)
    {
        const ImVec2 at{place_of(strip, error(*row)), cell.middle()};
        p.list.AddCircleFilled(at, p.px(lit ? 5.0F : 4.0F), with_alpha(p.theme.text, 0.7F));
        p.mark({at.x - 1, at.y - 1, 2, 2});
        const float away = std::fabs(at.x - mouse.x);
        if (p.points_in(cell) && away <= nearest)
        {
            nearest = away;
            pointed = row;
        }
    }
    if (pointed != nullptr)
    {
        p.list.AddCircle({place_of(strip, error(*pointed)), cell.middle()}, p.px(7), p.theme.text, 0,
                         p.px(2));
        tip_card(p, {0, 0, ImGui::GetIO().DisplaySize.x, ImGui::GetIO().DisplaySize.y}, mouse, pointed->name,
                 std::array{TipLine{"error", error_of(error(*pointed))},
                            TipLine{"measured step", format_seconds(Seconds(pointed->seconds))},
                            TipLine{"computed step",
                                    format_seconds(Seconds(pointed->seconds * (1 + error(*pointed))))}});
    }
}

void AccuracyView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const AccuracyFrame* found = frame.accuracy;
    if (found == nullptr || !found->done())
    {
        out.push(Command::next_accuracy);
        out.animating = true;
    }
    if (found == nullptr || found->sources.empty())
    {
        const bool failed = found != nullptr && !found->issues.empty();
        empty_state(painter, area, failed ? "No measured runs" : "Computing measured runs",
                    failed ? to_line(found->issues.front()) : std::string());
        return;
    }
    const std::vector<Shown> sources = shown(frame);
    if (sources.empty())
    {
        empty_state(painter, area, "No such run was measured",
                    "Choose any software and any accelerator in the panel.");
        return;
    }
    draw_table(painter, area, *found, sources);
}

const AccuracyRow& AccuracyView::worst_of(const Shown& source) const
{
    return **std::ranges::max_element(source.rows, {},
                                      [this](const AccuracyRow* row) { return std::abs(error(*row)); });
}

// "82%" of a source's runs lie in the range made without it.
std::string held_words(const AccuracyFrame& found, const Shown& source)
{
    const auto held = std::ranges::find(found.held, source.source->source, &HeldRows::name);
    return held == found.held.end() ? std::string() : format_percent(held->share());
}

void AccuracyView::draw_table(const Painter& p, Rect area, const AccuracyFrame& found,
                              const std::vector<Shown>& sources)
{
    const auto worst = [this](const Shown& s)
    { return error_of(error(worst_of(s))) + "  " + worst_of(s).name; };
    const Shown* now = chosen(sources);
    const Table<Shown> table(
        {Column<Shown>("Source", [](const Shown& s) { return s.source->title; }),
         {"runs", [](const Shown& s) { return std::to_string(s.rows.size()); }, 2},
         Column<Shown>(
             "computed / measured \u2212 1", [](const Shown&) { return std::string(); }, kAlways,
             "From \u221250% to +50%, each dot a run; shaded: within 10%. Left of the middle: computed too "
             "fast")
             .wide(180, [this](const Painter& painter, Rect cell, const Shown& s, bool lit)
                   { draw_strip(painter, cell, s, lit); }),
         {"mean", [](const Shown& s) { return format_percent(mean_by_group(s.rows, &AccuracyRow::error)); },
          4, "Mean absolute error; runs of one shape count once"},
         {"left out",
          [](const Shown& s) { return format_percent(mean_by_group(s.rows, &AccuracyRow::left_out)); }, 5,
          "The same with constants fitted to the other sources only"},
         {"in range", [&](const Shown& s) { return held_words(found, s); }, 3,
          "Of all runs of the source, those in the 80% range made without it"},
         Column<Shown>("worst run", worst, 1).words()},
        [](const Shown& s) { return "###source " + s.source->source; },
        [&](const Shown& s) { return &s == now; }, kPitchOfSources);
    const TableEvent event = table.draw(p, area, std::span<const Shown>(sources));
    chosen_ = event.pressed ? sources[*event.pressed].source->source : chosen_;
}

Caption AccuracyView::caption(const Frame& frame) const
{
    Caption caption;
    if (!ready(frame))
    {
        return caption;
    }
    const std::vector<Shown> sources = shown(frame);
    std::size_t runs = 0;
    double fitted = 0;
    double left_out = 0;
    for (const Shown& source : sources)
    {
        runs += source.rows.size();
        fitted += mean_by_group(source.rows, &AccuracyRow::error) / static_cast<double>(sources.size());
        left_out += mean_by_group(source.rows, &AccuracyRow::left_out) / static_cast<double>(sources.size());
    }
    caption.sentence = fmt::format(
        "Over {} of {} the computed step time is off by **{}** on average; by **{}** for a source "
        "that no constant was fitted to.",
        counted(static_cast<std::int64_t>(runs), "run"),
        counted(static_cast<std::int64_t>(sources.size()), "source"), format_percent(fitted),
        format_percent(left_out));
    caption.formula =
        "error = computed / measured \u2212 1;  a source's mean is that of |error|, shapes weighed alike";
    caption.source =
        "Leave-one-source-out: what was fitted to a source is fitted again without it, or stands where other "
        "releases and accelerators have it. The 80% range is conformal by source (core/evaluate/bands.h). "
        "./run bench accuracy prints all rows.";
    return caption;
}

// A list of what there is, any of it first; sets `one`, empty for any.
void choose(PanelColumn& column, const char* label, const char* popup, std::string_view any,
            const std::set<std::string>& all, std::string& one)
{
    std::vector<Choosable> items{{"", any, ""}};
    for (const std::string& each : all)
    {
        items.push_back({each, each, ""});
    }
    if (const auto to = column.dropdown(label, one.empty() ? any : std::string_view(one), popup, items))
    {
        one = std::string(items[*to].id);
    }
}

void AccuracyView::draw_filters(PanelColumn& column, const AccuracyFrame& found)
{
    column.choice("Constants", {"Fitted", "Left out"}, left_out_);
    std::set<std::string> software;
    std::set<std::string> gpus;
    for (const SourceAccuracy& source : found.sources)
    {
        for (const AccuracyRow& row : source.rows)
        {
            software.insert(row.software);
            gpus.insert(std::string(accelerator_kind(row.gpu)));
        }
    }
    choose(column, "###accuracy software", "accuracy software list", "any software", software, software_);
    choose(column, "###accuracy gpu", "accuracy gpu list", "any accelerator", gpus, gpu_);
    column.toggle("Like this scenario###accuracy like", like_,
                  "Runs that differ from the scenario in at most one of software, accelerator and experts, "
                  "with a factor of 16 in length or GPUs for one");
}

bool AccuracyView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    PanelColumn column(p, area, out.animating);
    if (ready(frame))
    {
        draw_filters(column, *frame.accuracy);
    }
    const std::vector<const AccuracyRow*> rows = runs(frame);
    const auto open_now = std::ranges::find_if(rows, [&](const AccuracyRow* row)
                                               { return row->scenario == frame.now.scenario; });
    const double step = frame.now.report->step.total();
    const Band band = step_band(frame.now.scenario, *frame.now.report);
    if (open_now != rows.end())
    {
        column.heading("Open", (*open_now)->name);
        column.fact("Measured step", format_seconds(Seconds((*open_now)->seconds)));
        column.fact("Computed step", format_seconds(Seconds(step)));
    }
    else
    {
        column.heading("Your scenario");
        column.fact("Step time", format_seconds(Seconds(step)));
    }
    column.fact("80% from", format_seconds(Seconds(step * band.low)));
    column.fact("to", format_seconds(Seconds(step * band.high)));
    column.note(step_evidence_words(frame.now.scenario, step));
    draw_runs(column, frame, out);
    return true;
}

void AccuracyView::draw_runs(PanelColumn& column, const Frame& frame, Out& out)
{
    const std::vector<Shown> sources = shown(frame);
    const Shown* source = chosen(sources);
    if (source == nullptr)
    {
        return;
    }
    column.gap();
    column.words(Type::body_strong, column.p.theme.text, source->source->title);
    column.gap();
    std::size_t at = 0;
    for (const AccuracyRow* row : runs(frame))
    {
        const std::string tip = fmt::format("{}: measured {}, computed {}. Press to open it.", row->name,
                                            format_seconds(Seconds(row->seconds)),
                                            format_seconds(Seconds(row->seconds * (1 + error(*row)))));
        const std::string key = at < 9 ? std::to_string(at + 1) : std::string();
        const std::string label = fmt::format("{}  {}###run {}", error_of(error(*row)), row->name, at);
        if (column.option(label, key, row->scenario == frame.now.scenario, tip))
        {
            open(*row, out);
        }
        at += 1;
    }
    column.gap();
    column.note(source->source->published);
}

bool AccuracyView::shows(const AccuracyRow& row, const Frame& frame) const
{
    return (software_.empty() || row.software == software_) &&
           (gpu_.empty() || accelerator_kind(row.gpu) == gpu_) &&
           (!like_ ||
            distance(run_point(frame.now.scenario, frame.now.report->step.total()), kind_of(row)) <= kLike);
}

std::vector<Shown> AccuracyView::shown(const Frame& frame) const
{
    std::vector<Shown> sources;
    if (frame.accuracy == nullptr)
    {
        return sources;
    }
    for (const SourceAccuracy& source : frame.accuracy->sources)
    {
        Shown left{&source, {}};
        for (const AccuracyRow& row : source.rows)
        {
            if (shows(row, frame))
            {
                left.rows.push_back(&row);
            }
        }
        if (!left.rows.empty())
        {
            sources.push_back(std::move(left));
        }
    }
    return sources;
}

const Shown* AccuracyView::chosen(const std::vector<Shown>& sources) const
{
    const auto own =
        std::ranges::find_if(sources, [&](const Shown& s) { return s.source->source == chosen_; });
    return own != sources.end() ? &*own : sources.empty() ? nullptr : sources.data();
}

std::vector<const AccuracyRow*> AccuracyView::runs(const Frame& frame) const
{
    const std::vector<Shown> sources = ready(frame) ? shown(frame) : std::vector<Shown>();
    const Shown* source = chosen(sources);
    std::vector<const AccuracyRow*> rows =
        source != nullptr ? source->rows : std::vector<const AccuracyRow*>();
    std::sort(rows.begin(), rows.end(),
              [this](const AccuracyRow* a, const AccuracyRow* b)
              { return std::abs(error(*a)) > std::abs(error(*b)); });
    return rows;
}

void AccuracyView::step(const Frame& frame, int by)
{
    const std::vector<Shown> sources = ready(frame) ? shown(frame) : std::vector<Shown>();
    if (const Shown* now = chosen(sources))
    {
        const auto all = std::ssize(sources);
        const auto to = (now - sources.data() + by + all) % all;
        chosen_ = sources[static_cast<std::size_t>(to)].source->source;
    }
}

ViewKeys AccuracyView::keys()
{
    return {{"1 \u2026 9", "Open a run",
             [this](const KeyPress& k)
             {
                 const std::vector<const AccuracyRow*> rows = runs(k.frame);
                 if (k.which < rows.size())
                 {
                     open(*rows[k.which], k.out);
                 }
             }},
            {"W S", "The source above, below",
             [this](const KeyPress& k) { step(k.frame, k.which == 0 ? -1 : 1); }, true},
            {"L", "Constants fitted with or without the source", [this] { left_out_ = !left_out_; }},
            {"hover", "A dot, or a run in the panel: measured and computed"}};
}

} // namespace

extern const ViewInfo accuracy_view{40,
                                    "accuracy",
                                    ViewGroup::performance,
                                    "Accuracy",
                                    "Accuracy of step times",
                                    "How far are computed step times off from measured ones?",
                                    {},
                                    make_view<AccuracyView>};

} // namespace ringside
