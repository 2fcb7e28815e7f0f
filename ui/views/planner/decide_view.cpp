// How one gets to a layout: the textbook's questions as a tree with the path taken, the memory each would
// need on one scale, and at the end the step time next to the best that a search finds.
#include <fmt/format.h>

#include "core/base/derived.h"
#include "core/base/text/text.h"
#include "core/planner/decision_tree.h"
#include "core/planner/search/layout_work.h"
#include "core/scenario/presets.h"
#include "ui/shell/view.h"
#include "ui/views/planner/planner/parts.h"
#include "ui/widgets/charts/bar_rows.h"
#include "ui/widgets/charts/plot.h"
#include "ui/widgets/table.h"

#include <algorithm>
#include <numeric>

namespace ringside
{

namespace
{

constexpr float kLeastRow = 30; // with room for the answer that leads on
constexpr float kMostRow = 112;
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
        DecisionWalk walk;
        StepTime step;
    };
    struct Best
    {
        Scenario scenario;
        StepTime step;
    };

    const Known& known(const Frame& frame) const;
    const Best* best(const Frame& frame) const;
    void draw_end(const Frame& frame, const Painter& painter, Rect area, Out& out) const;
    static void load(const Scenario& laid_out, Out& out);

    Derived<std::pair<Scenario, ByteUnit>, Known> known_; // of a scenario without its layout
    Derived<std::shared_ptr<const LayoutAnswer>, std::optional<Best>> best_;
};

const DecideView::Known& DecideView::known(const Frame& frame) const
{
    const auto make = [](const std::pair<Scenario, ByteUnit>& from)
    {
        Known known{decide(from.first, from.second), {}};
        known.step = known.walk.legal ? step_time(known.walk.scenario) : StepTime();
        return known;
    };
    return known_.of({without_layout(frame.now.scenario), frame.preferences.unit}, make);
}

// Only what the scenario's own software runs, as the planner begins.
WorkAnswer<LayoutAnswer> layouts(const Frame& frame)
{
    SearchLimits limits;
    limits.framework = frame.presets.framework_of(frame.scenario);
    return work_on<LayoutWork>(frame.works, {frame.now.scenario, limits});
}

