// How far computed step times are off from public measured ones: every run as a dot, source by source.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/model/weights.h"
#include "ui/shell/frame/measured_frame.h"
#include "ui/shell/view.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside
{

namespace
{

constexpr double kFarthest = 0.5; // error at the strip's ends
constexpr double kGood = 0.1;
constexpr float kPitchOfSources = 34;
constexpr float kNearRun = 8; // [design px] of the mouse to a dot

class AccuracyView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    double error(const AccuracyRow& row) const { return left_out_ ? row.left_out : row.error; }
    void draw_strip(const Painter& p, Rect cell, const SourceAccuracy& source, bool lit) const;
    void step(const Frame& frame, int by);
    // Those of the chosen source, the furthest off first.
    std::vector<const AccuracyRow*> runs(const Frame& frame) const;

    std::size_t chosen_ = 0;
    bool left_out_ = true; // as a run that nobody has seen
};

bool ready(const Frame& frame)
{
    return frame.accuracy != nullptr && frame.accuracy->done() && !frame.accuracy->sources.empty();
}

void open(const AccuracyRow& run, Out& out)
{
    out.push(ChangeScenario{run.scenario, false, "Opened: " + run.name});
}

// What was run, in a few letters; the source's own name of it is in the tips.
std::string run_words(const Scenario& s)
{
    const auto parameters = static_cast<double>(count_parameters(s.model).total);
    return fmt::format("{} TP{} PP{}{}", format_count(parameters), s.parallel.tensor, s.parallel.pipeline,
                       s.parallel.context > 1 ? fmt::format(" CP{}", s.parallel.context) : "");
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
void AccuracyView::draw_strip(const Painter& p, Rect cell, const SourceAccuracy& source, bool lit) const
{
    const Rect strip{cell.x + p.px(10), cell.y, cell.w - p.px(20), cell.h};
    const float low = place_of(strip, -kGood);
    p.fill({low, cell.y, place_of(strip, kGood) - low, cell.h}, p.theme.control);
    const float middle = place_of(strip, 0);
    p.line(middle, cell.y, middle, cell.bottom(), p.theme.line);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const AccuracyRow* pointed = nullptr;
    float nearest = p.px(kNearRun);
    for (const AccuracyRow& row : source.rows)
    {
        const ImVec2 at{place_of(strip, error(row)), cell.middle()};
        p.list.AddCircleFilled(at, p.px(lit ? 5.0F : 4.0F), with_alpha(p.theme.text, 0.7F));
        p.mark({at.x - 1, at.y - 1, 2, 2});
        const float away = std::fabs(at.x - mouse.x);
        if (p.points_in(cell) && away <= nearest)
        {
            nearest = away;
            pointed = &row;
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
    chosen_ = std::min(chosen_, found->sources.size() - 1);
    using Source = SourceAccuracy;
    const auto worst = [this](const Source& s)
    {
        const AccuracyRow& row = *std::ranges::max_element(
            s.rows, {}, [this](const AccuracyRow& r) { return std::abs(error(r)); });
        return error_of(error(row)) + "  " + row.name;
    };
    const Table<Source> table(
        {Column<Source>("Source", [](const Source& s) { return s.title; }),
         {"runs", [](const Source& s) { return std::to_string(s.rows.size()); }, 2},
         Column<Source>(
             "computed / measured \u2212 1, from \u221250% to +50%",
             [](const Source&) { return std::string(); }, kAlways,
             "Each dot is a run; shaded: within 10%. Left of the middle: computed too fast")
             .wide(180, [this](const Painter& p, Rect cell, const Source& s, bool lit)
                   { draw_strip(p, cell, s, lit); }),
         {"mean", [](const Source& s) { return format_percent(s.mean); }, 4,
          "Mean absolute error; runs of one shape count once"},
         {"left out", [](const Source& s) { return format_percent(s.left_out); }, 5,
          "The same with constants fitted to the other sources only"},
         Column<Source>("worst run", worst, 1).words()},
        [](const Source& s) { return "###source " + s.source; },
        [&](const Source& s) { return &s == &found->sources[chosen_]; }, kPitchOfSources);
    const TableEvent event = table.draw(painter, area, std::span<const Source>(found->sources));
    chosen_ = event.pressed.value_or(chosen_);
}

Caption AccuracyView::caption(const Frame& frame) const
{
    Caption caption;
    if (!ready(frame))
    {
        return caption;
    }
    const std::vector<SourceAccuracy>& sources = frame.accuracy->sources;
    std::size_t runs = 0;
    for (const SourceAccuracy& source : sources)
    {
        runs += source.rows.size();
    }
    caption.sentence = fmt::format(
        "Over {} runs of {} sources the computed step time is off by **{}** on average; by **{}** "
        "for a source that no constant was fitted to.",
        runs, sources.size(), format_percent(mean_of(sources, &SourceAccuracy::mean)),
        format_percent(mean_of(sources, &SourceAccuracy::left_out)));
    caption.formula =
        "error = computed / measured \u2212 1;  a source's mean is that of |error|, shapes weighed alike";
    caption.source =
        "Leave-one-source-out: the software's constants are fitted again without the source. Where no other "
        "source ran that software, eager software's constants stand. ./run bench accuracy prints all rows.";
    return caption;
}

bool AccuracyView::draw_panel(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    PanelColumn column(p, area, out.animating);
    column.choice("Constants", {"Fitted", "Left out"}, left_out_);
    const std::vector<const AccuracyRow*> rows = runs(frame);
    const auto open_now = std::ranges::find_if(rows, [&](const AccuracyRow* row)
                                               { return row->scenario == frame.now.scenario; });
    const double step = frame.now.report->step.total();
    if (open_now != rows.end())
    {
        column.heading("Open", (*open_now)->name);
        column.fact("Measured step", format_seconds(Seconds((*open_now)->seconds)));
        column.fact("Computed step", format_seconds(Seconds(step)));
    }
    else
    {
        const StepEvidence& band = band_of(frame.now.scenario);
        column.heading("Your scenario");
        column.fact("Step time", format_seconds(Seconds(step)));
        column.fact("80% from", format_seconds(Seconds(step * band.low)));
        column.fact("to", format_seconds(Seconds(step * band.high)));
        column.note(band.rows);
    }
    if (rows.empty())
    {
        return true;
    }
    const SourceAccuracy& source = frame.accuracy->sources[chosen_];
    column.gap();
    column.words(Type::body_strong, p.theme.text, source.title);
    column.gap();
    std::size_t at = 0;
    for (const AccuracyRow* row : rows)
    {
        const std::string tip = fmt::format("{}: measured {}, computed {}. Press to open it.", row->name,
                                            format_seconds(Seconds(row->seconds)),
                                            format_seconds(Seconds(row->seconds * (1 + error(*row)))));
        const std::string key = at < 9 ? std::to_string(at + 1) : std::string();
        const std::string label =
            fmt::format("{}  {}###run {}", error_of(error(*row)), run_words(row->scenario), at);
        if (column.option(label, key, open_now != rows.end() && row == *open_now, tip))
        {
            open(*row, out);
        }
        at += 1;
    }
    column.gap();
    column.note(source.published);
    return true;
}

std::vector<const AccuracyRow*> AccuracyView::runs(const Frame& frame) const
{
    std::vector<const AccuracyRow*> rows;
    if (ready(frame))
    {
        for (const AccuracyRow& row : frame.accuracy->sources[chosen_].rows)
        {
            rows.push_back(&row);
        }
    }
    std::sort(rows.begin(), rows.end(),
              [this](const AccuracyRow* a, const AccuracyRow* b)
              { return std::abs(error(*a)) > std::abs(error(*b)); });
    return rows;
}

void AccuracyView::step(const Frame& frame, int by)
{
    if (ready(frame))
    {
        const std::size_t all = frame.accuracy->sources.size();
        chosen_ = (chosen_ + all + static_cast<std::size_t>(by + static_cast<int>(all))) % all;
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
