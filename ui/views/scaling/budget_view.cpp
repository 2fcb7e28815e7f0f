// What can be trained with this: the training's operations as an area, GPUs at work times days.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/scaling/budget.h"
#include "ui/shell/view.h"
#include "ui/widgets/panel_column.h"
#include "ui/widgets/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ringside
{

namespace
{

constexpr float kGap = 10;   // between cards
constexpr double kRule = 20; // tokens a parameter (Hoffmann et al., arXiv 2203.15556, table 3)

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
        return b.gpus < 1000 ? grouped(std::llround(std::ceil(b.gpus))) : format_count(std::ceil(b.gpus));
    case BudgetUnknown::tokens:
        return format_count(b.tokens);
    case BudgetUnknown::parameters:
        return format_count(b.parameters);
    case BudgetUnknown::mfu:
        break;
    }
    return format_percent(b.mfu);
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
    std::size_t cards_in_row(const Painter& painter, float width, const Budget& b) const;
    void draw_card(const Painter& painter, Rect card, const Budget& b, BudgetUnknown what, Out& out);
    void draw_cards(const Painter& painter, Rect& area, const Budget& b, Out& out);
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
    b.parameters = static_cast<double>(frame.now.report.parameters.active);
    b.tokens = tokens_.value_or(s.training.tokens);
    b.gpus = static_cast<double>(s.cluster.gpus);
    b.peak_tflops =
        frame.now.report.step.peak_flops / b.gpus * 1e-12; // of the precision the MFU is a share of
    const StepTime& step = frame.now.report.step;
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

constexpr std::array kFigures{Type::mono_title, Type::mono, Type::mono_small};

// The first type that `words` fit in; the last where none is small enough.
Type figure_type(const Painter& p, const std::string& words, float room)
{
    const auto fits =
        std::find_if(kFigures.begin(), kFigures.end(), [&](Type t) { return p.width(t, words) <= room; });
    return fits == kFigures.end() ? kFigures.back() : *fits;
}

// As many cards beside each other as show their figures and names whole.
std::size_t BudgetView::cards_in_row(const Painter& p, float width, const Budget& b) const
{
    for (const std::size_t many : {kBudgetUnknowns, std::size_t{3}, std::size_t{2}})
    {
        const auto n = static_cast<float>(many);
        const float in = (width - p.px(kGap) * (n - 1)) / n - p.px(20);
        bool whole = true;
        for (std::size_t i = 0; i < kBudgetUnknowns; ++i)
        {
            const auto what = static_cast<BudgetUnknown>(i);
            whole = whole && p.width(Type::mono, said(b, what)) <= in &&
                    p.width(Type::small, name_of(what)) <= in;
        }
        if (whole)
        {
            return many;
        }
    }
    return 1;
}

// In one line where there is no room for two, above all the figure.
void draw_card_line(const Painter& p, Rect line, std::string_view name, const std::string& figure)
{
    const Type type = figure_type(p, figure, line.w);
    const float taken = p.text(line.right(), line.middle(), type, p.theme.text,
                               p.shortened(type, figure, line.w), Align::right);
    p.text_within(line.x, line.middle(), line.w - taken - p.px(8), Type::small, p.theme.muted, name);
}

void BudgetView::draw_card(const Painter& p, Rect card, const Budget& b, BudgetUnknown what, Out& out)
{
    const bool solved = what == unknown_;
    p.fill(card, solved ? p.theme.raised : p.theme.panel, p.px(8));
    p.outline(card, solved ? p.theme.text : p.theme.grid, p.px(solved ? 2.0F : 1.0F), p.px(8));
    if (press(p, card, fmt::format("solve for {}", name_of(what)).c_str(), 8).clicked)
    {
        choose(what, out);
    }
    const float left = card.x + p.px(10);
    const float in = card.w - p.px(20);
    const bool roomy = card.h >= p.px(84);
    if (card.h < p.px(48))
    {
        draw_card_line(p, {left, card.y, in, card.h}, name_of(what), said(b, what));
        return;
    }
    const std::string keyed = fmt::format("{}  {}", name_of(what), static_cast<std::size_t>(what) + 1);
    p.text_within(left, card.y + p.px(roomy ? 18.0F : 14.0F), in, Type::small, p.theme.muted,
                  p.width(Type::small, keyed) <= in ? keyed : std::string(name_of(what)));
    const std::string figure = said(b, what);
    p.text(left, roomy ? card.y + p.px(46) : card.bottom() - p.px(16), figure_type(p, figure, in),
           p.theme.text, figure);
    if (roomy)
    {
        p.text_within(left, card.bottom() - p.px(14), in, Type::small, solved ? p.theme.text : p.theme.muted,
                      solved ? "solved for" : "given");
    }
}

// The five quantities; the one that follows from the others is marked. Takes its rows off the area.
void BudgetView::draw_cards(const Painter& p, Rect& area, const Budget& b, Out& out)
{
    const float gap = p.px(kGap);
    const float line = p.height(Type::mono) + p.px(4);
    const auto rows_of = [](std::size_t many) { return (kBudgetUnknowns + many - 1) / many; };
    std::size_t many = cards_in_row(p, area.w, b);
    while (many<kBudgetUnknowns&& static_cast<float>(rows_of(many)) * (line + gap)> area.h)
    {
        many = many < 3 ? many + 1 : kBudgetUnknowns;
    }
    const std::size_t rows = rows_of(many);
    const auto n = static_cast<float>(many);
    const auto most = rows == 1 ? area.h * 0.4F : (area.h + gap) / static_cast<float>(rows) - gap;
    const float high = std::min(p.px(92), most);
    for (std::size_t i = 0; i < kBudgetUnknowns;)
    {
        Rect row = area.cut_top(high);
        const float each = (row.w - gap * (n - 1)) / n;
        for (std::size_t k = 0; k < many && i < kBudgetUnknowns; ++k, ++i)
        {
            draw_card(p, row.cut_left(each), b, static_cast<BudgetUnknown>(i), out);
            row.cut_left(gap);
        }
        area.cut_top(gap);
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
               fmt::format("{}FLOP/s of all GPUs at the peak", unit > 1e3 ? "E"
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
               fmt::format("{} N D, {} of the peak", figure(b.per_parameter(), 3), format_percent(b.mfu)),
               Align::centre);
    }
    if (all.h - useful.h > p.px(24))
    {
        p.text_within(all.x + p.px(10), (all.y + useful.y) / 2, all.w - p.px(20), Type::small_strong, t.text,
                      "not the model's arithmetic");
    }
}

void BudgetView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Budget b = budget(frame);
    draw_cards(painter, area, b, out);
    area.cut_top(painter.px(18 - kGap));
    draw_area(painter, area, b);
}

