// What can be trained with this: the training's operations as an area, GPUs at work times days.
#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/engine/budget.h"
#include "ui/shell/view.h"
#include "ui/widgets/chart.h"
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
constexpr float kGap = 10;   // between cards
constexpr double kRule = 20; // tokens a parameter (Hoffmann et al., arXiv 2203.15556, table 3)

// As the axis has them; a run of seconds is not told in days.
std::string day_words(double days)
{
    return days > 0 && days < 1e-3 ? format_seconds(Seconds(days * 86400))
           : days < 1e6            ? three_digits(days)
                                   : format_count(days);
}

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

struct BudgetPlot
{
    Rect area;
    TimeUnit time;
    double most_s;
    double most_rate;

    float x(double seconds) const { return area.x + area.w * static_cast<float>(seconds / most_s); }
    float y(double rate) const { return area.bottom() - area.h * static_cast<float>(rate / most_rate); }
};

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
    std::size_t cards_in_row(const Painter& painter, float width, const Budget& b) const;
    void draw_card(const Painter& painter, Rect card, const Budget& b, BudgetUnknown what, Out& out);
    void draw_cards(const Painter& painter, Rect& area, const Budget& b, Out& out);
    static void draw_axes(const Painter& painter, const BudgetPlot& plot);
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

// Rules and their figures, days below and rates at the left.
void BudgetView::draw_axes(const Painter& p, const BudgetPlot& plot)
{
    const Theme& t = p.theme;
    const Rect& area = plot.area;
    const float below = area.bottom() + p.px(14);
    const float title = area.right() - p.width(Type::small, plot.time.word) - p.px(8);
    const int across = std::clamp(static_cast<int>(area.w / p.px(76)), 2, 8);
    for (const double v : chart_ticks({0, plot.most_s / plot.time.seconds}, across))
    {
        const float x = plot.x(v * plot.time.seconds);
        p.line(x, area.y, x, area.bottom(), t.grid);
        const std::string words = v < 1e6 ? plain_number(v) : count_words(v);
        if (x + p.width(Type::mono_small, words) / 2 < title)
        {
            p.text(x, below, Type::mono_small, t.muted, words, Align::centre);
        }
    }
    const int up = std::clamp(static_cast<int>(area.h / p.px(40)), 1, 6);
    for (const double v : chart_ticks({0, plot.most_rate}, up))
    {
        p.line(area.x, plot.y(v), area.right(), plot.y(v), t.grid);
        p.text(area.x - p.px(8), plot.y(v), Type::mono_small, t.muted, plain_number(v), Align::right);
    }
    p.text(area.right(), below, Type::small, t.muted, plot.time.word, Align::right);
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
    p.text(area.x, area.y + p.px(10), Type::small, t.muted,
           fmt::format("{}FLOP/s of all GPUs at the peak", unit > 1e3 ? "E"
                                                           : unit > 1 ? "P"
                                                                      : "T"));
    area.cut_top(p.px(26));
    area.cut_bottom(p.px(36));
    area.cut_left(p.px(64));
    const double seconds = std::max(1e-9, b.days * 86400);
    const double peak = tera / unit;
    const TimeUnit time = b.days >= 1 ? TimeUnit{86400, "d", "days"} : time_unit_of(Seconds(seconds));
    const BudgetPlot plot{area, time, seconds * 1.25, peak * 1.12};
    draw_axes(p, plot);
    const Rect all{area.x, plot.y(peak), plot.x(seconds) - area.x, area.bottom() - plot.y(peak)};
    const float top = plot.y(peak * std::min(1.0, b.mfu));
    const Rect useful{area.x, top, all.w, area.bottom() - top};
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
    double next = 0;
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
        moved = slide(painter, area, "Days of training", day_words(days_), kDays, days_) || moved;
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
    line("Tokens a parameter", b.parameters > 0 ? format_count(b.tokens / b.parameters) : "\u2013");
    line("of the rule of 20",
         b.parameters > 0 ? format_count(b.tokens / b.parameters / kRule) + "\u00d7" : "\u2013");
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