// The fastest of the search's best cuts by the step time that everything else on show has, which simulates
// where a search takes the nearest formula; null while it looks.
const DecideView::Best* DecideView::best(const Frame& frame) const
{
    const auto found = layouts(frame);
    if (!found || !found.done())
    {
        return nullptr;
    }
    const auto make = [&](const std::shared_ptr<const LayoutAnswer>& from)
    {
        std::optional<Best> best;
        for (std::size_t i = 0; i < std::min(kTimed, from->result.cuts.size()); ++i)
        {
            Scenario s = frame.now.scenario;
            apply(from->result.cuts[i].layout, s);
            const StepTime step = step_time(s);
            if (!best || step.total() < best->step.total())
            {
                best = Best{s, step};
            }
        }
        return best;
    };
    const std::optional<Best>& best = best_.of(found.result, make);
    return best ? &*best : nullptr;
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

// The questions one below the other. "No" leads down and "yes" to the right, the way that was taken is
// bright; at the right what the fullest GPU would need, on one scale.
class Tree
{
public:
    Tree(const Painter& painter, Rect area, const DecisionWalk& walk, std::size_t shown)
        : p_(painter), walk_(walk), shown_(shown), rows_(area)
    {
        high_ =
            std::clamp(area.h / static_cast<float>(shown), p_.height(Type::small) * 0.95F, p_.px(kMostRow));
        for (const Decision& d : walk.decisions)
        {
            most_ = std::max(most_, d.bytes);
            question_ = std::max(question_, p_.width(Type::small_strong, d.question));
            leaf_ = std::max({leaf_, p_.width(Type::small_strong, d.yes), p_.width(Type::small, d.yes)});
        }
        question_ = std::min(question_ + p_.px(20), area.w * 0.6F);
        leaf_ = std::min(leaf_ + p_.px(20), area.w - question_ - edge());
        bars_ = area;
        bars_.cut_left(question_ + edge() + leaf_ + p_.px(24));
    }

    void draw() const
    {
        const Rect& r = rows_;
        for (std::size_t i = 0; i < shown_; ++i)
        {
            const Decision& d = walk_.decisions[i];
            const Rect box = box_of(i);
            const Rect leaf{r.x + question_ + edge(), box.y, leaf_, box.h};
            draw_yes(d, box, leaf);
            if (i + 1 < shown_)
            {
                draw_on(d, box, leaf, box_of(i + 1));
            }
            draw_question(d, box);
            if (bars_.w > p_.px(120))
            {
                draw_memory(d, {bars_.x, box.y, bars_.w, box.h});
            }
        }
        if (bars_.w > p_.px(120))
        {
            const float x = bars_.x + width_of(walk_.capacity);
            const float bottom = box_of(shown_ - 1).bottom();
            p_.dashed(x, rows_.y, x, bottom, p_.theme.text);
            draw_legend(x, bottom);
        }
    }

private:
    // Beneath the bars, or where the rows stand too close together, in one that has no bar.
    void draw_legend(float capacity, float bottom) const
    {
        const float high = p_.height(Type::small);
        float y = bottom + high / 2;
        if (between() < high)
        {
            const auto shown = walk_.decisions.begin() + static_cast<std::ptrdiff_t>(shown_);
            const auto empty =
                std::find_if(walk_.decisions.begin(), shown, [](const Decision& d) { return d.bytes <= 0; });
            if (empty == shown || high_ < high)
            {
                return;
            }
            y = box_of(static_cast<std::size_t>(empty - walk_.decisions.begin())).middle();
        }
        std::string_view says = "memory needed, dashed: capacity";
        if (capacity + p_.px(8) + p_.width(Type::small, says) > bars_.right())
        {
            says = "dashed: capacity";
        }
        const float wide = p_.width(Type::small, says);
        const bool right = capacity + p_.px(8) + wide <= bars_.right();
        const float left = right ? capacity + p_.px(8) : std::max(bars_.x, capacity - p_.px(8) - wide);
        p_.text_within(left, y, bars_.right() - left, Type::small, p_.theme.muted, says);
    }

    float edge() const { return p_.px(46); } // between a question and its leaf
    float between() const
    {
        return high_ >= p_.px(kLeastRow) ? std::min(high_ * 0.36F, p_.px(34)) : p_.px(3);
    }
    Rect box_of(std::size_t i) const
    {
        return {rows_.x, rows_.y + high_ * static_cast<float>(i), question_, high_ - between()};
    }

    // To the right, and what it comes to.
    void draw_yes(const Decision& d, Rect box, Rect leaf) const
    {
        const Theme& t = p_.theme;
        const Colour ink = d.answer ? t.text : t.line;
        p_.arrow({box.right(), box.middle()}, {leaf.x, leaf.middle()}, ink, p_.px(d.answer ? 2.5F : 1));
        if (box.h > p_.height(Type::small) * 1.4F)
        {
            p_.text(box.right() + edge() / 2, box.middle() - p_.height(Type::small) * 0.6F, Type::small,
                    d.answer ? t.text : t.muted, "yes", Align::centre);
        }
        if (d.answer)
        {
            p_.fill(leaf, t.raised, p_.px(12));
        }
        p_.outline(leaf, ink, p_.px(d.answer ? 2 : 1), p_.px(12));
        p_.text_within(leaf.x + p_.px(10), leaf.middle(), leaf.w - p_.px(20),
                       d.answer ? Type::small_strong : Type::small, d.answer ? t.text : t.muted, d.yes);
    }

    // To the next question: straight down after a no, back from the leaf after a yes.
    void draw_on(const Decision& d, Rect box, Rect leaf, Rect next) const
    {
        const Theme& t = p_.theme;
        const float x = box.x + p_.px(18);
        const float middle = (box.bottom() + next.y) / 2;
        if (d.answer)
        {
            const std::array way{ImVec2{leaf.centre(), leaf.bottom()}, ImVec2{leaf.centre(), middle},
                                 ImVec2{x, middle}, ImVec2{x, next.y}};
            p_.list.AddPolyline(way.data(), static_cast<int>(way.size()), t.text, 0, p_.px(2.5F));
            return;
        }
        p_.line(x, box.bottom(), x, next.y, t.text, p_.px(2.5F));
        if (between() >= p_.height(Type::small))
        {
            p_.text_within(x + p_.px(10), middle, box.w - p_.px(28), Type::small, t.text,
                           fmt::format("no: {}", d.no));
        }
    }

    void draw_question(const Decision& d, Rect box) const
    {
        const Theme& t = p_.theme;
        p_.fill(box, t.control, p_.px(6));
        p_.outline(box, t.text, p_.px(1.5F), p_.px(6));
        const bool two = box.h >= 2 * p_.height(Type::small) + p_.px(2);
        const float shift = two ? p_.height(Type::small) / 2 : 0;
        const Rect in = box.inset(p_.px(10));
        p_.text_within(in.x, box.middle() - shift, in.w, Type::small_strong, t.text, d.question);
        if (two)
        {
            p_.text_within(in.x, box.middle() + shift, in.w, Type::mono_small, t.muted, d.working);
        }
    }

    float width_of(double bytes) const
    {
        return (bars_.w - p_.px(4)) * static_cast<float>(bytes / std::max(most_, walk_.capacity * 1.2));
    }

    void draw_memory(const Decision& d, Rect row) const
    {
        if (d.bytes <= 0)
        {
            return;
        }
        const float high = std::min(row.h, p_.px(22));
        const Rect bar{row.x, row.middle() - high / 2, width_of(d.bytes), high};
        draw_stacked_bar(p_, {bar.x, bar.y, bars_.w, bar.h},
                         std::array{BarPart{d.bytes, plain_fill(mix(p_.theme.text, p_.theme.window, 0.3F))}},
                         {.most = d.bytes * static_cast<double>(bars_.w / std::max(1.0F, bar.w)),
                          .up = false,
                          .limit = walk_.capacity});
        if (row.h < p_.height(Type::mono_small))
        {
            return;
        }
        const std::string words = format_bytes(Bytes(d.bytes), p_.look.unit);
        const float w = p_.width(Type::mono_small, words);
        const float beside = bar.right() + p_.px(8);
        const bool inside = beside + w > bars_.right();
        const float x = inside ? std::max(bars_.x, bar.right() - w - p_.px(8)) : beside;
        if (inside)
        {
            p_.fill({x - p_.px(4), row.middle() - p_.px(9), w + p_.px(8), p_.px(18)}, p_.theme.window,
                    p_.px(3));
        }
        p_.text(x, row.middle(), Type::mono_small, p_.theme.text, words);
    }

    const Painter& p_;
    const DecisionWalk& walk_;
    std::size_t shown_;
    Rect rows_;
    Rect bars_;
    float high_ = 0;
    float question_ = 0;
    float leaf_ = 0;
    double most_ = 1; // [B]
};

// Both steps on one scale; pressing one loads it.
void DecideView::draw_end(const Frame& frame, const Painter& painter, Rect area, Out& out) const
{
    const Known& k = known(frame);
    const Best* found = best(frame);
    const bool looking = !layouts(frame).done();
    const std::string over =
        k.walk.fits ? ""
                    : fmt::format(", \u2715 {} over",
                                  format_bytes(Bytes(k.walk.bytes - k.walk.capacity), painter.look.unit));
    const std::array words{k.walk.legal ? all_words(layout_of(k.walk.scenario)) + over
                                        : std::string("the batch does not divide"),
                           found != nullptr ? all_words(layout_of(found->scenario))
                           : looking        ? std::string("searching \u2026")
                                            : std::string("nothing fits")};
    const Theme& t = painter.theme;
    const auto cell = [&](bool there, double seconds, const std::string& says, bool good)
    {
        const Fill fill = good ? Fill{{t.raised, t.text}} : overflow_fill(t);
        return BarCell{{{seconds, fill, says}}, {}, there ? format_seconds(Seconds(seconds)) : says};
    };
    BarRows rows;
    const double walked = k.walk.legal ? k.step.total() : 0;
    const double searched = found != nullptr ? found->step.total() : 0;
    rows.columns = {{"", "", std::max({walked, searched, 1e-12})}};
    rows.rows = {{"Decision tree", {cell(k.walk.legal, walked, words[0], k.walk.fits)}, "L"},
                 {"Search", {cell(found != nullptr, searched, words[1], true)}, "S"}};
    rows.rows[0].id = k.walk.legal ? "###load walk" : "";
    rows.rows[1].id = found != nullptr ? "###load best" : "";
    draw_chart_title(painter, area.cut_top(painter.px(26)), "Step time", "click, L or S: use the layout");
    if (const auto pressed = draw_bar_rows(painter, area, rows).pressed)
    {
        load(*pressed == 0 ? k.walk.scenario : found->scenario, out);
    }
}

void DecideView::draw(const Frame& frame, const Painter& painter, Rect area, Out& out)
{
    const Known& k = known(frame);
    const Rect end = area.cut_bottom(std::min(area.h, painter.px(area.h > painter.px(360) ? 96 : 78)));
    area.cut_bottom(painter.px(8));
    const std::size_t all = k.walk.decisions.size();
    const auto fit = static_cast<std::size_t>(std::max(0.0F, area.h / painter.height(Type::small)));
    // The last line says how many there are no lines for.
    const std::size_t shown = fit >= all ? all : fit > 0 ? fit - 1 : 0;
    if (shown < all && fit > 0)
    {
        const Rect row = area.cut_bottom(painter.height(Type::small));
        painter.text_within(row.x, row.middle(), row.w, Type::small, painter.theme.muted,
                            fmt::format("{} more questions", all - shown));
    }
    if (shown > 0)
    {
        painter.part("tree", area);
        Tree(painter, area, k.walk, shown).draw();
    }
    draw_end(frame, painter, end, out);
}

Caption DecideView::caption(const Frame& frame) const
{
    const Known& k = known(frame);
    Caption caption;
    const auto searched = layouts(frame);
    caption.formula = searched ? grouped(searched->result.legal) + " legal layouts"
                               : "the search ended early: " + to_line(searched.faults.front());
    const Layout walk = layout_of(k.walk.scenario);
    const Best* found = best(frame);
    if (!k.walk.legal)
    {
        caption.sentence = "The decision tree ends at a layout that is !!not legal!!: the batch does not "
                           "divide over its replicas.";
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
                ? fmt::format(
                      "The decision tree ends at {}: **{} per step**, as fast as the best found by search.",
                      words_of(walk), format_seconds(Seconds(k.step.total())))
                : fmt::format("The decision tree ends at {}: {} per step. The search finds one that takes "
                              "**{:.0f}% less time**.",
                              words_of(walk), format_seconds(Seconds(k.step.total())), 100 * less);
        const StepGain gain = largest_gain(k.step, found->step);
        if (less >= 0.005)
        {
            caption.formula +=
                fmt::format(" \u00b7 mainly {}: {} \u2192 {}", gain.part, format_seconds(Seconds(gain.from)),
                            format_seconds(Seconds(gain.to)));
        }
    }
    caption.source =
        "The decision tree takes the first layout that fits and ignores time; the search times every layout "
        "that the scenario's software runs. Bars: memory of the peak-memory GPU, against its capacity.";
    return caption;
}

bool DecideView::draw_panel(const Frame& frame, const Painter& painter, Rect area, Out&)
{
    const int now = level_of(frame.now.scenario);
    const Table<int> table(
        {Column<int>("Typical layout by scale",
                     [](int level) { return Cell(level_gpus(level), 0, std::string(level_habit(level))); })},
        nullptr, [now](int level) { return level == now; }, 52);
    std::array<int, kLevels> levels{};
    std::iota(levels.begin(), levels.end(), 1);
    table.draw(painter, area, levels);
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

} // namespace

extern const ViewInfo decide_view{
    40,
    "decide",
    ViewGroup::planner,
    "Decision tree",
    "Decision tree",
    "The textbook's questions as a decision tree with numbers, and where a search does better",
    {"model", "model_size", "gpus", "training.global_batch", "training.sequence_length"},
    make_view<DecideView>};

} // namespace ringside