Caption BudgetView::caption(const Frame& frame) const
{
    const Budget b = budget(frame);
    const Term term = explain_budget(b, unknown_);
    Caption caption;
    if (b.mfu > 1)
    {
        caption.sentence = fmt::format("That would take {} of the peak: !!no GPU does more than 100%!!.",
                                       format_percent(b.mfu));
    }
    else
    {
        caption.sentence =
            fmt::format("{} parameters on {} tokens: **{}{} on {}, {} USD**.", format_count(b.parameters),
                        format_count(b.tokens), day_words(b.days), b.days < 1e-3 ? "" : " days",
                        counted(static_cast<std::int64_t>(std::ceil(b.gpus)), "GPU"), format_count(b.usd()));
    }
    caption.formula = fmt::format("{} = {} = {}", term.label, term.working, figure(term.value, 4));
    caption.source =
        fmt::format("{}\n{}.\nMFU counts attention's scores ({} N D in all); interruptions are left out. "
                    "The step model's MFU is taken until you move the slider.",
                    term.formula, term.source, figure(b.per_parameter(), 3));
    return caption;
}

bool BudgetView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    Budget b = budget(frame);
    PanelColumn column(painter, area, out.animating);
    column.heading("The budget");
    if (unknown_ != BudgetUnknown::tokens)
    {
        column.slide("Tokens", kTokens, b.tokens, tokens_);
    }
    if (unknown_ != BudgetUnknown::mfu &&
        column.slide("MFU", (mfu_ ? "" : "as the step  ") + format_percent(b.mfu), kMfu, b.mfu))
    {
        mfu_ = b.mfu;
    }
    if (unknown_ != BudgetUnknown::days)
    {
        column.slide("Days of training", kDays, days_);
    }
    column.slide("USD per GPU and hour", kPrice, b.usd_per_hour, price_);
    b = budget(frame);
    const double each = b.parameters > 0 ? b.tokens / b.parameters : 0;
    column.gap();
    column.fact("GPU hours", format_count(b.gpu_hours()));
    column.fact("Price, USD", format_count(b.usd()));
    column.fact("Tokens per parameter", each > 0 ? format_count(each) : "\u2013");
    column.fact("of the rule of 20", each > 0 ? format_count(each / kRule) + "\u00d7" : "\u2013");
    return true;
}

ViewKeys BudgetView::keys()
{
    return {{"1 \u2026 5", "Solve for days, GPUs, tokens, parameters, MFU",
             [this](const KeyPress& k) { choose(static_cast<BudgetUnknown>(k.which), k.out); }},
            {"click", "Solve for a quantity"}};
}

constexpr std::array<std::string_view, 3> kControls{"model", "cluster", "gpus"};

} // namespace

extern const ViewInfo budget_view;
const ViewInfo budget_view{
    31,
    "budget",
    "Scaling",
    "Compute budget",
    "Compute budget",
    "6 N D = GPUs x peak x MFU x days: any one of them from the others, and what it costs",
    kControls,
    [] { return std::unique_ptr<View>(std::make_unique<BudgetView>()); }};

} // namespace ringside
