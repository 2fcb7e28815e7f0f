// What can be trained with this: FLOPs as an area, GPUs times days.
#include <fmt/format.h>

#include "core/base/text/text.h"
#include "core/evaluate/report.h"
#include "core/scaling/budget.h"
#include "core/scaling/trained.h"
#include "ui/shell/view.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/quantities.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ringside
{

namespace
{

constexpr double kRule = 20; // tokens per parameter (Hoffmann et al., arXiv 2203.15556, table 3)

// As the axis has them; a run of seconds is not told in days.
std::string day_words(double days)
{
    return days > 0 && days < 1e-3 ? format_seconds(Seconds(days * 86400))
           : days < 1e6            ? three_digits(days)
                                   : format_count(days);
}

constexpr Track kTokens = Track::log(1e9, 1e14, format_count);
constexpr Track kDays = Track::log(0.1, 1000, day_words);
constexpr Track kMfu = Track::log(0.01, 1, format_percent, 0.01);
constexpr Track kPrice = Track::log(0.1, 20, three_digits);

std::string said(const Budget& b, BudgetUnknown what)
{
    switch (what)
    {
    case BudgetUnknown::days:
        return day_words(b.days);
    case BudgetUnknown::gpus:
        return b.gpus < 1e6 ? grouped(std::llround(std::ceil(b.gpus))) : format_count(std::ceil(b.gpus));
    case BudgetUnknown::tokens:
        return format_count(b.tokens);
    case BudgetUnknown::parameters:
        return format_count(b.parameters);
    case BudgetUnknown::mfu:
        break;
    }
    return format_percent(b.mfu);
}

// Published runs of three hundred billion to fifteen trillion tokens, by their names among the trained
// models.
constexpr std::array<std::string_view, 5> kMilestones{"GPT-3", "Llama 2 70B", "PaLM", "DeepSeek-V3",
                                                      "Llama 3.1 405B"};

std::vector<TrainedModel> milestones()
{
    std::vector<TrainedModel> runs;
    std::ranges::copy_if(trained_models(), std::back_inserter(runs),
                         [](const TrainedModel& m)
                         { return std::ranges::find(kMilestones, m.name) != kMilestones.end(); });
    std::ranges::sort(runs, {}, &TrainedModel::flops);
    return runs;
}

// Budgets of published runs in two rows, so that each has room for its name, and this one between them.
void draw_milestones(const Painter& p, Rect area, const Budget& b)
{
    const std::vector<TrainedModel> runs = milestones();
    const double low = std::min(runs.front().flops(), b.flops()) / 8;
    const double high = std::max(runs.back().flops(), b.flops()) * 8;
    Plot plot(p, area, {low, high, PlotScale::log, "", [](double v) { return figure(v, 1); }},
              {0, 1, PlotScale::linear, "", [](double) { return std::string(); }},
              {.title = "Training FLOPs of published runs", .note = "6 N D", .part = "milestones"});
    if (!plot)
    {
        return;
    }
    constexpr double kLine = 0.5; // of the height
    std::vector<PlotPoint> points;
    for (const TrainedModel& each : runs)
    {
        points.push_back({each.flops(), points.size() % 2 == 0 ? 0.12 : 0.88});
        plot.dot(points.back(), {p.theme.muted, 4});
        plot.label(points.back(), std::string(each.name));
    }
    plot.dot({b.flops(), kLine}, {line_colour(p.theme.forward), 7});
    plot.label({b.flops(), kLine}, "this run", true);
    if (const PlotPick pick = plot.pick(points, "###published budgets"); pick.at)
    {
        const TrainedModel& over = runs.at(*pick.at);
        plot.tip(over.name, std::array{TipLine{"FLOPs", figure(over.flops(), 3)},
                                       TipLine{"of this run", format_percent(over.flops() / b.flops())},
                                       TipLine{std::string(over.source), ""}});
    }
}

class BudgetView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    Budget budget(const Frame& frame) const;
    void choose(BudgetUnknown unknown, Out& out);
    static void draw_answer(const Painter& painter, Rect row, const Budget& b);
    void draw_area(const Painter& painter, Rect area, const Budget& b) const;

    BudgetUnknown unknown_ = BudgetUnknown::days;
    double days_ = 90;
    std::optional<double> price_;  // nothing: the scenario's
    std::optional<double> mfu_;    // nothing: what the step reaches
    std::optional<double> tokens_; // nothing: the scenario's
};

Budget BudgetView::budget(const Frame& frame) const
{
    const Scenario& s = frame.now.scenario;
    Budget b;
    b.parameters = static_cast<double>(frame.now.report->parameters.active);
    b.tokens = tokens_.value_or(s.training.tokens);
    b.gpus = static_cast<double>(s.cluster.gpus);
    b.peak_tflops =
        frame.now.report->step.peak_flops / b.gpus * 1e-12; // of the precision the MFU is a share of
    const StepTime& step = frame.now.report->step;
    b.mfu = mfu_.value_or(step.mfu());
    b.attention = step.model_flops / step.parameter_flops - 1;
    b.days = days_;
    b.usd_per_hour = price_.value_or(s.cluster.usd_per_gpu_hour);
    return solved(b, unknown_);
}

void BudgetView::choose(BudgetUnknown unknown, Out& out)
{
    unknown_ = unknown;
    out.animating = true;
}

// What people ask first: how long, and what it costs.
void BudgetView::draw_answer(const Painter& p, Rect row, const Budget& b)
{
    const std::array figures{
        std::pair{day_words(b.days) + (b.days < 1e-3 ? "" : " days"),
                  "on " + counted(static_cast<std::int64_t>(std::ceil(b.gpus)), "GPU")},
        std::pair{format_dollars(b.usd()), fmt::format("{} GPU-hours at ${}", format_count(b.gpu_hours()),
                                                       three_digits(b.usd_per_hour))}};
    Rect half = row.cut_left(row.w / 2);
    for (const auto& [figure, says] : figures)
    {
        const Type type = p.width(Type::display, figure) <= half.w ? Type::display : Type::title;
        const float w = p.text_within(half.x, half.middle(), half.w, type, p.theme.text, figure);
        p.text_within(half.x + w + p.px(12), half.middle() + p.px(4), half.w - w - p.px(20), Type::small,
                      p.theme.muted, says);
        half = row;
    }
}

void BudgetView::draw_area(const Painter& p, Rect area, const Budget& b) const
{
    if (area.h < p.px(150))
    {
        return; // the cards say it all
    }
    const Theme& t = p.theme;
    const double tera = std::max(1e-9, b.gpus * b.peak_tflops);
    const double unit = tera >= 1e5 ? 1e6 : tera >= 100 ? 1e3 : 1;
    const double seconds = std::max(1e-9, b.days * 86400);
    const double peak = tera / unit;
    const TimeUnit time = b.days >= 1 ? TimeUnit{86400, "d", "days"} : time_unit_of(Seconds(seconds));
    const double length = seconds / time.seconds;
    Plot plot(p, area,
              {0, length * 1.25, PlotScale::linear, std::string(time.word),
               [](double v) { return v < 1e6 ? plain_number(v) : count_words(v); }},
              {0, peak * 1.12, PlotScale::linear,
               fmt::format("{}FLOP/s of all GPUs at peak", unit > 1e3 ? "E"
                                                           : unit > 1 ? "P"
                                                                      : "T"),
               plain_number});
    if (!plot)
    {
        return;
    }
    const Rect all = plot.rect(0, length, 0, peak);
    const Rect useful = plot.rect(0, length, 0, peak * std::min(1.0, b.mfu));
    p.hatch({all.x, all.y, all.w, all.h - useful.h}, with_alpha(t.forward.fill, 0.5F), kIdleHatch);
    p.fill(useful, t.forward.fill);
    const std::string words = fmt::format("{} FLOPs", figure(b.flops(), 4));
    if (useful.h > p.px(46) && p.width(Type::title, words) < useful.w - p.px(16))
    {
        p.text(useful.centre(), useful.middle() - p.px(10), Type::title, t.forward.label, words,
               Align::centre);
        p.text(useful.centre(), useful.middle() + p.px(14), Type::small, t.forward.label,
               fmt::format("{} N D, MFU {}", figure(b.per_parameter(), 3), format_percent(b.mfu)),
               Align::centre);
    }
    if (all.h - useful.h > p.px(24))
    {
        p.text_within(all.x + p.px(10), (all.y + useful.y) / 2, all.w - p.px(20), Type::small_strong, t.text,
                      "lost");
    }
}

void BudgetView::draw(const Frame& frame, const Painter& p, Rect area, Out& out)
{
    const Budget b = budget(frame);
    if (area.h > p.px(170) && area.w > p.px(420))
    {
        draw_answer(p, area.cut_top(p.px(52)), b);
    }
    std::vector<Solvable> all;
    for (std::size_t i = 0; i < kBudgetUnknowns; ++i)
    {
        const auto what = static_cast<BudgetUnknown>(i);
        all.push_back(
            {name_of(what), name_of(what), said(b, what), fmt::format("Click or {}: solve for it", i + 1)});
    }
    const float most = area.h > p.px(220) ? area.h * 0.4F : area.h;
    if (const auto pressed = draw_quantities(p, area, all, static_cast<std::size_t>(unknown_), most))
    {
        choose(static_cast<BudgetUnknown>(*pressed), out);
    }
    area.cut_top(p.px(8));
    if (area.h > p.px(290))
    {
        draw_milestones(p, area.cut_bottom(p.px(142)), b);
        area.cut_bottom(p.px(10));
    }
    draw_area(p, area, b);
}

Caption BudgetView::caption(const Frame& frame) const
{
    const Budget b = budget(frame);
    const Term term = explain_budget(b, unknown_);
    Caption caption;
    if (b.mfu > 1)
    {
        caption.sentence = fmt::format("That would take an MFU of {}: !!no GPU does more than 100%!!.",
                                       format_percent(b.mfu));
    }
    else
    {
        caption.sentence = fmt::format(
            "{} parameters on {} tokens: **{}{} on {}, {}**.", format_count(b.parameters),
            format_count(b.tokens), day_words(b.days), b.days < 1e-3 ? "" : " days",
            counted(static_cast<std::int64_t>(std::ceil(b.gpus)), "GPU"), format_dollars(b.usd()));
    }
    caption.formula = fmt::format("{} = {} = {}", term.label, term.working, figure(term.value, 4));
    caption.source = fmt::format(
        "{}\n{}.\nMFU counts attention scores ({} N D in all); interruptions are left out. The MFU is that "
        "of the step-time model until you move the slider.",
        term.formula, term.source, figure(b.per_parameter(), 3));
    return caption;
}

bool BudgetView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    Budget b = budget(frame);
    PanelColumn column(painter, area, out.animating);
    column.heading("Compute budget");
    if (unknown_ != BudgetUnknown::tokens)
    {
        column.slide("Tokens", kTokens, b.tokens, tokens_);
    }
    if (unknown_ != BudgetUnknown::mfu &&
        column.slide("MFU", (mfu_ ? "" : "of this step  ") + format_percent(b.mfu), kMfu, b.mfu))
    {
        mfu_ = b.mfu;
    }
    if (unknown_ != BudgetUnknown::days)
    {
        column.slide("Days of training", kDays, days_);
    }
    column.slide("USD per GPU-hour", kPrice, b.usd_per_hour, price_);
    b = budget(frame);
    const double each = b.parameters > 0 ? b.tokens / b.parameters : 0;
    column.gap();
    column.fact("GPU-hours", format_count(b.gpu_hours()));
    column.fact("Cost", format_dollars(b.usd()));
    column.fact("Tokens per parameter", each > 0 ? three_digits(each) : "\u2013");
    column.fact("vs 20 tokens/param", each > 0 ? three_digits(each / kRule) + "\u00d7" : "\u2013");
    return true;
}

ViewKeys BudgetView::keys()
{
    return {{"1 \u2026 5", "Solve for days, GPUs, tokens, parameters, MFU",
             [this](const KeyPress& k) { choose(static_cast<BudgetUnknown>(k.which), k.out); }},
            {"click", "Solve for a quantity"}};
}

} // namespace

extern const ViewInfo budget_view{
    20,
    "budget",
    ViewGroup::scaling,
    "Compute budget",
    "Compute budget",
    "6 N D = GPUs x peak x MFU x days: any one of them from the others, and what it costs",
    {"model", "gpus"},
    make_view<BudgetView>};

} // namespace ringside
