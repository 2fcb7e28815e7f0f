// How one gets to a layout: the textbook's questions one below the other, each with the engine's number and
// the way it goes, and at the end the step beside the best that a search finds.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/planner/decision_tree.h"
#include "ui/shell/layouts_frame.h"
#include "ui/shell/view.h"
#include "ui/views/planner/planner/words.h"
#include "ui/widgets/controls.h"

#include <algorithm>

namespace ringside
{

namespace
{

constexpr float kLeastRow = 34; // question and number below each other
constexpr float kMostRow = 64;
constexpr float kEnd = 112;       // the two steps below the tree, with their bars
constexpr float kLowEnd = 72;     // and without
constexpr std::size_t kTimed = 8; // of the search's best cuts

class DecideView final : public View
{
public:
    void draw(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    Caption caption(const Frame& frame) const override;
    bool draw_panel(const Frame& frame, const Painter& painter, Rect area, Out& out) override;
    ViewKeys keys() override;

private:
    struct Known
    {
        Scenario scenario; // without its layout
        ByteUnit unit;
        DecisionWalk walk;
        StepTime step;
    };
    struct Best
    {
        Scenario of;
        Layout first; // of the search's
        Scenario scenario;
        StepTime step;
    };

    const Known& known(const Frame& frame) const;
    const Best* best(const Frame& frame) const;
    void draw_decision(const Painter& painter, Rect row, const Known& k, const Decision& decision,
                       bool last) const;
    void draw_end(const Frame& frame, const Painter& painter, Rect area, Out& out) const;
    static void load(const Scenario& laid_out, Out& out);

    mutable std::optional<Known> known_;
    mutable std::optional<Best> best_;
};

const DecideView::Known& DecideView::known(const Frame& frame) const
{
    const Scenario plain = without_layout(frame.now.scenario);
    const ByteUnit unit = frame.preferences.unit;
    if (!known_ || known_->scenario != plain || known_->unit != unit)
    {
        Known next{plain, unit, decide(plain, unit), {}};
        next.step = next.walk.legal ? step_time(next.walk.scenario) : StepTime();
        known_ = std::move(next);
    }
    return *known_;
}

// Of the search's best cuts the fastest by the step time that everything else on show has, which simulates
// where a search takes the nearest formula; null while it looks.
const DecideView::Best* DecideView::best(const Frame& frame) const
{
    const LayoutAnswer* found = frame.layouts;
    if (found == nullptr || found->progress < 1 || !found->answers(frame.now.scenario, {}) ||
        found->result.cuts.empty())
    {
        best_.reset();
        return nullptr;
    }
    const Layout& first = found->result.cuts.front().layout;
    if (!best_ || best_->first != first || best_->of != found->scenario)
    {
        best_.reset();
        for (std::size_t i = 0; i < std::min(kTimed, found->result.cuts.size()); ++i)
        {
            const Layout& layout = found->result.cuts[i].layout;
            Scenario s = frame.now.scenario;
            apply(layout, s);
            const StepTime step = step_time(s);
            if (!best_ || step.total() < best_->step.total())
            {
                best_ = Best{found->scenario, first, s, step};
            }
        }
    }
    return &*best_;
}

void DecideView::load(const Scenario& laid_out, Out& out)
{
    out.push(ChangeScenario{laid_out, false, "Loaded: " + words_of(layout_of(laid_out))});
}

// Layout, ZeRO, micro-batch and schedule.
std::string all_words(const Layout& l)
{
    std::string words = words_of(l);
    words += l.zero > 0 ? fmt::format(", ZeRO-{}", l.zero) : "";
    words += fmt::format(", micro-batch {}", l.micro_batch);
    return words + (l.pipeline > 1 ? ", " + schedule_words(l) : "");
}

// A step at the end of the tree.
struct EndLine
{
    std::string_view name;
    const char* label; // of its button
    std::string_view key;
    std::string what;
    double seconds;
    bool good;
    const Scenario* laid_out; // null: nothing to load
};

void draw_way(const Painter& painter, Rect r, std::string_view word, std::string_view follows, bool taken)
{
    const Theme& t = painter.theme;
    const float high = std::min(r.h - painter.px(4), painter.px(36));
    const Rect box{r.x, r.middle() - high / 2, r.w, high};
    if (taken && high >= painter.height(Type::small))
    {
        painter.fill(box, t.raised, painter.px(6));
        painter.outline(box, t.text, painter.px(1.5F), painter.px(6));
    }
    const Colour ink = taken ? t.text : t.muted;
    const float x = box.x + painter.px(10);
    const float w = painter.text(x, box.middle(), taken ? Type::small_strong : Type::small, ink, word);
    const float from = std::max(x + w + painter.px(8), box.x + painter.px(40));
    painter.text_within(from, box.middle(), box.right() - from - painter.px(6), Type::small, ink, follows);
}

// On the line at the middle of `row`; the bar is what the fullest GPU would hold.
void draw_working(const Painter& painter, Rect row, const Decision& d, double capacity)
{
    const Theme& t = painter.theme;
    float from = row.x;
    if (d.bytes > 0 && row.w > painter.px(300))
    {
        const bool over = d.bytes > capacity;
        const Rect bar{row.x, row.middle() - painter.px(3), painter.px(56), painter.px(6)};
        const double share = std::min(1.0, d.bytes / std::max(1.0, capacity));
        painter.fill(bar, t.raised);
        painter.fill({bar.x, bar.y, bar.w * static_cast<float>(share), bar.h},
                     over ? t.warning : mix(t.text, t.window, 0.3F));
        if (over)
        {
            painter.hatch(bar, t.window, kOverflowHatch);
        }
        from = bar.right() + painter.px(10);
    }
    painter.text_within(from, row.middle(), row.right() - from, Type::mono_small, t.muted, d.working);
}

void DecideView::draw_decision(const Painter& painter, Rect row, const Known& k, const Decision& d,
                               bool last) const
{
    const Theme& t = painter.theme;
    const float x = row.x + painter.px(9);
    const float middle = row.middle();
    if (!last)
    {
        painter.line(x, middle, x, middle + row.h, t.line, painter.px(2));
    }
    painter.list.AddCircleFilled({x, middle}, painter.px(7), t.window);
    painter.list.AddCircle({x, middle}, painter.px(6), t.text, 0, painter.px(2));
    if (d.answer)
    {
        painter.list.AddCircleFilled({x, middle}, painter.px(3), t.text);
    }
    row.cut_left(painter.px(30));
    const bool wide = row.w > painter.px(620);
    // A question is worth more than where its answer leads.
    const bool brief =
        !wide &&
        std::ranges::any_of(
            k.walk.decisions, [&](const Decision& each)
            { return painter.width(Type::small_strong, each.question) > row.w * 0.58F - painter.px(16); });
    const float ways = brief ? painter.width(Type::small_strong, "yes") + painter.px(20)
                             : std::min(row.w * (wide ? 0.5F : 0.42F), painter.px(440));
    Rect right = row.cut_right(ways);
    row.cut_right(painter.px(16));
    const bool two = row.h >= painter.px(kLeastRow);
    const float shift = two ? painter.px(10) : 0;
    painter.text_within(row.x, middle - shift, row.w, Type::small_strong, t.text, d.question);
    if (two)
    {
        draw_working(painter, {row.x, middle + shift, row.w, 0}, d, k.walk.capacity);
    }
    if (!wide)
    {
        draw_way(painter, right, d.answer ? "yes" : "no", brief ? "" : d.answer ? d.yes : d.no, true);
        return;
    }
    const Rect first = right.cut_left(right.w / 2 - painter.px(4));
    right.cut_left(painter.px(8));
    draw_way(painter, first, "yes", d.yes, d.answer);
    draw_way(painter, right, "no", d.no, !d.answer);
}

// A step on a scale that ends at `longest`, and the button that loads it; true when pressed.
bool draw_step(const Painter& painter, Rect row, const EndLine& line, double longest, bool bars)
{
    const Theme& t = painter.theme;
    const Rect cap = row.cut_right(line.laid_out != nullptr ? painter.px(96) : 0);
    row.cut_right(painter.px(12));
    const float middle = row.y + painter.px(12);
    const std::string time = line.seconds > 0 ? format_seconds(Seconds(line.seconds)) : "\u2013";
    painter.text(row.right(), middle, Type::mono_small, line.good ? t.text : t.warning, time, Align::right);
    const float room = row.w - painter.width(Type::mono_small, time) - painter.px(12);
    const float w = painter.text_within(row.x, middle, room, Type::small_strong, t.text, line.name);
    painter.text_within(row.x + w + painter.px(12), middle, room - w - painter.px(12), Type::small, t.muted,
                        line.what);
    const Rect track{row.x, row.y + painter.px(bars ? 26 : 24), row.w, painter.px(bars ? 8 : 2)};
    painter.fill(track, t.raised);
    painter.fill({track.x, track.y, track.w * static_cast<float>(line.seconds / longest), track.h},
                 line.good ? mix(t.text, t.window, 0.3F) : t.warning);
    const Rect box{cap.x, cap.y + painter.px(bars ? 4 : 0), cap.w, painter.px(bars ? 32 : 26)};
    return line.laid_out != nullptr && button(painter, box, line.label, line.key);
}

// Both steps on one scale.
void DecideView::draw_end(const Frame& frame, const Painter& painter, Rect area, Out& out) const
{
    const Theme& t = painter.theme;
    const Known& k = known(frame);
    const Best* found = best(frame);
    painter.line(area.x, area.y, area.right(), area.y, t.grid);
    const bool bars = area.h >= painter.px(kEnd) - 1;
    area.cut_top(painter.px(bars ? 12 : 8));
    const double walked = k.walk.legal ? k.step.total() : 0;
    const double searched = found != nullptr ? found->step.total() : 0;
    const double longest = std::max({walked, searched, 1e-12});
    const Layout walk = layout_of(k.walk.scenario);
    const std::string over =
        k.walk.fits ? ""
                    : fmt::format(" \u2715 {} over",
                                  format_bytes(Bytes(k.walk.bytes - k.walk.capacity), painter.look.unit));
    const EndLine walk_line{"decision tree",
                            "load###load walk",
                            "L",
                            k.walk.legal ? all_words(walk) + over : "ends where the batch does not divide",
                            walked,
                            k.walk.fits,
                            k.walk.legal ? &k.walk.scenario : nullptr};
    const LayoutAnswer* answer = frame.layouts;
    const bool looking =
        answer == nullptr || answer->progress < 1 || !answer->answers(frame.now.scenario, {});
    const EndLine search_line{"the search",
                              "load###load best",
                              "S",
                              found != nullptr ? all_words(layout_of(found->scenario))
                              : looking        ? "looking \u2026"
                                               : "nothing fits",
                              searched,
                              true,
                              found != nullptr ? &found->scenario : nullptr};
    for (const EndLine* line : {&walk_line, &search_line})
    {
        if (draw_step(painter, area.cut_top(painter.px(bars ? 44 : 28)), *line, longest, bars))
        {
            load(*line->laid_out, out);
        }
    }
}

void DecideView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const LayoutAnswer* found = frame.layouts;
    const bool answers = found != nullptr && found->answers(frame.now.scenario, {});
    if (!answers)
    {
        out.push(SearchLayouts{});
    }
    out.animating = out.animating || !answers || found->progress < 1;
    const Known& k = known(frame);
    const auto rows = static_cast<float>(k.walk.decisions.size());
    const bool low = area.h - painter.px(kEnd + 8) < rows * painter.px(kLeastRow);
    const Rect end = area.cut_bottom(std::min(area.h, painter.px(low ? kLowEnd : kEnd)));
    area.cut_bottom(painter.px(8));
    const float high = std::clamp(area.h / rows, painter.height(Type::small) * 0.95F, painter.px(kMostRow));
    const std::size_t all = k.walk.decisions.size();
    const auto fit = static_cast<std::size_t>(std::max(0.0F, (area.h + 1) / high));
    // The last line says how many there are no lines for.
    const std::size_t shown = fit >= all ? all : fit > 0 ? fit - 1 : 0;
    for (std::size_t i = 0; i < shown; ++i)
    {
        draw_decision(painter, area.cut_top(high), k, k.walk.decisions[i], i + 1 == all);
    }
    if (shown < fit && shown < all)
    {
        const Rect row = area.cut_top(high);
        painter.text_within(row.x + painter.px(30), row.middle(), row.w - painter.px(30), Type::small,
                            painter.theme.muted,
                            fmt::format("{} more, where there is more room", all - shown));
    }
    draw_end(frame, painter, end, out);
}

Caption DecideView::caption(const Frame& frame) const
{
    const Known& k = known(frame);
    Caption caption;
    if (frame.layouts != nullptr)
    {
        caption.formula = grouped(frame.layouts->result.legal) + " legal layouts";
    }
    const Layout walk = layout_of(k.walk.scenario);
    const Best* found = best(frame);
    if (!k.walk.legal)
    {
        caption.sentence =
            "The decision tree ends in a layout that is !!not legal!!: the batch does not divide over it.";
    }
    else if (!k.walk.fits)
    {
        caption.sentence =
            fmt::format("The decision tree ends at {} and is !!{} over!!{}", words_of(walk),
                        format_bytes(Bytes(k.walk.bytes - k.walk.capacity), frame.preferences.unit),
                        found != nullptr ? "; the search finds one that fits." : ".");
    }
    else if (found == nullptr)
    {
        caption.sentence = fmt::format("The decision tree ends at {}: **{} per step**.", words_of(walk),
                                       format_seconds(Seconds(k.step.total())));
    }
    else
    {
        const double less = 1 - found->step.total() / k.step.total();
        caption.sentence =
            less < 0.005
                ? fmt::format("The decision tree ends at {}: **{} per step**, as good as the search's best.",
                              words_of(walk), format_seconds(Seconds(k.step.total())))
                : fmt::format("The decision tree ends at {}: {} a step. The search needs **{:.0f}% less**.",
                              words_of(walk), format_seconds(Seconds(k.step.total())), 100 * less);
        const StepGain gain = largest_gain(k.step, found->step);
        if (less >= 0.005)
        {
            caption.formula +=
                fmt::format(" \u00b7 most of it from {}: {} \u2192 {}", gain.part,
                            format_seconds(Seconds(gain.from)), format_seconds(Seconds(gain.to)));
        }
    }
    caption.source =
        "The decision tree takes the first layout that fits and ignores time; the search times every "
        "legal layout.";
    return caption;
}

bool DecideView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    const Theme& t = painter.theme;
    Rect row = area.cut_top(painter.px(32));
    painter.text_within(row.x, row.middle(), row.w, Type::body_strong, t.text, "Levels of scaling");
    const int now = level_of(frame.now.scenario);
    for (int level = 1; level <= kLevels && area.h >= painter.px(60); ++level)
    {
        row = area.cut_top(painter.px(60));
        const bool here = level == now;
        if (here)
        {
            const Rect box{row.x - painter.px(8), row.y, row.w + painter.px(16), row.h - painter.px(4)};
            painter.fill(box, t.raised, painter.px(6));
            painter.outline(box, t.text, painter.px(2), painter.px(6));
        }
        const Colour ink = here ? t.text : t.muted;
        painter.text(row.x + painter.px(4), row.y + painter.px(18), here ? Type::body_strong : Type::body,
                     ink, std::to_string(level));
        painter.text_within(row.x + painter.px(28), row.y + painter.px(18), row.w - painter.px(28),
                            here ? Type::small_strong : Type::small, ink, level_gpus(level));
        painter.text_within(row.x + painter.px(28), row.y + painter.px(38), row.w - painter.px(28),
                            Type::small, ink, level_habit(level));
    }
    return true;
}

ViewKeys DecideView::keys()
{
    return {{"L", "Load the decision tree's layout",
             [this](const KeyPress& k)
             {
                 if (known(k.frame).walk.legal)
                 {
                     load(known(k.frame).walk.scenario, k.out);
                 }
             }},
            {"S", "Load the best the search finds",
             [this](const KeyPress& k)
             {
                 if (const Best* found = best(k.frame))
                 {
                     load(found->scenario, k.out);
                 }
             }}};
}

constexpr std::array<std::string_view, 5> kControls{"model", "model_size", "gpus", "training.global_batch",
                                                    "training.sequence_length"};

} // namespace

extern const ViewInfo decide_view;
const ViewInfo decide_view{24,
                           "decide",
                           "Planner",
                           "Decision tree",
                           "Layout by decision tree",
                           "The textbook's questions answered with numbers, and where a search does better",
                           kControls,
                           [] { return std::unique_ptr<View>(std::make_unique<DecideView>()); }};

} // namespace ringside
