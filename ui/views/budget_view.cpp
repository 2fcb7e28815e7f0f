// What can be trained with this: the training's operations as an area, GPUs at work times days.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/engine/budget.h"
#include "ui/shell/view.h"
#include "ui/widgets/controls.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace ringside
{

namespace
{

struct Range
{
    double least;
    double most;
};
constexpr Range kTokens{1e9, 1e14};
constexpr Range kDays{0.1, 1000};
constexpr Range kMfu{0.01, 1};
constexpr Range kPrice{0.1, 20};
constexpr double kRule = 20; // tokens a parameter (Hoffmann et al., arXiv 2203.15556, table 3)

std::string said(const Budget& b, BudgetUnknown what)
{
    switch (what)
    {
    case BudgetUnknown::days:
        return format_count(b.days);
    case BudgetUnknown::gpus:
        return format_count(std::ceil(b.gpus));
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
    void keys(const Frame& frame, Out& out) override;

private:
    Budget budget(const Frame& frame) const;
    void choose(BudgetUnknown unknown, Out& out);
    void draw_cards(const Painter& painter, Rect row, const Budget& b, Out& out);
    void draw_area(const Painter& painter, Rect area, const Budget& b) const;
    bool slide(const Painter& painter, Rect& area, const char* label, const std::string& shown, Range range,
               double& value);

    BudgetUnknown unknown_ = BudgetUnknown::days;
    double days_ = 90;
    std::optional<double> price_;  // nothing: the scenario's
    std::optional<double> mfu_;    // nothing: what the step reaches
    std::optional<double> tokens_; // nothing: the scenario's
    TypedEntry entry_;
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
    b.mfu = mfu_.value_or(utilization(frame.now.report.step, Numerator::parameters, PeakKind::dense));
    b.days = days_;
    b.usd_per_hour = price_.value_or(s.cluster.usd_per_gpu_hour);
    return solved(b, unknown_);
}

void BudgetView::choose(BudgetUnknown unknown, Out& out)
{
    unknown_ = unknown;
    out.animating = true;
}

// The five quantities; the one that follows from the others is marked.
void BudgetView::draw_cards(const Painter& p, Rect row, const Budget& b, Out& out)
{
    const float gap = p.px(10);
    const float each = (row.w - gap * static_cast<float>(kBudgetUnknowns - 1)) / kBudgetUnknowns;
    for (std::size_t i = 0; i < kBudgetUnknowns; ++i)
    {
        const auto what = static_cast<BudgetUnknown>(i);
        const Rect card{row.x + (each + gap) * static_cast<float>(i), row.y, each, row.h};
        const bool solved = what == unknown_;
        p.fill(card, solved ? p.theme.raised : p.theme.panel, p.px(8));
        p.outline(card, solved ? p.theme.text : p.theme.grid, p.px(solved ? 2.0F : 1.0F), p.px(8));
        if (press(p, card, fmt::format("solve for {}", name_of(what)).c_str(), 8).clicked)
        {
            choose(what, out);
        }
        const float in = each - p.px(20);
        p.text_within(card.x + p.px(10), card.y + p.px(18), in, Type::small, p.theme.muted,
                      fmt::format("{}  {}", name_of(what), i + 1));
        p.text_within(card.x + p.px(10), card.y + p.px(46), in, Type::mono_title, p.theme.text,
                      said(b, what));
        p.text_within(card.x + p.px(10), card.bottom() - p.px(14), in, Type::small,
                      solved ? p.theme.text : p.theme.muted, solved ? "solved for" : "given");
    }
}

void BudgetView::draw_area(const Painter& p, Rect area, const Budget& b) const
{
    if (area.h < p.px(150))
    {
        return; // the cards say it all
    }
    const Theme& t = p.theme;
    p.text(area.x, area.y + p.px(10), Type::small, t.muted, "EFLOP/s of all GPUs at the peak");
    area.cut_top(p.px(26));
    const Rect axis = area.cut_bottom(p.px(36));
    area.cut_left(p.px(64));
    const double most_days = std::max(1e-3, b.days) * 1.25;
    const double peak = std::max(1e-9, b.gpus * b.peak_tflops * 1e-6); // EFLOP/s
    const double most = peak * 1.12;
    const auto x = [&](double days) { return area.x + area.w * static_cast<float>(days / most_days); };
    const auto y = [&](double rate) { return area.bottom() - area.h * static_cast<float>(rate / most); };
    const int every = area.h < p.px(140) ? 5 : 1; // ticks named
    for (int i = 0; i <= 5; ++i)
    {
        const double days = most_days * i / 5;
        p.line(x(days), area.y, x(days), area.bottom(), t.grid);
        if (i < 5)
        {
            p.text(x(days), axis.y + p.px(14), Type::mono_small, t.muted, three_digits(days), Align::centre);
        }
        const double rate = peak * i / 5;
        p.line(area.x, y(rate), area.right(), y(rate), t.grid);
        if (i % every == 0)
        {
            p.text(area.x - p.px(8), y(rate), Type::mono_small, t.muted, i == 0 ? "0" : three_digits(rate),
                   Align::right);
        }
    }
    p.text(area.right(), axis.y + p.px(14), Type::small, t.muted, "days", Align::right);
    const Rect all{area.x, y(peak), x(b.days) - area.x, area.bottom() - y(peak)};
    const double share = std::min(1.0, b.mfu);
    const Rect useful{area.x, y(peak * share), all.w, area.bottom() - y(peak * share)};
    p.hatch({all.x, all.y, all.w, all.h - useful.h}, with_alpha(t.forward.fill, 0.5F), kIdleHatch);
    p.fill(useful, t.forward.fill);
    const std::string words = fmt::format("{} FLOPs", figure(b.flops(), 4));
    if (useful.h > p.px(46) && p.width(Type::title, words) < useful.w - p.px(16))
    {
        p.text(useful.centre(), useful.middle() - p.px(10), Type::title, t.forward.label, words,
               Align::centre);
        p.text(useful.centre(), useful.middle() + p.px(14), Type::small, t.forward.label,
               fmt::format("6 N D, {} of the peak", format_percent(b.mfu)), Align::centre);
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
    draw_cards(painter, area.cut_top(std::min(painter.px(92), area.h * 0.4F)), b, out);
    area.cut_top(painter.px(18));
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
            fmt::format("{} parameters on {} tokens: **{} days on {}, {} USD**.", format_count(b.parameters),
                        format_count(b.tokens), format_count(b.days),
                        counted(static_cast<std::int64_t>(std::ceil(b.gpus)), "GPU"), format_count(b.usd()));
    }
    caption.formula = fmt::format("{} = {} = {}", term.label, term.working, figure(term.value, 4));
    caption.source =
        fmt::format("{}\n{}.\nAttention's scores and interruptions are left out. The step model's "
                    "MFU is taken until you move the slider.",
                    term.formula, term.source);
    return caption;
}

// True when it was moved; logarithmic.
bool BudgetView::slide(const Painter& painter, Rect& area, const char* label, const std::string& shown,
                       Range range, double& value)
{
    const double all = std::log(range.most / range.least);
    const double at = std::log(std::clamp(value, range.least, range.most) / range.least) / all;
    const SliderChange change =
        slider(painter, area.cut_top(painter.px(48)), {label, shown}, static_cast<float>(at), entry_);
    double next = value;
    switch (change.kind)
    {
    case SliderChange::Kind::none:
        return false;
    case SliderChange::Kind::dragged:
        next = range.least * std::exp(all * static_cast<double>(change.position));
        next = std::stod(figure(next, 3)); // round numbers
        break;
    case SliderChange::Kind::stepped:
        next = value * (change.steps > 0 ? 1.1 : 1 / 1.1);
        break;
    case SliderChange::Kind::typed:
        next = parse_number(change.text).value_or(value);
        next = label == std::string_view("MFU") && next > 1 ? next / 100 : next; // 40 is 40%
        break;
    }
    value = std::clamp(next, range.least, range.most);
    return true;
}

bool BudgetView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Budget b = budget(frame);
    Rect row = area.cut_top(painter.px(32));
    painter.text(row.x, row.middle(), Type::body_strong, painter.theme.text, "The budget");
    double value = b.tokens;
    bool moved = false;
    if (unknown_ != BudgetUnknown::tokens &&
        slide(painter, area, "Tokens", format_count(value), kTokens, value))
    {
        tokens_ = value;
        moved = true;
    }
    value = b.mfu;
    const std::string reached = mfu_ ? format_percent(value) : "as the step  " + format_percent(value);
    if (unknown_ != BudgetUnknown::mfu && slide(painter, area, "MFU", reached, kMfu, value))
    {
        mfu_ = value;
        moved = true;
    }
    if (unknown_ != BudgetUnknown::days)
    {
        moved = slide(painter, area, "Days of training", format_count(days_), kDays, days_) || moved;
    }
    value = b.usd_per_hour;
    if (slide(painter, area, "USD per GPU and hour", three_digits(value), kPrice, value))
    {
        price_ = value;
        moved = true;
    }
    out.animating = out.animating || moved;
    const auto line = [&](std::string_view label, const std::string& words)
    {
        const Rect r = area.cut_top(painter.px(26));
        painter.text(r.x, r.middle(), Type::small, painter.theme.muted, label);
        painter.text(r.right(), r.middle(), Type::mono_small, painter.theme.text, words, Align::right);
    };
    area.cut_top(painter.px(6));
    line("GPU hours", format_count(b.gpu_hours()));
    line("Price, USD", format_count(b.usd()));
    line("Tokens a parameter", b.parameters > 0 ? three_digits(b.tokens / b.parameters) : "\u2013");
    line("of the rule of 20",
         b.parameters > 0 ? three_digits(b.tokens / b.parameters / kRule) + "\u00d7" : "\u2013");
    return true;
}

void BudgetView::keys(const Frame&, Out& out)
{
    for (std::size_t i = 0; i < kBudgetUnknowns; ++i)
    {
        if (ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_1 + static_cast<int>(i)), false))
        {
            choose(static_cast<BudgetUnknown>(i), out);
        }
    }
}

constexpr std::array<std::string_view, 3> kControls{"model", "cluster", "gpus"};
constexpr std::array kKeys{KeyHelp{"1 \u2026 5", "Solve for days, GPUs, tokens, parameters, MFU"},
                           KeyHelp{"click", "Solve for a quantity"}};

} // namespace

extern const ViewInfo budget_view;
const ViewInfo budget_view{
    64,
    "budget",
    "Scaling",
    "Budget",
    "What can be trained with this?",
    "6 N D = GPUs x peak x MFU x days: any one of them from the others, and what it costs",
    kControls,
    kKeys,
    [] { return std::unique_ptr<View>(std::make_unique<BudgetView>()); }};

} // namespace ringside
